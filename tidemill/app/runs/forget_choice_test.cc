#include "tidemill/app/runs/forget_choice.h"

#include <gtest/gtest.h>

namespace tidemill::app {
namespace {

using std::chrono::hours;
using Indexes = std::vector<std::size_t>;

const WallTime kNow{hours(1'000)};

OldRun run_of(int hours_ago, std::uint64_t size, bool is_candidate = true) {
  return {.last_active = kNow - hours(hours_ago), .size = {size}, .is_candidate = is_candidate};
}

TEST(ForgetChoice, ChoosesRunsOverTheAgeLimitOldestFirst) {
  const std::vector<OldRun> runs = {run_of(1, 1), run_of(30, 1), run_of(10, 1), run_of(20, 1)};
  EXPECT_EQ(choose_forgotten(runs, {.older_than = hours(10)}, kNow), (Indexes{1, 3}));
}

TEST(ForgetChoice, ChoosesTheOldestRunsUntilTheRestFitsTheSizeLimit) {
  const std::vector<OldRun> runs = {run_of(1, 40), run_of(2, 30), run_of(3, 20), run_of(4, 10)};
  EXPECT_EQ(choose_forgotten(runs, {.keep_size = Bytes{100}}, kNow), Indexes{});
  EXPECT_EQ(choose_forgotten(runs, {.keep_size = Bytes{99}}, kNow), (Indexes{3}));
  EXPECT_EQ(choose_forgotten(runs, {.keep_size = Bytes{70}}, kNow), (Indexes{3, 2}));
  EXPECT_EQ(choose_forgotten(runs, {.keep_size = Bytes{0}}, kNow), (Indexes{3, 2, 1, 0}));
}

TEST(ForgetChoice, KeepsNonCandidatesButCountsTheirSize) {
  const std::vector<OldRun> runs = {run_of(1, 10), run_of(2, 10), run_of(99, 100, false)};
  EXPECT_EQ(choose_forgotten(runs, {.keep_size = Bytes{110}}, kNow), (Indexes{1}));
  EXPECT_EQ(choose_forgotten(runs, {.older_than = hours(50)}, kNow), Indexes{});
  EXPECT_EQ(choose_forgotten(runs, {.is_all = true}, kNow), (Indexes{1, 0}));
}

TEST(ForgetChoice, RunsOverTheAgeLimitDoNotCountTowardsTheSizeLimit) {
  const std::vector<OldRun> runs = {run_of(1, 10), run_of(2, 10), run_of(99, 100)};
  EXPECT_EQ(choose_forgotten(runs, {.older_than = hours(50), .keep_size = Bytes{20}}, kNow),
            (Indexes{2}));
}

TEST(ForgetChoice, ChoosesNothingWithoutALimit) {
  const std::vector<OldRun> runs = {run_of(1, 10), run_of(99, 100)};
  EXPECT_TRUE(ForgetLimits{}.is_empty());
  EXPECT_EQ(choose_forgotten(runs, {}, kNow), Indexes{});
}

TEST(ForgetChoice, KeepsAndCountsRunsThatCanBeUndone) {
  const OldRun runs[] = {
      {.last_active = WallTime(hours(1)), .is_candidate = true},
      {.last_active = WallTime(hours(2)), .is_candidate = true, .can_be_undone = true},
      {.last_active = WallTime(hours(9)), .is_candidate = true, .can_be_undone = true},
      {.last_active = WallTime(hours(3)), .can_be_undone = true}};
  const WallTime now(hours(10));
  ForgetLimits limits{.older_than = hours(5)};
  EXPECT_EQ(choose_forgotten(runs, limits, now), Indexes{0});
  EXPECT_EQ(count_kept_for_undo(runs, limits, now), 1U);
  limits.with_undo = true;
  EXPECT_EQ(choose_forgotten(runs, limits, now), (Indexes{0, 1}));
  EXPECT_EQ(count_kept_for_undo(runs, limits, now), 0U);
  limits = {.is_all = true};
  EXPECT_EQ(choose_forgotten(runs, limits, now), Indexes{0});
  EXPECT_EQ(count_kept_for_undo(runs, limits, now), 2U);
}

}  // namespace
}  // namespace tidemill::app
