// RequestGate: decides whether a request may be sent to a host now. It combines a circuit breaker
// for the host, a rate limiter for each named endpoint and one shared by all others, and the pauses
// that the server itself requests (429).
//
// Nothing blocks here: a request that may not be sent gets a Failure with Cure::later and the time
// after which to ask again, so that its worker is free. Requests that a limiter defers get
// staggered times, so that they do not all come back for one token.
//
// A step of several requests must not be deferred at its second request and start over: the first
// request of the next step would take the token that it waits for, and no step would ever finish.
// So a step that makes several requests acquires the tightest rate limit first, and once it has
// begun, its requests take precedence over steps that have not.
//
// A limit of N per minute holds however the server counts its minutes: at most N requests in any 60
// seconds, and a restarted process does not begin with a full bucket.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/breaker.h"
#include "tidemill/engine/limiter.h"

namespace tidemill::http {

struct GateOptions {
  std::string host{};  // for messages
  engine::BreakerOptions breaker{};
  double per_minute = 1'000;  // shared by all endpoints that are not named below
  std::map<std::string, double, std::less<>> endpoints{};

  [[nodiscard]] Result<void> check() const;
};

// A limiter that never allows more than `per_minute` tokens in any minute.
[[nodiscard]] engine::LimiterOptions limiter_of(double per_minute);

// Called without a lock held, when the breaker opens (with the duration) and when it closes again.
struct GateObserver {
  std::function<void(Instant::duration)> on_open{};
  std::function<void()> on_close{};
};

// Thread-safe.
class RequestGate {
 public:
  enum class Outcome : std::uint8_t {
    ok,       // the server responded, with any status that is not a server error
    failed,   // no response, or is_server_error()
    unknown,  // the client stopped waiting
  };

  enum class Claim : std::uint8_t {
    queued,            // a deferred request gets a time after the others
    step_in_progress,  // of a step that has begun: the next token, before those in the line
    acquired,          // its token was acquired earlier, by acquire()
  };

  struct [[nodiscard]] Pass {
    engine::Breaker::Permit permit{};
  };

  explicit RequestGate(GateOptions options, GateObserver observer = {});  // must pass check()

  [[nodiscard]] Result<Pass> enter(std::string_view endpoint, Instant now,
                                   Claim claim = Claim::queued);
  // Takes only the token, for a request that is made later with Claim::acquired.
  [[nodiscard]] Result<void> acquire(std::string_view endpoint, Instant now);
  // Call once for each Pass.
  void leave(const Pass& pass, Outcome outcome, Instant now);
  // The server asked for fewer requests to this endpoint: none is allowed before `until`. For an
  // endpoint that is not named, this applies to all that are not.
  void pause(std::string_view endpoint, Instant until);

  RequestGate(const RequestGate&) = delete;
  RequestGate& operator=(const RequestGate&) = delete;
  ~RequestGate();

  [[nodiscard]] engine::Breaker::State state();

 private:
  struct Shared;

  [[nodiscard]] Result<void> take_token(Shared& shared, std::string_view endpoint, Instant now,
                                        Claim claim) const;

  const GateOptions options_;
  const GateObserver observer_;
  Guarded<std::unique_ptr<Shared>> shared_;
};

}  // namespace tidemill::http
