// Nearest: finds the name for "did you mean …?", by the number of characters to add, drop, change
// or swap.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tidemill::command {

[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The first of the names with the smallest distance to `typed`; "" if none is close enough (a third
// of the characters of the longer word may differ, at least one) or `typed` is too long for a name.
[[nodiscard]] std::string nearest(std::string_view typed, std::span<const std::string> names);

}  // namespace tidemill::command
