// Columns: measures how many columns text takes on a terminal, and shortens it to fit.
//
// Independent of the locale: the terminal is assumed to show UTF-8. Combining marks take no column,
// East Asian wide characters and emoji take two, everything else one. Where terminals differ (a
// variation selector that requests an emoji), the larger width counts, so that a shortened line
// always fits. Meant for text without control characters: see printable.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::text {

[[nodiscard]] std::size_t columns(char32_t character);
// An invalid UTF-8 byte counts as one column: a terminal shows a box for it.
[[nodiscard]] std::size_t columns(std::string_view text);

// Returns at most `width` columns: the middle is replaced by "…" if the text is wider. A character
// is never separated from its combining marks, and an escape written by printable() is never split.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);

}  // namespace tidemill::text
