#include "tidemill/engine/retry_policy.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/base/dice.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
using Delay = RetryPolicy::Delay;

constexpr double kAlmostOne = 0x1.fffffffffffffp-1;  // the largest possible draw

const Failure busy{.cure = Cure::retry, .step = "insert", .reason = "database is locked"};

Failure wishing(Delay not_before) {
  Failure failure = busy;
  failure.not_before = not_before;
  return failure;
}

// Any double, with extreme values as likely as the others.
rc::Gen<double> any_factor() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return rc::gen::oneOf(rc::gen::arbitrary<double>(),
                        rc::gen::element(0.0, -1.0, 0.5, 1.0, 2.0, 1e300, 1e-300, kInfinity,
                                         -kInfinity, std::numeric_limits<double>::quiet_NaN()));
}

rc::Gen<Delay> any_delay() {
  return rc::gen::map(
      rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(),
                     rc::gen::element<std::int64_t>(0, 1, 200, 30'000, -1, Delay::min().count(),
                                                    Delay::max().count())),
      [](std::int64_t count) { return Delay(count); });
}

rc::Gen<int> any_attempt() {
  return rc::gen::oneOf(rc::gen::inRange(1, 100), rc::gen::arbitrary<int>(),
                        rc::gen::element(1, 1'000'000'000, std::numeric_limits<int>::min(),
                                         std::numeric_limits<int>::max() - 1));
}

rc::Gen<double> any_draw() {
  return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                      [](std::uint64_t seed) { return SeededDice(seed).draw(); });
}

TEST(RetryPolicy, TheCeilingGrowsByTheFactorUpToTheCap) {
  const RetryPolicy policy{.max_attempts = 9, .first_delay = 100ms, .max_delay = 1s};
  EXPECT_EQ(policy.ceiling(1), 100ms);
  EXPECT_EQ(policy.ceiling(2), 200ms);
  EXPECT_EQ(policy.ceiling(4), 800ms);
  EXPECT_EQ(policy.ceiling(5), 1s);
  EXPECT_EQ(policy.after(busy, 2, 0.5), 100ms);
}

TEST(RetryPolicy, TheSmallestDrawGivesNoDelayAndTheLargestTheFullCeiling) {
  EXPECT_EQ(RetryPolicy{}.after(busy, 1, 0.0), 0ms);
  EXPECT_EQ(RetryPolicy{}.after(busy, 1, kAlmostOne), 200ms);
}

TEST(RetryPolicy, ANanFactorRaisesTheCeilingToTheCap) {
  EXPECT_EQ(RetryPolicy{.factor = std::numeric_limits<double>::quiet_NaN()}.ceiling(2), 30s);
}

TEST(RetryPolicy, StopsAtTheLastAttempt) {
  const RetryPolicy policy{.max_attempts = 3};
  EXPECT_TRUE(policy.after(busy, 2, 0.5));
  EXPECT_FALSE(policy.after(busy, 3, 0.5));
  EXPECT_FALSE(policy.after(busy, 4, 0.5));
  EXPECT_FALSE(RetryPolicy::never().after(busy, 1, 0.5));
}

TEST(RetryPolicy, RetriesTransientAndPartialFailuresButNotPermanentFailures) {
  EXPECT_TRUE(RetryPolicy{}.after(Failure{.cure = Cure::retry}, 1, 0.5));
  EXPECT_TRUE(RetryPolicy{}.after(Failure{.cure = Cure::resume}, 1, 0.5));
  EXPECT_FALSE(RetryPolicy{}.after(Failure{.cure = Cure::give_up}, 1, 0.5));
}

TEST(RetryPolicy, RetryAfterIsALowerBoundThatTheCapDoesNotShorten) {
  EXPECT_EQ(RetryPolicy{}.after(wishing(90s), 1, 0.5), 90s);
  EXPECT_EQ(RetryPolicy{}.after(wishing(50ms), 1, 0.5), 100ms);
}

TEST(RetryPolicy, ADeferralUsesItsOwnDelayWhateverTheAttempt) {
  const auto deferred = [](Delay wish) { return Failure{.cure = Cure::later, .not_before = wish}; };
  for (const int attempt : {1, 4, 1'000}) {
    EXPECT_EQ(RetryPolicy{}.after(deferred(90s), attempt, 0.5), 90s);
    EXPECT_EQ(RetryPolicy::never().after(deferred(0s), attempt, 0.5), 0s);
  }
  EXPECT_EQ(RetryPolicy{}.after(deferred(Delay::max()), 1, 0.5), RetryPolicy::kLongest);
  EXPECT_EQ(RetryPolicy{}.after(deferred(Delay::min()), 1, 0.5), 0s);
}

TEST(RetryPolicy, LimitsAHugeRetryAfterToTheLongestDelay) {
  EXPECT_EQ(RetryPolicy{}.after(wishing(Delay::max()), 1, 0.5), RetryPolicy::kLongest);
}

TEST(RetryPolicy, MeanOverManyDrawsIsHalfTheCeiling) {
  const RetryPolicy policy{.max_attempts = 100, .first_delay = 1s, .max_delay = 60s};
  SeededDice dice(7);
  for (const int attempt : {1, 3, 50}) {
    constexpr int kDraws = 20'000;
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
      sum += static_cast<double>(policy.after(busy, attempt, dice.draw())->count());
    }
    const double half = static_cast<double>(policy.ceiling(attempt).count()) / 2;
    EXPECT_NEAR(sum / kDraws, half, half * 0.02) << "attempt " << attempt;
  }
}

RC_GTEST_PROP(RetryPolicy, EveryDelayIsBetweenZeroAndTheCap, ()) {
  const RetryPolicy policy{.max_attempts = std::numeric_limits<int>::max(),
                           .first_delay = *any_delay(),
                           .max_delay = *any_delay(),
                           .factor = *any_factor()};
  const int attempt = *any_attempt();
  const auto delay = policy.after(busy, attempt, *any_draw());
  RC_ASSERT(delay.has_value());
  RC_ASSERT(*delay >= Delay(0));
  RC_ASSERT(*delay <= policy.ceiling(attempt));
  RC_ASSERT(*delay <= std::max(policy.max_delay, Delay(0)));
  RC_ASSERT(*delay <= RetryPolicy::kLongest);
}

RC_GTEST_PROP(RetryPolicy, NeverShortensARetryAfter, ()) {
  const Delay wish(*rc::gen::inRange<std::int64_t>(0, RetryPolicy::kLongest.count()));
  const auto delay = RetryPolicy{}.after(wishing(wish), 1, *any_draw());
  RC_ASSERT(delay.has_value());
  RC_ASSERT(*delay >= wish);
}

RC_GTEST_PROP(RetryPolicy, TheCeilingNeverShrinksWithTheAttempts, ()) {
  const RetryPolicy policy{.first_delay = Delay(*rc::gen::inRange<std::int64_t>(0, 1'000'000)),
                           .max_delay = Delay(*rc::gen::inRange<std::int64_t>(0, 100'000'000)),
                           .factor = 1.0 + static_cast<double>(*rc::gen::inRange(0, 1'000)) / 100};
  const int attempt = *rc::gen::inRange(1, 1'000'000'000);
  RC_ASSERT(policy.ceiling(attempt) <= policy.ceiling(attempt + 1));
}

TEST(RetryPolicy, CheckNamesTheInvalidField) {
  EXPECT_TRUE(RetryPolicy{}.check());
  EXPECT_TRUE(RetryPolicy::never().check());
  EXPECT_TRUE((RetryPolicy{.first_delay = 0ms, .max_delay = 0ms, .factor = 0.5}.check()));

  const auto reason = [](const RetryPolicy& policy) {
    const auto result = policy.check();
    return result ? std::string("fine") : result.error().reason;
  };
  EXPECT_TRUE(reason({.max_attempts = 0}).contains("max_attempts"));
  EXPECT_TRUE(reason({.first_delay = -1ms}).contains("first_delay"));
  EXPECT_TRUE(reason({.max_delay = -1ms}).contains("max_delay"));
  EXPECT_TRUE(reason({.factor = 0.0}).contains("factor"));
  EXPECT_TRUE(reason({.factor = std::numeric_limits<double>::infinity()}).contains("factor"));
  EXPECT_TRUE(reason({.factor = std::numeric_limits<double>::quiet_NaN()}).contains("factor"));
}

TEST(RetryPolicy, IsComparedFieldByField) {
  EXPECT_EQ(RetryPolicy{}, RetryPolicy{});
  EXPECT_NE(RetryPolicy{}, RetryPolicy{.factor = 3.0});
  EXPECT_NE(RetryPolicy{}, RetryPolicy::never());
}

}  // namespace
}  // namespace tidemill::engine
