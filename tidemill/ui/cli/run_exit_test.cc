#include "tidemill/ui/cli/run_exit.h"

#include <gtest/gtest.h>

#include <csignal>

#include "tidemill/ui/cli/exit_code.h"

namespace tidemill::cli {
namespace {

TEST(RunExit, IsZeroOnlyWhenNothingIsLeft) {
  for (const std::string_view ending :
       {run::kComplete, run::kInterrupted, run::kRunning, std::string_view("other")}) {
    EXPECT_EQ(exit_code_of(RunStanding{.ending = ending, .has_work_left = true}), kFailed)
        << ending;
    EXPECT_EQ(exit_code_of(RunStanding{.ending = ending}), kDone) << ending;
    EXPECT_EQ(exit_code_of(RunStanding{.ending = ending, .has_failures = true}), kSomeFailed);
  }
  EXPECT_EQ(exit_code_of(RunStanding{.ending = run::kHalted}), kFailed);
  EXPECT_EQ(exit_code_of(RunStanding{.ending = run::kFailed}), kFailed);
  EXPECT_EQ(exit_code_of(RunStanding{.ending = run::kComplete, .has_cause = true}), kFailed);
}

TEST(RunExit, ReportsTheSignalOnlyForAnInterruptedRun) {
  RunStanding standing{.ending = run::kInterrupted, .has_work_left = true, .signal = SIGTERM};
  EXPECT_EQ(exit_code_of(standing), kTerminated);
  standing.ending = run::kComplete;
  EXPECT_EQ(exit_code_of(standing), kFailed);
}

TEST(ExitCode, DependsOnTheKindOfAFailureAndNotOnItsText) {
  const auto code = [](FailureKind kind) { return exit_code_of(Failure{.kind = kind}); };
  EXPECT_EQ(code(FailureKind::usage), kUsage);
  EXPECT_EQ(code(FailureKind::held), kHeldElsewhere);
  EXPECT_EQ(code(FailureKind::superseded), kHeldElsewhere);
  EXPECT_EQ(code(FailureKind::closed), kReaderGone);
  EXPECT_EQ(code(FailureKind::busy), kFailed);
  EXPECT_EQ(exit_code_of(Failure{.step = "usage"}), kFailed);
  EXPECT_EQ(exit_code_of(Failure{.step = "lock"}), kFailed);
}

}  // namespace
}  // namespace tidemill::cli
