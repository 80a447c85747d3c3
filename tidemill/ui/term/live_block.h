// The live block: the progress of a run in a few lines, redrawn at the same place.
//
//   each [==============>                    ]  38 %  1,200/3,150
//   118/s  1.4 MB/s  ETA 1 min 14 s  45 s elapsed  2/2 busy  12 failed
//     12 s  photos/2024/one.raw
//      3 s  photos/2024/two.raw
//
// Pure: the same snapshot gives the same lines. A line is never wider than width - 1 columns and
// there are never more than height - 1 lines, so that the terminal neither wraps nor scrolls. On a
// small terminal the least important parts are dropped first; what the run is waiting for is kept
// longest. Titles and notes may contain any bytes: they are escaped (formats/text/printable.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/engine/progress.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::term {

inline constexpr std::size_t kMostItems = 4;     // tasks shown
inline constexpr std::size_t kWidestBar = 60;    // columns
inline constexpr std::size_t kNarrowestBar = 8;  // columns; with less space there is no bar

// Lines without newlines. With colour, they contain escape sequences, which take no columns.
[[nodiscard]] std::vector<std::string> render(const engine::ProgressSnapshot& snapshot, Size size,
                                              bool has_colour, std::string_view title);

// One line without colour: "1,188/10,000 done, 12 failed, 118/s, ETA 1 min 14 s".
[[nodiscard]] std::string status_text(const engine::ProgressSnapshot& snapshot);

}  // namespace tidemill::term
