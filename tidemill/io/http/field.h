// The grammar of header fields, as far as we need it: letters of ASCII, blanks, tokens. Nothing
// here fails or looks at a locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tidemill::http {

[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return low;
}

// Without blanks and ends of lines at its ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Whether it may be the name of a header or a method (RFC 9110, 5.6.2).
[[nodiscard]] inline bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.contains(c);
  });
}

}  // namespace tidemill::http
