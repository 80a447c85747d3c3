#include "tidemill/engine/limiter.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
using Wait = Instant::duration;

constexpr Instant kStart{1000h};

// rapidcheck starts with small values; an event must be as likely in the first case as in the last.
template <class T>
T pick(T from, T to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, to));
}

// 0.1/s to 10^6/s, each order of magnitude as likely as the others.
double any_rate() { return std::pow(10.0, static_cast<double>(pick(0, 7'001)) / 1000 - 1); }

// Whether `rate` yields that many tokens in `length` ns. Only the product is rounded, and this
// cannot turn true into false: the value that it is compared with is exact.
bool is_earned(int tokens, double rate, std::int64_t length) {
  return tokens * 1e9L <= static_cast<long double>(rate) * static_cast<long double>(length);
}

int takes_at_once(Limiter& limiter, Instant now, int at_most) {
  int takes = 0;
  while (takes < at_most && limiter.take(now) == Wait(0)) ++takes;
  return takes;
}

TEST(Limiter, AFullBucketGivesTheBurstAtOnceAndThenOneToken) {
  Limiter limiter({.per_second = 10, .burst = 3});
  EXPECT_EQ(takes_at_once(limiter, kStart, 100), 3);
  EXPECT_EQ(limiter.take(kStart), 100ms);
  EXPECT_EQ(takes_at_once(limiter, kStart + 100ms, 100), 1);
}

TEST(Limiter, ReturnsTheExactWaitUntilTheNextToken) {
  Limiter limiter({.per_second = 3, .burst = 1});
  ASSERT_EQ(limiter.take(kStart), 0ns);
  const Wait wait = limiter.take(kStart);
  EXPECT_EQ(wait, 333'333'334ns);  // rounded up
  EXPECT_EQ(limiter.take(kStart + wait - 1ns), 1ns);
  EXPECT_EQ(limiter.take(kStart + wait), 0ns);
}

TEST(Limiter, ARefusedTakeConsumesNothing) {
  Limiter limiter({.per_second = 1, .burst = 1});
  ASSERT_EQ(limiter.take(kStart), 0ns);
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(limiter.take(kStart + 400ms), 600ms);
  EXPECT_EQ(limiter.take(kStart + 1s), 0ns);
}

TEST(Limiter, ALongIdleTimeFillsTheBucketOnlyToTheBurst) {
  Limiter limiter({.per_second = 1'000, .burst = 5});
  ASSERT_EQ(takes_at_once(limiter, kStart, 100), 5);
  EXPECT_EQ(takes_at_once(limiter, kStart + std::chrono::years(100), 100), 5);
}

TEST(Limiter, HasNoDriftAfterAMillionTakes) {
  constexpr int kTakes = 1'000'000;
  constexpr int kBurst = 10;
  for (const double rate : {0.1, 0.7, 3.0, 7.0, 1'000.0 / 3, 44'100.0, 999'983.0, 1e6}) {
    Limiter limiter({.per_second = rate, .burst = kBurst});
    Instant now = kStart;
    for (int i = 0; i < kTakes; ++i) {
      while (true) {
        const Wait wait = limiter.take(now);
        if (wait == Wait(0)) break;
        now += wait;
      }
    }
    const auto ideal = static_cast<long double>(kTakes - kBurst) * 1e9L / rate;
    EXPECT_NEAR(static_cast<double>((now - kStart).count() - ideal), 0.0, 3.0) << rate << "/s";
  }
}

RC_GTEST_PROP(Limiter, NoWindowHoldsMoreThanBurstPlusRateTimesItsLength, ()) {
  const double rate = any_rate();
  const int burst = pick(1, 20);
  Limiter limiter({.per_second = rate, .burst = burst});
  const auto interval = static_cast<std::int64_t>(1e9 / rate);
  Instant now = kStart;
  std::vector<std::int64_t> taken;
  Wait wait{0};
  for (int i = 0; i < 300; ++i) {
    switch (pick(0, 6)) {
      case 0:
      case 1:
        break;  // no time passes
      case 2:
        now += Wait(pick<std::int64_t>(0, 2 * interval + 2));
        break;
      case 3:
      case 4:
        now += wait;
        break;
      default:
        now += std::chrono::hours(pick(0, 10'000));
    }
    wait = limiter.take(now);
    RC_ASSERT(wait >= Wait(0));
    if (wait == Wait(0)) taken.push_back(now.time_since_epoch().count());
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    for (std::size_t j = i; j < taken.size(); ++j) {
      const int beyond_burst = static_cast<int>(j - i) + 1 - burst;
      RC_ASSERT(is_earned(beyond_burst, rate, taken[j] - taken[i]));
    }
  }
}

// With a rate of p/q, tokens fall on whole nanoseconds or very close to them.
RC_GTEST_PROP(Limiter, NeverGrantsATokenEarlyToAnEagerCaller, ()) {
  const double rate = static_cast<double>(pick(1, 200)) / pick(1, 200);
  Limiter limiter({.per_second = rate, .burst = 1});
  Instant now = kStart;
  for (int takes = 0; takes < 1'000;) {
    const Wait wait = limiter.take(now);
    now += wait;
    if (wait != Wait(0)) continue;
    RC_ASSERT(is_earned(takes, rate, (now - kStart).count()));
    ++takes;
  }
}

RC_GTEST_PROP(Limiter, TheWaitIsExactlyAsLongAsNeeded, ()) {
  const double rate = any_rate();
  Limiter limiter({.per_second = rate, .burst = pick(1, 20)});
  Instant now = kStart;
  for (int i = 0; i < 100; ++i) {
    now += Wait(pick<std::int64_t>(0, static_cast<std::int64_t>(1e9 / rate) + 1));
    const Wait wait = limiter.take(now);
    if (wait == Wait(0)) continue;
    RC_ASSERT(limiter.take(now + wait - 1ns) > Wait(0));
    now += wait;
    RC_ASSERT(limiter.take(now) == Wait(0));
  }
}

TEST(Limiter, UnlimitedNeverWaits) {
  Limiter limiter(LimiterOptions::unlimited());
  EXPECT_EQ(takes_at_once(limiter, kStart, 100'000), 100'000);
  EXPECT_EQ(LimiterOptions{}, LimiterOptions::unlimited());
}

TEST(Limiter, TheSlowestRateAndTheLargestBurstDoNotOverflow) {
  Limiter limiter({.per_second = 1e-9, .burst = std::numeric_limits<int>::max()});
  EXPECT_EQ(takes_at_once(limiter, kStart, 1'000), 1'000);
  Limiter slow({.per_second = 1e-9, .burst = 1});
  EXPECT_EQ(takes_at_once(slow, kStart, 2), 1);
  EXPECT_GT(slow.take(kStart), std::chrono::years(31));
}

TEST(Limiter, CheckNamesTheInvalidField) {
  EXPECT_TRUE(LimiterOptions::unlimited().check());
  EXPECT_TRUE((LimiterOptions{.per_second = 0.1, .burst = 1}.check()));
  const auto reason = [](const LimiterOptions& options) {
    const auto result = options.check();
    return result ? std::string("fine") : result.error().reason;
  };
  EXPECT_TRUE(reason({.per_second = 0}).contains("per_second"));
  EXPECT_TRUE(reason({.per_second = -1}).contains("per_second"));
  EXPECT_TRUE(reason({.per_second = std::nan("")}).contains("per_second"));
  EXPECT_TRUE(reason({.per_second = 1, .burst = 0}).contains("burst"));
}

}  // namespace
}  // namespace tidemill::engine
