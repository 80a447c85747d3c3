#include "tidemill/state/history/part_builder.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::history {
namespace {

HistoryPart head() {
  return {.name = "fruit",
          .title = "Fruit",
          .label = "kind",
          .columns = {{.name = "pieces"}, {.name = "weight", .unit = HistoryUnit::bytes}}};
}

std::vector<std::string> labels_of(const HistoryPart& part) {
  std::vector<std::string> labels;
  for (const HistoryRow& row : part.rows) labels.push_back(row.label);
  return labels;
}

TEST(PartBuilder, SumsByLabelAndKeepsTheFirstDetail) {
  PartBuilder fruit(head());
  fruit.add("pear", {1, 10});
  fruit.add("apple", {2, 20}, "red");
  fruit.add("apple", {3, 30}, "green");
  const HistoryPart& part = fruit.in_order();
  EXPECT_EQ(part.rows,
            (std::vector<HistoryRow>{{.label = "pear", .numbers = {1, 10}},
                                     {.label = "apple", .numbers = {5, 50}, .detail = "red"}}));
  EXPECT_EQ(part.title, "Fruit");
}

TEST(PartBuilder, TheLargestRowsComeFirstAndTheOthersAreCounted) {
  PartBuilder fruit(head());
  fruit.add("pear", {1});
  fruit.add("apple", {9});
  fruit.add("plum", {5});
  fruit.add("cherry", {5});
  const HistoryPart part = fruit.largest(3);
  EXPECT_EQ(labels_of(part), (std::vector<std::string>{"apple", "plum", "cherry"}));
  EXPECT_EQ(part.left_out, 1U);
}

TEST(PartBuilder, AddsToTheRowsOfAnEarlierPart) {
  PartBuilder first(head());
  first.add("pear", {1, 10});
  PartBuilder second(first.in_order());
  second.add("apple", {2});
  second.add("pear", {4, 1});
  EXPECT_EQ(second.in_order().rows,
            (std::vector<HistoryRow>{{.label = "pear", .numbers = {5, 11}},
                                     {.label = "apple", .numbers = {2, 0}}}));
}

TEST(PartBuilder, BeyondTheMostLabelsTheRestSharesOneRow) {
  PartBuilder many(head());
  for (std::size_t i = 0; i < PartBuilder::kMostLabels + 500; ++i) {
    many.add(std::to_string(i), {1});
  }
  many.add("3", {1});
  ASSERT_EQ(many.size(), PartBuilder::kMostLabels + 1);
  EXPECT_EQ(many.in_order().rows.back(),
            (HistoryRow{.label = std::string(PartBuilder::kOthers), .numbers = {500, 0}}));
  EXPECT_EQ(many.in_order().rows[3].numbers.front(), 2);
}

// Counts the changes it gets.
class CountingStore final : public Store {
 public:
  Result<RunHistory> history() const override { return RunHistory{}; }
  Result<void> keep(const HistoryChange& change) override {
    kept.push_back(change);
    return fail(Cure::retry, "keep", "busy");
  }
  std::vector<HistoryChange> kept;
};

TEST(KeepParts, StoresWhatHasRowsInOneChangeAndIgnoresAFailure) {
  CountingStore store;
  PartBuilder fruit(head());
  fruit.add("pear", {1});
  keep_parts(&store, {head(), fruit.in_order()});
  keep_parts(&store, {head()});
  keep_parts(nullptr, {fruit.in_order()});
  ASSERT_EQ(store.kept.size(), 1U);
  EXPECT_EQ(store.kept[0].parts, std::vector{fruit.in_order()});
}

}  // namespace
}  // namespace tidemill::history
