// Gate: decides whether a request may go to a host now. A breaker for the host, a limiter for each
// endpoint that is named and one for all the others together, and the server's own word when it
// said "too many".
//
// Nobody waits here: who may not pass gets a Failure with Cure::later and the time after which
// asking again is of use, and its worker is free. Those who are turned away by a limiter get
// different times, one behind the other, so that they do not all come back for one token.
//
// A step of several requests must not be sent back at its second one and begin anew: the first of
// the next would take the token that it waits for, and nobody would ever come to an end. So a step
// takes its turn at the scarcest endpoint first, and when it has begun, its requests go before
// those who only begin.
//
// A limit of N a minute is kept however the server counts its minutes: at most N requests in any 60
// seconds, and a process that starts again does not begin with a full bucket.
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
  std::string host{};  // for what people read
  engine::BreakerOptions breaker{};
  double per_minute = 1'000;  // of all endpoints together that are not named below
  std::map<std::string, double, std::less<>> endpoints{};

  [[nodiscard]] Result<void> check() const;
};

// So many tokens a minute, and not one more in any minute.
[[nodiscard]] engine::LimiterOptions limiter_of(double per_minute);

// Called without a lock held, when the breaker opens (with how long) and when it closes again.
struct GateObserver {
  std::function<void(Instant::duration)> on_open{};
  std::function<void()> on_close{};
};

// Thread-safe.
class Gate {
 public:
  enum class Outcome : std::uint8_t {
    well,     // the server answered: it is alive, whatever it said
    trouble,  // it did not, or is_trouble()
    unknown,  // we stopped waiting ourselves
  };

  enum class Claim : std::uint8_t {
    line,    // who is turned away gets a place behind the others
    within,  // of a step that has begun: the next token, before those in the line
    turn,    // its token was taken before, by take_turn()
  };

  struct [[nodiscard]] Pass {
    engine::Breaker::Permit permit{};
  };

  explicit Gate(GateOptions options, GateObserver observer = {});  // as check() accepts them

  [[nodiscard]] Result<Pass> enter(std::string_view endpoint, Instant now,
                                   Claim claim = Claim::line);
  // The token alone, for a request that is made later with Claim::turn.
  [[nodiscard]] Result<void> take_turn(std::string_view endpoint, Instant now);
  // Once for each pass.
  void leave(const Pass& pass, Outcome outcome, Instant now);
  // The server said that this endpoint had enough: nobody passes before. One that is not named
  // speaks for all that are not.
  void pause(std::string_view endpoint, Instant until);

  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();

  [[nodiscard]] engine::Breaker::State state();

 private:
  struct Inside;

  [[nodiscard]] Result<void> take_token(Inside& inside, std::string_view endpoint, Instant now,
                                        Claim claim) const;

  const GateOptions options_;
  const GateObserver observer_;
  Guarded<std::unique_ptr<Inside>> inside_;
};

}  // namespace tidemill::http
