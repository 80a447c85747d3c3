// Limiter: a token bucket, so that a peer's rate limit is kept by all workers of a pool together.
//
// Over any window of length T at most burst + per_second × T tokens are handed out, exactly: not
// one more, whatever the order of the calls; and a caller who always asks in time gets the whole
// rate, with no drift. Nothing can fail; nonsense in the options is found by check().
//
// The bucket is one number (the generic cell rate algorithm): the moment from which the next token
// may be taken. A take moves it on by one interval; a long silence leaves it at most burst - 1
// intervals behind now. It is kept in units of 2^-32 ns, because 1/3 s is not a whole number of
// nanoseconds and rounding would lose up to a thousandth of the rate at 10^6/s.
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

// One thread: the owner guards it.
class Limiter {
 public:
  explicit Limiter(LimiterOptions options);  // as check() accepts them

  // Zero: a token was taken. Otherwise none was, and asking again is of use after this long. The
  // caller gets no place in a line: who goes next is for the priorities to decide.
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
