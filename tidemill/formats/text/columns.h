// Columns: how much room text takes on a terminal, and how to make it take less.
//
// No locale is asked: a terminal that shows UTF-8 is expected. Marks that combine take no column,
// East Asian wide characters and emoji take two, everything else one. Where terminals differ (a
// variation selector that asks for an emoji) the larger answer is given, so that a line that was
// made to fit does fit. Meant for text without control characters: see printable.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::text {

[[nodiscard]] std::size_t columns(char32_t character);
// Of a whole text. A byte that is no UTF-8 counts as one: a terminal shows a box for it.
[[nodiscard]] std::size_t columns(std::string_view text);

// At most `width` columns: what is too much is taken out of the middle and "…" stands for it. A
// character is never cut from its combining marks, nor an escape of printable() in two.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);

}  // namespace tidemill::text
