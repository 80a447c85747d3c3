// Limiter: a token bucket, with which all workers of a pool together keep a peer's rate limit.
//
// In any window of length T it hands out at most burst + per_second × T tokens, whatever the order
// of the calls; and a caller that always asks in time gets the full rate, without drift. Nothing
// can fail; check() finds invalid options.
//
// The bucket is one number (the generic cell rate algorithm): the instant from which the next token
// may be taken. A take moves it forward by one interval; after a long pause it is at most burst - 1
// intervals behind now. Its unit is 2^-32 ns, because 1/3 s is not a whole number of nanoseconds
// and rounding would lose up to a thousandth of the rate at 10^6/s.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"

namespace tidemill::engine {

struct LimiterOptions {
  double per_second = std::numeric_limits<double>::infinity();  // infinity: no limit
  int burst = 1;  // tokens in a full bucket; it starts full

  static constexpr LimiterOptions unlimited() { return {}; }

  [[nodiscard]] Result<void> check() const;
  bool operator==(const LimiterOptions&) const = default;
};

// One thread: the owner locks it.
class Limiter {
 public:
  explicit Limiter(LimiterOptions options);  // must pass check()

  // Zero: a token was taken. Otherwise none was; try again after the returned time. The caller gets
  // no place in a queue: the priorities decide which task is next.
  [[nodiscard]] Instant::duration take(Instant now) {
    const Fine at = fine(now);
    if (next_ > at) return Instant::duration(static_cast<Instant::rep>((next_ - at + kRest) >> 32));
    next_ = std::max(next_, at - slack_) + interval_;
    return Instant::duration(0);
  }

 private:
  __extension__ typedef __int128 Fine;  // time in 2^-32 ns
  static constexpr Fine kRest = 0xffffffff;

  static Fine fine(Instant now) { return Fine{now.time_since_epoch().count()} * (kRest + 1); }
  static Fine interval_of(double per_second);

  Fine interval_;                  // between two tokens; zero when there is no limit
  Fine slack_;                     // how far next_ may stay behind now: a full bucket
  Fine next_ = -(Fine{1} << 120);  // far in the past: full
};

}  // namespace tidemill::engine
