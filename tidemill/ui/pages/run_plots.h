// The plots of a run, from its history. A plot without data is empty. Pure functions.
#pragma once

#include <vector>

#include "tidemill/formats/html/html.h"
#include "tidemill/ui/pages/run_view.h"

namespace tidemill::pages {

// In boxes side by side: rate, workers busy, durations, hosts, bytes. Those over time only if there
// are more samples than the first and the last.
[[nodiscard]] html::SafeHtml run_plots(const RunView& view);

// The durations of all hosts by type of task, in the order of the history.
[[nodiscard]] std::vector<history::Durations> durations_by_type(const history::RunHistory& history);

}  // namespace tidemill::pages
