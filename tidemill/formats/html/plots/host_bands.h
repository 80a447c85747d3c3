// Which hosts took part in a run, and when: one band per host, with a height and a text for each
// state, so that no colour is needed to read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/formats/html/html.h"
#include "tidemill/formats/html/plots/time_axis.h"

namespace tidemill::html {

// The later one wins where two meet in one pixel.
enum class HostState : std::uint8_t { present, draining, away };

struct HostSpan {
  WallTime from{};
  WallTime until{};
  HostState state = HostState::present;
};

struct HostBand {
  std::string host{};
  std::vector<HostSpan> spans{};
};

struct HostPlot {
  std::string title{};
  TimeRange range{};
  TimeText time_text{};           // utc_time_text, if there is none
  std::vector<HostBand> hosts{};  // the first 24 are drawn, the others are counted
};

[[nodiscard]] SafeHtml host_bands(const HostPlot& plot);

}  // namespace tidemill::html
