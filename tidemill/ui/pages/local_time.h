// Times on pages, in the time zone of the machine that makes the page. Thread-safe.
#pragma once

#include <string>

#include "tidemill/base/clock.h"
#include "tidemill/formats/html/plots/time_axis.h"

namespace tidemill::pages {

// For axes: "14:02".
[[nodiscard]] std::string local_time_text(WallTime at, html::TimeDetail detail);
// "2026-11-16 14:02:05 CET".
[[nodiscard]] std::string local_time_with_zone(WallTime at);

}  // namespace tidemill::pages
