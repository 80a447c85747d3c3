// Closure: the body of a task, stored inside the task itself.
//
// A callable of up to 48 bytes is stored in place, a larger one on the heap, so queueing a small
// task allocates nothing. Move-only. A body takes a TaskContext& or nothing, and returns a
// Result<void> or nothing.
//
// If a body also has a member `void settled(const Settlement&)`, the worker calls it once, on its
// own thread, with the final outcome: done, or failed for the last time. A body dropped by a stop
// is destroyed without that call.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "tidemill/base/result.h"

namespace tidemill::engine {

class TaskContext;
struct Settlement;

// One thread at a time; passed between threads by move.
class Closure {
 public:
  static constexpr std::size_t kInline = 48;

  Closure() = default;

  template <class Body>
    requires(!std::is_same_v<std::remove_cvref_t<Body>, Closure>)
  explicit Closure(Body&& body) {
    using Kept = std::remove_cvref_t<Body>;
    if constexpr (kFits<Kept>) {
      ::new (static_cast<void*>(room_)) Kept(std::forward<Body>(body));
      kind_ = &kKindOf<Kept>;
    } else {
      using Box = Boxed<Kept>;
      ::new (static_cast<void*>(room_)) Box{std::make_unique<Kept>(std::forward<Body>(body))};
      kind_ = &kKindOf<Box>;
    }
  }

  Closure(Closure&& other) noexcept { take(other); }
  Closure& operator=(Closure&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;
  ~Closure() { reset(); }

  explicit operator bool() const { return kind_ != nullptr; }

  Result<void> run(TaskContext& context) { return kind_->run(room_, context); }

  [[nodiscard]] bool wants_settlement() const { return kind_->settled != nullptr; }
  void settled(const Settlement& settlement) { kind_->settled(room_, settlement); }

  void reset() {
    if (kind_ != nullptr && kind_->destroy != nullptr) kind_->destroy(room_);
    kind_ = nullptr;
  }

 private:
  // The operations of one type of body. A null `relocate` means: copy the bytes; a null `destroy`:
  // nothing to do. Most bodies capture only pointers and numbers, and both are null.
  struct Kind {
    Result<void> (*run)(void*, TaskContext&);
    void (*settled)(void*, const Settlement&);
    void (*relocate)(void* to, void* from);
    void (*destroy)(void*);
  };

  template <class Body>
  static constexpr bool kFits = sizeof(Body) <= kInline && alignof(Body) <= alignof(void*) &&
                                std::is_nothrow_move_constructible_v<Body>;

  template <class Body>
  struct Boxed {
    std::unique_ptr<Body> body;
    Result<void> operator()(TaskContext& context) { return call(*body, context); }
    void settled(const Settlement& settlement)
      requires requires { body->settled(settlement); }
    {
      body->settled(settlement);
    }
  };

  template <class Body>
  static Result<void> call(Body& body, TaskContext& context) {
    if constexpr (std::is_invocable_v<Body&, TaskContext&>) {
      return call_with(body, context);
    } else {
      return call_with(body);
    }
  }

  template <class Body, class... Args>
  static Result<void> call_with(Body& body, Args&... args) {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, Args&...>>) {
      body(args...);
      return {};
    } else {
      return body(args...);
    }
  }

  template <class Body>
  static constexpr Kind make_kind() {
    Kind kind{};
    kind.run = [](void* body, TaskContext& context) {
      return call(*static_cast<Body*>(body), context);
    };
    if constexpr (requires(Body& body, const Settlement& settlement) {
                    body.settled(settlement);
                  }) {
      kind.settled = [](void* body, const Settlement& settlement) {
        static_cast<Body*>(body)->settled(settlement);
      };
    }
    if constexpr (!std::is_trivially_copyable_v<Body>) {
      kind.relocate = [](void* to, void* from) {
        auto* body = static_cast<Body*>(from);
        ::new (to) Body(std::move(*body));
        body->~Body();
      };
      kind.destroy = [](void* body) { static_cast<Body*>(body)->~Body(); };
    }
    return kind;
  }

  template <class Body>
  static constexpr Kind kKindOf = make_kind<Body>();

  void take(Closure& other) noexcept {
    kind_ = std::exchange(other.kind_, nullptr);
    if (kind_ == nullptr) return;
    if (kind_->relocate != nullptr) {
      kind_->relocate(room_, other.room_);
    } else {
      std::memcpy(room_, other.room_, kInline);
    }
  }

  const Kind* kind_ = nullptr;
  alignas(void*) std::byte room_[kInline];
};

}  // namespace tidemill::engine
