#include "tidemill/jobs/books/parts.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/formats/epub/rules/rules.h"

namespace tidemill::books {
namespace {

using epub::RuleId;
using history::HistoryRow;

constexpr RuleId kOften("RSC-005");
constexpr RuleId kSeldom("OPF-097");

std::string title_of(RuleId rule) { return std::string(epub::rule_of(rule).title); }

TEST(BookParts, ACheckHasVerdictsAndTheMostFrequentFindingsFirst) {
  BookTotals totals;
  totals.statuses = {{BookStatus::valid, 7}, {BookStatus::invalid, 0}, {BookStatus::errored, 1}};
  totals.rules = {{kSeldom, {.books = 2, .places = 3}}, {kOften, {.books = 1, .places = 250}}};
  const auto parts = parts_of(totals);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].rows, (std::vector<HistoryRow>{{.label = "valid", .numbers = {7}},
                                                    {.label = "failed", .numbers = {1}}}));
  EXPECT_EQ(parts[1].title, "Findings by rule");
  EXPECT_EQ(parts[1].rows,
            (std::vector<HistoryRow>{
                {.label = "RSC-005", .numbers = {250, 1}, .detail = title_of(kOften)},
                {.label = "OPF-097", .numbers = {3, 2}, .detail = title_of(kSeldom)}}));
}

RepairReport repaired(Fate fate, const std::vector<std::vector<RuleId>>& changes) {
  RepairReport report{.fate = fate};
  for (const auto& rules : changes) report.plan.changes.push_back({.repairs = rules});
  return report;
}

TEST(BookParts, ARepairCountsEveryChangeAndEachBookOncePerRule) {
  RepairTotals totals;
  totals.add(repaired(Fate::repaired, {{kOften}, {kOften, kSeldom}}));
  totals.add(repaired(Fate::repaired, {{kOften}}));
  totals.add(repaired(Fate::declined, {{kSeldom}}));
  const auto parts = parts_of(totals);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].rows, (std::vector<HistoryRow>{{.label = "skipped", .numbers = {1}},
                                                    {.label = "repaired", .numbers = {2}}}));
  EXPECT_EQ(parts[1].title, "Repairs by rule");
  EXPECT_EQ(parts[1].rows,
            (std::vector<HistoryRow>{
                {.label = "RSC-005", .numbers = {3, 2}, .detail = title_of(kOften)},
                {.label = "OPF-097", .numbers = {1, 1}, .detail = title_of(kSeldom)}}));
}

TEST(BookParts, RepairsThatWereOnlyPlannedAreCalledThat) {
  RepairTotals totals;
  totals.add(repaired(Fate::planned, {{kOften}}));
  EXPECT_EQ(parts_of(totals).at(1).title, "Planned repairs by rule");
}

}  // namespace
}  // namespace tidemill::books
