// Strict UTF-8: overlong forms, surrogates and code points beyond U+10FFFF are invalid. Nothing
// here fails: invalid bytes are reported in the return value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::text {

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // in bytes; 0: the text begins with an invalid byte
};

// Decodes the first character. The text must not be empty.
[[nodiscard]] constexpr Character front_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {.code = first, .length = 1};
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || text.size() < length) return {};
  const unsigned lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < lowest || byte(1) > highest) return {};
  char32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  return {.code = code, .length = length};
}

[[nodiscard]] constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = front_character(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Appends the character. An invalid code point is encoded as if it were valid.
constexpr void append_utf8(char32_t code, std::string& text) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0U | code >> 6U);
  } else if (code < 0x10000) {
    put(0xe0U | code >> 12U);
    put(0x80U | (code >> 6U & 0x3fU));
  } else {
    put(0xf0U | code >> 18U);
    put(0x80U | (code >> 12U & 0x3fU));
    put(0x80U | (code >> 6U & 0x3fU));
  }
  put(0x80U | (code & 0x3fU));
}

}  // namespace tidemill::text
