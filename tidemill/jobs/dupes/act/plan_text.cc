#include <string>

#include "tidemill/base/bytes.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"
#include "tidemill/jobs/dupes/act/plan.h"

namespace tidemill::dupes {
namespace {

std::string line_of(const Planned& planned, bool is_unsure) {
  const PlanStep& step = planned.step;
  const std::string name = text::printable(step.duplicate.path);
  if (!planned.declined.empty()) {
    return "skip      " + name + ": " + text::printable(planned.declined) + '\n';
  }
  std::string line(type_of(step.action));
  line.resize(10, ' ');
  line += name + text::printable(aim_of(step));
  if (is_unsure) return line + ", if the file system can share blocks\n";
  if (step.reclaimable > 0) line += ", reclaims " + text::bytes_text({step.reclaimable});
  return line + '\n';
}

}  // namespace

Result<PlanTotals> show_plan(Groups& groups, const DupesOptions& options,
                             const std::string& directory, command::Console& console) {
  LET(auto places, PairPlaces::from(directory));
  LET(auto comparer, Comparer::make());
  ShareProbe probe;
  const PairTools tools{.places = places, .comparer = comparer, .probe = &probe};
  PlanTotals totals;
  Result<void> written;
  const auto on_step = [&](Planned planned) {
    ++totals.steps;
    const std::uint64_t unanswered = probe.unanswered();
    if (planned.declined.empty()) {
      if (auto fit = prepare(tools, planned.step); !fit) planned.declined = fit.error().reason;
    }
    const bool is_unsure = planned.declined.empty() && probe.unanswered() > unanswered;
    totals.declined += planned.declined.empty() ? 0 : 1;
    totals.unsure += is_unsure ? 1 : 0;
    totals.reclaimable += planned.declined.empty() && !is_unsure ? planned.step.reclaimable : 0;
    written = console.out(line_of(planned, is_unsure));
    return written.has_value();
  };
  TRY(groups.each([&](const Group& group) { return each_step(group, options, on_step); }));
  TRY(written);
  return totals;
}

}  // namespace tidemill::dupes
