// The report of a run: one HTML file without scripts, which loads nothing.
#pragma once

#include <optional>
#include <string>

#include "tidemill/formats/html/html.h"
#include "tidemill/ui/command/verb.h"
#include "tidemill/ui/pages/comparison.h"
#include "tidemill/ui/pages/run_view.h"

namespace tidemill::pages {

[[nodiscard]] std::string report_page(const RunView& view, const command::Program& program,
                                      const std::optional<Comparison>& comparison);

}  // namespace tidemill::pages
