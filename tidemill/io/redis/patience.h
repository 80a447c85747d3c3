// Patience: how long one call may take, and who may end it. Every wait of a call goes through it.
//
// A wait ends when what it waits for is there, when the deadline has come (Cure::retry), or when
// the token says stop (Cure::resume). A wait looks at the clock about twenty times a second, so a
// clock that is moved by hand counts too.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::redis {

// One thread.
class Patience {
 public:
  // The bell, an eventfd or none, is rung by the token; it may still ring from an earlier call.
  Patience(const Clock& clock, std::chrono::milliseconds timeout, const std::stop_token& stop,
           int bell);
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  // For one of several tries of the same call: a part of what is left.
  class Share {
   public:
    Share(Patience& owner, std::size_t parts);
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { owner_.until_ = whole_; }

   private:
    Patience& owner_;
    Instant whole_;
  };

  // The events (as of poll) that are there.
  [[nodiscard]] Result<short> wait(int descriptor, short events) const;
  // A failure when there is none left.
  [[nodiscard]] Result<void> check() const;

  [[nodiscard]] Instant until() const { return until_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }

 private:
  const Clock& clock_;
  std::chrono::milliseconds timeout_;
  Instant until_;
  const std::stop_token& stop_;
  int bell_;
  std::optional<std::stop_callback<std::function<void()>>> ringer_{};
};

// With the step of this module.
[[nodiscard]] inline std::unexpected<Failure> fail(Cure cure, std::string reason) {
  return tidemill::fail(cure, "redis", std::move(reason));
}
[[nodiscard]] inline std::unexpected<Failure> fail(Cure cure, FailureKind kind,
                                                   std::string reason) {
  return tidemill::fail(cure, kind, "redis", std::move(reason));
}
[[nodiscard]] inline std::unexpected<Failure> fail_stopped() {
  return fail(Cure::resume, "stopped by the user");
}
// "connect: Connection refused".
[[nodiscard]] std::unexpected<Failure> fail_errno(std::string_view what, int error);

}  // namespace tidemill::redis
