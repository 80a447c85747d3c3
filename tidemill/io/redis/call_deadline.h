// CallDeadline: the time limit and the stop token of one call. Every wait of a call goes through
// it.
//
// A wait ends on the event it waits for, at the deadline (Cure::retry), or on a stop
// (Cure::resume). It checks the clock about twenty times a second, so that a fake clock works too.
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
class CallDeadline {
 public:
  // A stop signals the bell, an eventfd or -1; it may still be signalled from an earlier call.
  CallDeadline(const Clock& clock, std::chrono::milliseconds timeout, const std::stop_token& stop,
               int bell);
  CallDeadline(const CallDeadline&) = delete;
  CallDeadline& operator=(const CallDeadline&) = delete;

  // Limits one of several attempts of the same call to a share of the time left.
  class Share {
   public:
    Share(CallDeadline& owner, std::size_t parts);
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { owner_.until_ = whole_; }

   private:
    CallDeadline& owner_;
    Instant whole_;
  };

  // Returns the events that occurred, as poll() does.
  [[nodiscard]] Result<short> wait(int descriptor, short events) const;
  // Fails after the deadline or a stop.
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

// Failures with the step "redis".
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
