// Nearest: "did you mean …?", by the number of letters to add, drop, change or swap.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tidemill::command {

[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The first of the names with the smallest distance to `typed`; "" when none is close enough to be
// what was meant (a third of its letters may be wrong), or `typed` is far too long to be a name.
[[nodiscard]] std::string nearest(std::string_view typed, std::span<const std::string> names);

}  // namespace tidemill::command
