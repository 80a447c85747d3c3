#include "tidemill/jobs/dupes/act/parts.h"

#include <vector>

#include <gtest/gtest.h>

namespace tidemill::dupes {
namespace {

using history::HistoryRow;

TEST(StepsPart, HasTheStepsThatAreDoneAndTheirBytes) {
  const auto part = steps_part("hardlink", {.found = 9, .done = 5, .reclaimed = 4'096}, {});
  EXPECT_EQ(part.rows, (std::vector<HistoryRow>{{.label = "hardlink", .numbers = {5, 4'096}}}));
  EXPECT_TRUE(steps_part("hardlink", {.found = 9}, {}).rows.empty());
}

TEST(StepsPart, AddsTheBytesOfAnEarlierProcess) {
  const auto first = steps_part("delete", {.done = 5, .reclaimed = 100}, {});
  const auto second = steps_part("delete", {.done = 7, .reclaimed = 30}, {.parts = {first}});
  EXPECT_EQ(second.rows, (std::vector<HistoryRow>{{.label = "delete", .numbers = {7, 130}}}));
}

}  // namespace
}  // namespace tidemill::dupes
