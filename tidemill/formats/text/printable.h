// printable: the one escaper for names that people are shown.
//
// A name comes from a file system or a peer and may hold anything: a line end that forges a second
// message, an escape sequence that drives the terminal, marks that turn the reading direction. What
// comes out is one line of valid UTF-8 without controls:
//
//   \n \t \r \\            the line end, the tab, the return and the backslash itself
//   \x1b                   another control below U+0080, and any byte that is no UTF-8 (\xff)
//   \u{202e}               controls from U+0080 on, and marks that are not seen: reading direction,
//                          line and paragraph separators, joiners, byte order mark, tags
//
// Everything else stays as it is. It can be undone: two different names never look the same here
// because of an escape. Nothing can fail.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::text {

[[nodiscard]] std::string printable(std::string_view bytes);

// Printable, and shortened in the middle to at most `width` columns (columns.h).
[[nodiscard]] std::string fit(std::string_view bytes, std::size_t width);

}  // namespace tidemill::text
