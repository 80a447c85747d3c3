#include "tidemill/ui/cli/failures_text.h"

#include <fmt/core.h>

#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::cli {

std::string failures_text(const std::vector<journal::FailureGroup>& groups, std::uint64_t dead,
                          std::optional<std::size_t> width) {
  if (groups.empty()) return {};
  term::Table table({{.heading = "FAILED", .align = term::Align::right},
                     {.heading = "REASON"},
                     {.heading = "EXAMPLE"}});
  std::uint64_t shown = 0;
  for (const auto& group : groups) {
    shown += group.count;
    table.add({text::count_text(group.count), group.step + ": " + group.reason, group.example});
  }
  std::string text = "\n" + table.text(width);
  if (shown < dead) text += fmt::format("and {} more\n", text::count_text(dead - shown));
  return text;
}

}  // namespace tidemill::cli
