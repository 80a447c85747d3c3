#include "tidemill/jobs/docs/command/step_tally.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/jobs/docs/command/fake_errand.h"

namespace tidemill::docs {
namespace {

using history::HistoryRow;

std::unexpected<Failure> failed_with(Cure cure, FailureKind kind = FailureKind::other) {
  return std::unexpected(Failure{
      .cure = cure, .kind = kind, .step = "x", .not_before = std::chrono::milliseconds(700)});
}

TEST(StepTally, CountsExecutionsFailuresAndTheTimeToWait) {
  StepTally tally;
  tally.ran("decide", "data");
  tally.ran("decide", failed_with(Cure::later));
  tally.ran("decide", failed_with(Cure::later));
  tally.ran("move", failed_with(Cure::retry));
  tally.ran("move", failed_with(Cure::resume));  // stopped
  const auto part = tally.part();
  ASSERT_EQ(part.rows.size(), plan_rows().size());
  EXPECT_EQ(part.rows[0], (HistoryRow{.label = "decide", .numbers = {1, 1'400, 0}}));
  EXPECT_EQ(part.rows[3], (HistoryRow{.label = "move", .numbers = {1, 0, 1}}));
}

TEST(StepTally, ACommandThatWasWithdrawnIsNotAFailure) {
  StepTally tally;
  tally.ran("decide", failed_with(Cure::give_up, FailureKind::withdrawn));
  tally.ran("decide", failed_with(Cure::give_up, FailureKind::untrusted));
  EXPECT_EQ(tally.part().rows.at(0).numbers, (std::vector<std::int64_t>{2, 0, 0}));
}

TEST(StepTally, AddsToWhatAnEarlierProcessCounted) {
  StepTally first;
  EXPECT_TRUE(first.part().rows.empty());
  first.ran("comment", "data");
  StepTally second({.parts = {first.part()}});
  second.ran("comment", failed_with(Cure::retry));
  EXPECT_EQ(second.part().rows.back(), (HistoryRow{.label = "comment", .numbers = {2, 0, 1}}));
}

TEST(StepTally, ThePlanCountsEveryStepThatItRuns) {
  StepTally tally;
  FakeErrand task(scenes()[6]);
  task.errand.tally = &tally;
  ASSERT_TRUE(task.finish());
  const auto rows = tally.part().rows;
  ASSERT_EQ(rows.size(), plan_rows().size());
  for (const HistoryRow& row : rows) {
    EXPECT_EQ(row.numbers, (std::vector<std::int64_t>{1, 0, 0})) << row.label;
  }
}

}  // namespace
}  // namespace tidemill::docs
