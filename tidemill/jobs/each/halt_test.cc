#include "tidemill/jobs/each/halt.h"

#include <gtest/gtest.h>

namespace tidemill::each {
namespace {

using Manner = HaltRule::Manner;

TEST(Halt, ParsesRulesAndRejectsInvalidInput) {
  EXPECT_EQ(HaltRule::parse("never"), HaltRule{});
  EXPECT_EQ(HaltRule::parse("soon"), (HaltRule{.manner = Manner::soon}));
  EXPECT_EQ(HaltRule::parse("now,fail=3"), (HaltRule{.manner = Manner::now, .failures = 3}));
  EXPECT_EQ(HaltRule::parse("soon,fail=2.5%"), (HaltRule{.manner = Manner::soon, .percent = 2.5}));
  for (const char* bad : {"", "later", "never,fail=1", "now,", "now,fail=", "now,fail=0",
                          "now,fail=1.5", "now,fail=-1", "now,fail=0%", "now,fail=101%",
                          "now,fail=3x", "now,done=1", "now,fail=nan"}) {
    EXPECT_FALSE(HaltRule::parse(bad)) << bad;
  }
}

TEST(Halt, CountsFailures) {
  const HaltRule rule{.manner = Manner::now, .failures = 3};
  EXPECT_EQ(rule.decide(2, 1'000, 2), Manner::never);
  EXPECT_EQ(rule.decide(3, 3, 3), Manner::now);
  EXPECT_EQ(HaltRule{}.decide(1'000, 1'000, 1'000), Manner::never);
}

TEST(Halt, APercentageNeedsAFewFailuresFirst) {
  const HaltRule rule{.manner = Manner::soon, .percent = 10};
  EXPECT_EQ(rule.decide(2, 2, 2), Manner::never);
  EXPECT_EQ(rule.decide(3, 30, 3), Manner::never);
  EXPECT_EQ(rule.decide(3, 29, 3), Manner::soon);
}

TEST(Halt, TooManyDeadLettersHaltTheRunSoon) {
  const HaltRule rule{.max_letters = 5};
  EXPECT_EQ(rule.decide(1, 10, 4), Manner::never);
  EXPECT_EQ(rule.decide(1, 10, 5), Manner::soon);
}

}  // namespace
}  // namespace tidemill::each
