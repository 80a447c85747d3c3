// Parts of the grammar of HTTP header fields: ASCII case, white space, tokens. Nothing here fails
// or depends on the locale.
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

// Without white space and line ends at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Whether the text is a valid header name or method (RFC 9110, 5.6.2).
[[nodiscard]] inline bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.contains(c);
  });
}

}  // namespace tidemill::http
