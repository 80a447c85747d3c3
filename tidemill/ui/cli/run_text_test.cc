#include "tidemill/ui/cli/run_text.h"

#include <gtest/gtest.h>

namespace tidemill::cli {
namespace {

using run::LockHolder;
using std::chrono::milliseconds;
using Words = std::vector<std::string>;

TEST(RunText, ARunThatNobodyHoldsHasCrashed) {
  EXPECT_EQ(state_of("running", true, true), "running");
  EXPECT_EQ(state_of("running", false, true), "crashed");
  EXPECT_EQ(state_of("interrupted", false, true), "interrupted");
  EXPECT_EQ(state_of("complete", true, false), "complete");
}

TEST(RunText, ACompleteRunWithSomethingLeftIsIncomplete) {
  EXPECT_EQ(state_of("complete", false, true), "incomplete");
  EXPECT_EQ(state_of("complete", false, false), "complete");
}

TEST(RunText, OnlyARunningRunNamesItsProcess) {
  EXPECT_EQ(state_text("running", LockHolder{.process = 4711}), "running (pid 4711)");
  EXPECT_EQ(state_text("running", LockHolder{}), "running");
  EXPECT_EQ(state_text("complete", LockHolder{.process = 4711}), "complete");
}

TEST(RunText, FlagsWithTheirUsualValueAreLeftOut) {
  const command::Program program{
      .flags = {{.name = "color", .fallback = "auto"}},
      .verbs = {{.name = "each",
                 .flags = {{.name = "order", .fallback = "found"}, {.name = "workers"}}}}};
  const run::RunCard card{.job = "each",
                          .arguments = {"--order=found", "--workers=", "--color=auto", "root", "--",
                                        "ls", "--order=found"}};
  EXPECT_EQ(chosen_arguments(card, program),
            (Words{"--workers=", "root", "--", "ls", "--order=found"}));
  EXPECT_EQ(chosen_arguments({.job = "other", .arguments = {"--order=found"}}, program),
            (Words{"--order=found"}));
}

TEST(RunText, TimesAreWrittenInUtcForPrograms) {
  const WallTime time(milliseconds(1'794'803'467'250));
  EXPECT_EQ(rfc3339(time), "2026-11-16T04:31:07.250Z");
  EXPECT_EQ(utc_date(time), "2026-11-16");
  EXPECT_EQ(rfc3339(WallTime(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(RunText, LocalTimesAreOfTheSameMinute) {
  const WallTime time(milliseconds(1'794'803'467'250));
  EXPECT_EQ(local_minute(time) + ":07", local_second(time));
  EXPECT_EQ(local_minute(time).size(), std::string("2026-11-15 04:31").size());
}

}  // namespace
}  // namespace tidemill::cli
