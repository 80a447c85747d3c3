#include "tidemill/jobs/each/command/exit_rules.h"

#include <csignal>

#include <gtest/gtest.h>

namespace tidemill::each {
namespace {

using Kind = ExitRule::Kind;

Cure cure_of(const ProcessEnd& ending, const ExitRules& rules = {}) {
  const auto judged = judge(ending, rules);
  EXPECT_FALSE(judged);
  return judged ? Cure::resume : judged.error().cure;
}

TEST(ExitRulesTest, OnlyExitStatusZeroIsDone) {
  EXPECT_TRUE(judge({}, {}));
  EXPECT_FALSE(judge({.status = 1}, {}));
  EXPECT_FALSE(judge({.signal = SIGKILL}, {}));
  EXPECT_FALSE(judge({.timed_out = true}, {}));
}

TEST(ExitRulesTest, RetriesOnlyTempfailAndTimeoutsWithoutRules) {
  EXPECT_EQ(cure_of({.status = 75}), Cure::retry);
  EXPECT_EQ(cure_of({.signal = SIGTERM, .timed_out = true}), Cure::retry);
  EXPECT_EQ(cure_of({.status = 1}), Cure::give_up);
  EXPECT_EQ(cure_of({.status = 74}), Cure::give_up);
  EXPECT_EQ(cure_of({.signal = SIGSEGV}), Cure::give_up);
}

TEST(ExitRulesTest, AppliesRulesAndPermanentOverridesRetry) {
  const ExitRules rules{.retry_on = ending_rules("1,100-110,KILL").value(),
                        .permanent_on = ending_rules("75,105,timeout").value()};
  EXPECT_EQ(cure_of({.status = 1}, rules), Cure::retry);
  EXPECT_EQ(cure_of({.status = 100}, rules), Cure::retry);
  EXPECT_EQ(cure_of({.status = 110}, rules), Cure::retry);
  EXPECT_EQ(cure_of({.status = 111}, rules), Cure::give_up);
  EXPECT_EQ(cure_of({.status = 105}, rules), Cure::give_up);
  EXPECT_EQ(cure_of({.status = 75}, rules), Cure::give_up);
  EXPECT_EQ(cure_of({.signal = SIGKILL}, rules), Cure::retry);
  EXPECT_EQ(cure_of({.signal = SIGTERM}, rules), Cure::give_up);
  EXPECT_EQ(cure_of({.signal = SIGKILL, .timed_out = true}, rules), Cure::give_up);
  EXPECT_EQ(cure_of({.status = 9}, {.retry_on = ending_rules("any").value()}), Cure::retry);
}

TEST(ExitRulesTest, TheReasonSaysWhatHappened) {
  EXPECT_EQ(judge({.status = 3}, {}).error().reason, "exit status 3");
  EXPECT_EQ(judge({.signal = SIGSEGV}, {}).error().reason, "killed by signal SEGV");
  EXPECT_EQ(judge({.signal = 63}, {}).error().reason, "killed by signal 63");
  EXPECT_EQ(judge({.timed_out = true}, {.timeout = std::chrono::milliseconds(1500)}).error().reason,
            "timed out after 1.5 s");
}

TEST(ExitRulesTest, ParsesRulesAndRejectsInvalidInput) {
  EXPECT_EQ(ending_rules("SIGKILL"), ending_rules("kill"));
  EXPECT_EQ(ending_rules("7,timeout"),
            (std::vector<ExitRule>{{Kind::status, 7, 7}, {.kind = Kind::timeout}}));
  EXPECT_EQ(ending_rules(""), std::vector<ExitRule>{});
  for (const char* wrong : {"0", "256", "9-3", "x", "1,,2", "-1", "1-", "SIG", "75 "}) {
    EXPECT_FALSE(ending_rules(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace tidemill::each
