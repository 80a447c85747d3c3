// Character classes of the JSON grammar. Pure.
#pragma once

namespace tidemill::jsonl {

[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace tidemill::jsonl
