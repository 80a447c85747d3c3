// The main part of a page about one run: state, counts, plots, failures by reason, tables. The
// report and the page that is served show the same. Pure, except for the time zone of local times.
#pragma once

#include <optional>

#include "tidemill/formats/html/html.h"
#include "tidemill/formats/html/progress_bar.h"
#include "tidemill/ui/command/verb.h"
#include "tidemill/ui/pages/comparison.h"
#include "tidemill/ui/pages/run_links.h"
#include "tidemill/ui/pages/run_view.h"

namespace tidemill::pages {

[[nodiscard]] html::SafeHtml run_body(const RunView& view, const command::Program& program,
                                      const std::optional<Comparison>& comparison,
                                      const RunLinks& links = {});

// Its h1: job, id and state.
[[nodiscard]] html::SafeHtml run_heading(const cli::RunStatus& run_status);
[[nodiscard]] html::PlotColor state_color(const std::string& state);
[[nodiscard]] html::TaskCounts counts_of(const cli::RunStatus& run_status);

}  // namespace tidemill::pages
