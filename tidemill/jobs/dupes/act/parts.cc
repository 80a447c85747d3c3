#include "tidemill/jobs/dupes/act/parts.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace tidemill::dupes {

history::HistoryPart steps_part(std::string_view type, const ActReport& report,
                                const history::RunHistory& before) {
  history::HistoryPart part{
      .name = "steps_by_action",
      .title = "Steps by action",
      .label = "action",
      .form = history::PartForm::bars,
      .columns = {{.name = "steps"}, {.name = "reclaimed", .unit = history::HistoryUnit::bytes}}};
  if (report.done == 0) return part;
  auto reclaimed = static_cast<std::int64_t>(report.reclaimed);
  const auto earlier = std::ranges::find(before.parts, part.name, &history::HistoryPart::name);
  if (earlier != before.parts.end()) {
    for (const history::HistoryRow& row : earlier->rows) {
      if (row.label == type && row.numbers.size() > 1) reclaimed += row.numbers[1];
    }
  }
  part.rows.push_back(
      {.label = std::string(type), .numbers = {static_cast<std::int64_t>(report.done), reclaimed}});
  return part;
}

}  // namespace tidemill::dupes
