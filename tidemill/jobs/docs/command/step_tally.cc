#include "tidemill/jobs/docs/command/step_tally.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tidemill/jobs/docs/command/plan.h"

namespace tidemill::docs {
namespace {

using history::HistoryPart;
using history::HistoryUnit;

constexpr std::string_view kName = "steps";

history::PartBuilder begun(const history::RunHistory& before) {
  HistoryPart part{
      .name = std::string(kName),
      .title = "Steps of the commands",
      .label = "step",
      .form = history::PartForm::bars,
      .columns = {{.name = "executed"},
                  {.name = "waited for a rate limit", .unit = HistoryUnit::milliseconds},
                  {.name = "failed"}}};
  const auto earlier = std::ranges::find(before.parts, kName, &HistoryPart::name);
  if (earlier != before.parts.end()) part.rows = earlier->rows;
  history::PartBuilder steps(std::move(part));
  for (const PlanRow& row : plan_rows()) steps.add(row.name, {});
  return steps;
}

bool is_withdrawn(const Failure& failure) {
  return is_taken_back(failure) || is_by_assistant(failure);
}

}  // namespace

StepTally::StepTally(const history::RunHistory& before) : steps_(begun(before)) {}

void StepTally::ran(std::string_view step, const Result<std::string>& outcome) {
  auto steps = steps_.lock();
  if (outcome || is_withdrawn(outcome.error())) return steps->add(step, {1, 0, 0});
  const Failure& failure = outcome.error();
  if (failure.cure == Cure::resume) return;
  if (failure.cure != Cure::later) return steps->add(step, {1, 0, 1});
  const auto wait = std::max<std::int64_t>(failure.not_before.count(), 0);
  steps->add(step, {0, static_cast<std::uint64_t>(wait), 0});
}

HistoryPart StepTally::part() {
  HistoryPart part = steps_.lock()->in_order();
  const auto is_empty = [](const history::HistoryRow& row) {
    return std::ranges::all_of(row.numbers, [](std::int64_t number) { return number == 0; });
  };
  if (std::ranges::all_of(part.rows, is_empty)) part.rows.clear();
  return part;
}

}  // namespace tidemill::docs
