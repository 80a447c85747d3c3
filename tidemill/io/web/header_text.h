// The syntax that headers have in both directions: tokens, values, and lists of words. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::web {

// A method or the name of a header: not empty, no spaces, no separators.
[[nodiscard]] bool is_token(std::string_view text);

// Control characters but the tab: CR, LF and NUL end or split a header.
[[nodiscard]] bool has_control(std::string_view text);

[[nodiscard]] std::string lowered(std::string_view text);       // ASCII only
[[nodiscard]] std::string_view trimmed(std::string_view text);  // of spaces and tabs

// Whether the comma-separated list contains the word (lower case).
[[nodiscard]] bool has_word(std::string_view list, std::string_view word);

}  // namespace tidemill::web
