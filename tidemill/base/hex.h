// Hexadecimal: bytes to lower-case digits, two per byte, and one digit to its value. Nothing fails.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemill {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

inline void append_hex(std::string& text, unsigned char byte) {
  text += kHexDigits[byte >> 4U];
  text += kHexDigits[byte & 15U];
}

[[nodiscard]] inline std::string hex_of(std::span<const unsigned char> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) append_hex(text, byte);
  return text;
}

[[nodiscard]] inline std::string hex_of(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) append_hex(text, static_cast<unsigned char>(byte));
  return text;
}

// Accepts both cases; nullopt if it is not a hexadecimal digit.
[[nodiscard]] constexpr std::optional<unsigned> hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10;
  if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A') + 10;
  return std::nullopt;
}

}  // namespace tidemill
