#include "tidemill/ui/pages/report.h"

#include "tidemill/formats/html/page.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/ui/pages/local_time.h"
#include "tidemill/ui/pages/run_body.h"

namespace tidemill::pages {

std::string report_page(const RunView& view, const command::Program& program,
                        const std::optional<Comparison>& comparison) {
  const std::string title = view.status.card.job + " " + view.status.folder.id();
  const std::string made = "Report of " + program.name + " " + program.version + ", made " +
                           local_time_with_zone(view.read_at) + ".";
  return html::page({.title = title + " · " + program.name,
                     .kind = html::PageKind::file,
                     .footer = html::words(made)},
                    run_body(view, program, comparison));
}

}  // namespace tidemill::pages
