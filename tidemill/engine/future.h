// Future<T>: the value of a call that a pool runs; see Pool::async().
//
//   auto size = pool.async([&] { return size_of(path); });    // a Result<std::uint64_t>
//   …
//   LET(const std::uint64_t bytes, size.get());
//
// Every Future gets exactly one answer: the value; the final failure of the task, or what it threw,
// as a Failure; or Cure::retry at "stopped", if the pool did not accept the task, dropped it in a
// stop, or was destroyed. So get() always returns, unless the task never ends.
//
// A task that waits for another task of its own pool could wait for a worker that never becomes
// free. There get() returns Cure::give_up, unless the value is ready. Destroying a Future does not
// cancel the task.
#pragma once

#include <cassert>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

class Executor;
class TaskContext;

// Whether the calling thread is a worker of this executor, which is never dereferenced.
[[nodiscard]] bool is_worker_of(const Executor* executor);
[[nodiscard]] std::unexpected<Failure> not_accepted(Admission answer);

// Shared by a Future and its task. The task writes the outcome, then marks it as ready; from then
// on it belongs to the Future.
template <class T>
class FutureState {
 public:
  explicit FutureState(const Executor* executor) : executor_(executor) {}

  // The task's part, one thread at a time. Only the first answer counts.
  void keep(Result<T> outcome) { outcome_.emplace(std::move(outcome)); }
  void tell() {
    is_ready_.update([](bool& ready) { ready = true; });
  }
  void answer(std::unexpected<Failure> failure) {
    if (is_ready()) return;
    outcome_.emplace(std::move(failure));
    tell();
  }

  // The Future's part.
  [[nodiscard]] bool is_ready() { return *is_ready_.lock(); }
  [[nodiscard]] Result<void> wait(const std::stop_token& stop) {
    if (is_worker_of(executor_) && !is_ready()) {
      return fail(Cure::give_up, "wait", "a task cannot wait for another task of its own pool");
    }
    const std::stop_callback wake(stop, [this] { is_ready_.update([](bool&) {}); });
    auto ready = is_ready_.lock();
    ready.wait([&](bool is_set) { return is_set || stop.stop_requested(); });
    if (*ready) return {};
    return fail(Cure::retry, "stopped", "the wait was stopped before the task had ended");
  }
  [[nodiscard]] Result<T> take() {
    assert(outcome_.has_value());
    return *std::move(outcome_);
  }

 private:
  const Executor* const executor_;
  std::optional<Result<T>> outcome_;
  Guarded<bool> is_ready_{false};
};

// One thread at a time.
template <class T>
class [[nodiscard]] Future {
 public:
  explicit Future(std::shared_ptr<FutureState<T>> state) : state_(std::move(state)) {}
  Future(Future&&) noexcept = default;
  Future& operator=(Future&&) noexcept = default;
  Future(const Future&) = delete;
  Future& operator=(const Future&) = delete;
  ~Future() = default;

  [[nodiscard]] bool is_ready() const { return state_->is_ready(); }

  // Waits for the answer and returns it, once. A wait ended by `stop` returns Cure::retry, and may
  // be repeated.
  [[nodiscard]] Result<T> get(const std::stop_token& stop = {}) {
    assert(state_ != nullptr);
    if (auto waited = state_->wait(stop); !waited) {
      return std::unexpected(std::move(waited).error());
    }
    return std::exchange(state_, nullptr)->take();
  }

 private:
  std::shared_ptr<FutureState<T>> state_;
};

// The T of Future<T> for a call: what it returns, without the Result.
template <class T>
struct Unwrapped {
  using Type = T;
};
template <class T>
struct Unwrapped<Result<T>> {
  using Type = T;
};
template <class Call, bool TakesContext = std::is_invocable_v<Call&, TaskContext&>>
struct Returned {
  using Type = std::invoke_result_t<Call&, TaskContext&>;
};
template <class Call>
struct Returned<Call, false> {
  using Type = std::invoke_result_t<Call&>;
};
template <class Call>
using ValueOf = typename Unwrapped<std::remove_cvref_t<typename Returned<Call>::Type>>::Type;

// The body of the task. If it is destroyed before it was settled, the answer is that it was
// dropped.
template <class T, class Call>
class FutureTask {
 public:
  FutureTask(Call call, std::shared_ptr<FutureState<T>> state)
      : call_(std::move(call)), state_(std::move(state)) {}
  FutureTask(FutureTask&&) noexcept(std::is_nothrow_move_constructible_v<Call>) = default;
  FutureTask(const FutureTask&) = delete;
  FutureTask& operator=(const FutureTask&) = delete;
  FutureTask& operator=(FutureTask&&) = delete;
  ~FutureTask() {
    if (state_ != nullptr) state_->answer(not_accepted(Admission::stopped));
  }

  Result<void> operator()(TaskContext& context) {
    if constexpr (std::is_void_v<typename Returned<Call>::Type>) {
      invoke(context);
      state_->keep({});
    } else {
      Result<T> outcome = invoke(context);
      if (!outcome) return std::unexpected(std::move(outcome).error());
      state_->keep(std::move(outcome));
    }
    return {};
  }

  void settled(const Settlement& settlement) {
    if (settlement.ok()) {
      state_->tell();
    } else {
      state_->answer(std::unexpected(settlement.outcome->error()));
    }
    state_.reset();
  }

 private:
  decltype(auto) invoke(TaskContext& context) {
    if constexpr (std::is_invocable_v<Call&, TaskContext&>) {
      return call_(context);
    } else {
      return call_();
    }
  }

  Call call_;
  std::shared_ptr<FutureState<T>> state_;
};

}  // namespace tidemill::engine
