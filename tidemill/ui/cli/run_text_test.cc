#include "tidemill/ui/cli/run_text.h"

#include <gtest/gtest.h>

namespace tidemill::cli {
namespace {

using run::LockHolder;
using std::chrono::milliseconds;
using Words = std::vector<std::string>;

TEST(RunText, ARunningRunWithoutALockHolderHasCrashed) {
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

TEST(RunText, OmitsFlagsWithTheirDefaultValue) {
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

TEST(RunText, ACommandThatIsTooWideLosesItsFlagsFirst) {
  const command::Program program{.flags = {{.name = "quiet"}, {.name = "color"}},
                                 .verbs = {{.name = "each", .flags = {{.name = "jobs"}}}}};
  const run::RunCard card{
      .job = "each",
      .arguments = {"--jobs=2", "--quiet", "--color=never", "in", "--", "wc", "--quiet"}};
  EXPECT_EQ(command_text(card, program, std::nullopt), "each --jobs=2 in -- wc --quiet");
  EXPECT_EQ(command_text(card, program, 30), "each --jobs=2 in -- wc --quiet");
  EXPECT_EQ(command_text(card, program, 29), "each in -- wc --quiet …");
  EXPECT_EQ(command_text(card, program, 15), "each in -- wc …");
  EXPECT_EQ(command_text(card, program, 12), "each in -- …");
  EXPECT_EQ(command_text({.job = "other", .arguments = {"a b"}}, program, 40), "other 'a b'");
}

TEST(RunText, AnAgeHasOneUnit) {
  using namespace std::chrono_literals;
  const WallTime now(milliseconds(1'794'803'467'250));
  EXPECT_EQ(age_text(now, now), "0s");
  EXPECT_EQ(age_text(now - 59'999ms, now), "59s");
  EXPECT_EQ(age_text(now - 1min, now), "1m");
  EXPECT_EQ(age_text(now - 3min - 50s, now), "3m");
  EXPECT_EQ(age_text(now - 60min, now), "1h");
  EXPECT_EQ(age_text(now - 23h - 59min, now), "23h");
  EXPECT_EQ(age_text(now - 24h, now), "1d");
  EXPECT_EQ(age_text(now - 24h * 729, now), "729d");
  EXPECT_EQ(age_text(now - 24h * 800, now), "2y");
  EXPECT_EQ(age_text(now + 1h, now), "0s");  // the clock was put back
}

TEST(RunText, ALongTextIsCutAtItsEnd) {
  EXPECT_EQ(cut_text("each in -- cat", 14), "each in -- cat");
  EXPECT_EQ(cut_text("each in -- cat", 13), "each in -- c…");
  EXPECT_EQ(cut_text("größe", 4), "grö…");
  EXPECT_EQ(cut_text("日本語", 5), "日本…");  // two columns each
  EXPECT_EQ(cut_text("日本語", 4), "日…");
  EXPECT_EQ(cut_text("each", 1), "…");
  EXPECT_EQ(cut_text("each", 0), "");
}

TEST(RunText, TimesAreWrittenInUtcForPrograms) {
  const WallTime time(milliseconds(1'794'803'467'250));
  EXPECT_EQ(rfc3339(time), "2026-11-16T04:31:07.250Z");
  EXPECT_EQ(utc_date(time), "2026-11-16");
  EXPECT_EQ(rfc3339(WallTime(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(RunText, LocalMinuteAndLocalSecondAgree) {
  const WallTime time(milliseconds(1'794'803'467'250));
  EXPECT_EQ(local_minute(time) + ":07", local_second(time));
  EXPECT_EQ(local_minute(time).size(), std::string("2026-11-15 04:31").size());
}

}  // namespace
}  // namespace tidemill::cli
