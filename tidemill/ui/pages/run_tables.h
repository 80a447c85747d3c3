// The tables of a run: why tasks failed, which were slowest, what its job adds, its settings and
// its processes. A table without rows is empty. Each says how many rows it leaves out. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tidemill/formats/html/html.h"
#include "tidemill/ui/command/verb.h"
#include "tidemill/ui/pages/run_links.h"
#include "tidemill/ui/pages/run_view.h"

namespace tidemill::pages {

[[nodiscard]] html::SafeHtml failure_table(const RunView& view, std::size_t most_rows,
                                           const RunLinks& links = {});
[[nodiscard]] html::SafeHtml slowest_table(const RunView& view, const RunLinks& links = {});
// The parts that the job made, each in a box: a plot, if it has one, and the numbers.
[[nodiscard]] html::SafeHtml job_parts(const RunView& view);
[[nodiscard]] html::SafeHtml settings_table(const RunView& view);
[[nodiscard]] html::SafeHtml session_table(const RunView& view);

// "3 more reasons are not shown"; empty if nothing is left out.
[[nodiscard]] html::SafeHtml left_out_note(std::uint64_t count, std::string_view what);

// "1,234", "3.1 GB", "240 ms".
[[nodiscard]] std::string number_text(history::HistoryUnit unit, std::int64_t number);

}  // namespace tidemill::pages
