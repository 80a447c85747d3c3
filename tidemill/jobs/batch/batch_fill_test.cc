#include "tidemill/jobs/batch/batch_fill.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/jobs/batch/batch_journal.h"

namespace tidemill::batch {
namespace {

using history::HistoryRow;

constexpr BatchLimits kOfHundred{.cost = 100, .files = 1'000};

Batch batch_of(std::uint64_t cost, std::size_t files = 1) {
  return {.files = std::vector<Weighed>(files),
          .tokens = cost - 1,
          .cost = cost,
          .is_oversize = cost > kOfHundred.cost};
}

TEST(BatchFill, ABatchCountsByTheLimitItIsNearestTo) {
  BatchFill fill;
  fill.add(batch_of(9), kOfHundred);
  fill.add(batch_of(10), kOfHundred);
  fill.add(batch_of(100), kOfHundred);
  fill.add(batch_of(20, 1'000), kOfHundred);  // no more files
  fill.add(batch_of(101), kOfHundred);
  EXPECT_EQ(fill.batches(), 5U);
  EXPECT_EQ(fill.classes[0], (BatchFill::Class{.batches = 1, .tokens = 8}));
  EXPECT_EQ(fill.classes[1], (BatchFill::Class{.batches = 1, .tokens = 9}));
  EXPECT_EQ(fill.classes[9], (BatchFill::Class{.batches = 2, .tokens = 118}));
  EXPECT_EQ(fill.classes[10], (BatchFill::Class{.batches = 1, .tokens = 100}));
}

TEST(BatchFill, ItsTextGivesItBack) {
  BatchFill fill;
  for (std::size_t i = 0; i < fill.classes.size(); ++i) {
    fill.classes.at(i) = {.batches = i * 7, .tokens = i * 1'000'000'000'000};
  }
  EXPECT_EQ(fill_of(text_of(fill)), fill);
  EXPECT_EQ(fill_of(""), BatchFill{});
  EXPECT_EQ(fill_of("3=4;x").classes[0], (BatchFill::Class{.batches = 3, .tokens = 4}));
}

TEST(BatchParts, HaveEveryTenthAndTheReasons) {
  BatchFill fill;
  fill.add(batch_of(35), kOfHundred);
  const auto parts =
      parts_of({.batches = 1, .skipped = {{"binary", 2}, {"too large", 5}}}, fill, 3);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].title, "Fill of the batches");
  ASSERT_EQ(parts[0].rows.size(), 10U);
  EXPECT_EQ(parts[0].rows[3], (HistoryRow{.label = "30 to 40 %", .numbers = {1, 34}}));
  EXPECT_EQ(parts[0].rows[9], (HistoryRow{.label = "90 to 100 %", .numbers = {0, 0}}));
  ASSERT_EQ(parts[1].rows.size(), 3U);
  EXPECT_EQ(parts[1].rows[0], (HistoryRow{.label = "too large", .numbers = {5}}));
  EXPECT_EQ(parts[1].rows[1].label, "failed");
}

TEST(BatchParts, BatchesAboveTheLimitHaveARowOfTheirOwn) {
  BatchFill fill;
  fill.add(batch_of(500), kOfHundred);
  const auto rows = parts_of({.batches = 1}, fill, 0).at(0).rows;
  ASSERT_EQ(rows.size(), 11U);
  EXPECT_EQ(rows[10], (HistoryRow{.label = "above: a single large file", .numbers = {1, 499}}));
}

TEST(BatchParts, TheTitleSaysWhichBatchesOfAnOlderRunAreCounted) {
  BatchFill fill;
  fill.add(batch_of(35), kOfHundred);
  EXPECT_EQ(parts_of({.batches = 9}, fill, 0).at(0).title, "Fill of the batches: the last 1 batch");
  EXPECT_TRUE(parts_of({}, {}, 0).at(0).rows.empty());
}

}  // namespace
}  // namespace tidemill::batch
