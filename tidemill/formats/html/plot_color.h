// What distinguishes one line, area or bar from another: a colour, and where colours meet, a dash
// or a height too. style.css has a light and a dark variant of each.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::html {

enum class PlotColor : std::uint8_t { blue, red, green, amber, grey };

[[nodiscard]] constexpr std::string_view css_class(PlotColor color) {
  constexpr std::string_view kNames[] = {"blue", "red", "green", "amber", "grey"};
  return kNames[static_cast<std::uint8_t>(color)];
}

}  // namespace tidemill::html
