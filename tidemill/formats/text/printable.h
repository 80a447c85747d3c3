// printable: escapes names for display. Every name that is shown to a person goes through it.
//
// A name comes from a file system or a peer and may hold anything: a newline that forges a second
// message, an escape sequence that controls the terminal, marks that change the reading direction.
// The result is one line of valid UTF-8 without control characters:
//
//   \n \t \r \\            newline, tab, carriage return and the backslash itself
//   \x1b                   other control characters below U+0080, and any invalid UTF-8 byte (\xff)
//   \u{202e}               control characters from U+0080 on, and invisible marks: reading
//                          direction, line and paragraph separators, joiners, byte order mark, tags
//
// Everything else is unchanged. The escaping is reversible: two different names never have the same
// result. It cannot fail.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::text {

[[nodiscard]] std::string printable(std::string_view bytes);

// printable(), then shortened in the middle to at most `width` columns (columns.h).
[[nodiscard]] std::string fit(std::string_view bytes, std::size_t width);

}  // namespace tidemill::text
