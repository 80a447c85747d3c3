#include "tidemill/jobs/import/parts.h"

#include <vector>

#include <gtest/gtest.h>

namespace tidemill::import {
namespace {

using history::HistoryRow;

ImportOutcome sample_outcome() {
  return {.tables = {{.name = "cats", .file = "cats.jsonl", .rows = 3, .columns = 2},
                     {.name = "dogs", .file = "dogs.jsonl", .rows = 500, .columns = 7}},
          .widened = {{.table = "dogs",
                       .column = "age",
                       .from = ColumnType::integer,
                       .to = ColumnType::text,
                       .path = "dogs.jsonl",
                       .line = 17,
                       .seen = "a string"}},
          .rejects = {{.file = "cats.jsonl", .reason = "not JSON", .count = 2, .first_line = 9},
                      {.file = "dogs.jsonl", .reason = "too deep", .count = 3, .first_line = 1},
                      {.file = "dogs.jsonl", .reason = "not JSON", .count = 4}}};
}

TEST(ImportParts, TheLargestTableComesFirst) {
  const auto part = parts_of(sample_outcome()).at(0);
  EXPECT_EQ(part.title, "Tables");
  EXPECT_EQ(part.rows, (std::vector<HistoryRow>{
                           {.label = "dogs", .numbers = {500, 7}, .detail = "dogs.jsonl"},
                           {.label = "cats", .numbers = {3, 2}, .detail = "cats.jsonl"}}));
}

TEST(ImportParts, AWidenedColumnHasItsTypesAndTheLineThatCausedIt) {
  const auto part = parts_of(sample_outcome()).at(1);
  EXPECT_EQ(part.rows,
            (std::vector<HistoryRow>{
                {.label = "dogs.age", .detail = "INTEGER to TEXT at dogs.jsonl:17: a string"}}));
}

TEST(ImportParts, RejectedLinesOfAllFilesAreSummedByReason) {
  const auto part = parts_of(sample_outcome()).at(2);
  EXPECT_EQ(part.rows, (std::vector<HistoryRow>{
                           {.label = "not JSON", .numbers = {6, 2}, .detail = "cats.jsonl:9"},
                           {.label = "too deep", .numbers = {3, 1}, .detail = "dogs.jsonl:1"}}));
}

TEST(ImportParts, FilesOfAnEarlierProcessAreNotInTheNumbersAndTheTitlesSaySo) {
  ImportOutcome outcome = sample_outcome();
  outcome.files_skipped = 1;
  for (const auto& part : parts_of(outcome)) EXPECT_TRUE(part.title.ends_with("(this process)"));
}

TEST(ImportParts, WidenedColumnsBeyondTheMostRowsAreCounted) {
  ImportOutcome outcome;
  outcome.widened.resize(history::kMostRows + 3);
  const auto part = parts_of(outcome).at(1);
  EXPECT_EQ(part.rows.size(), history::kMostRows);
  EXPECT_EQ(part.left_out, 3U);
}

}  // namespace
}  // namespace tidemill::import
