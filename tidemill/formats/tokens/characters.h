// Decodes valid UTF-8 character by character, with the kind of each. Nothing here can fail.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tidemill/formats/tokens/unicode.h"

namespace tidemill::tokens {

struct SeenCharacter {
  char32_t code = 0;
  Kinds kind = 0;
  std::size_t length = 0;  // in bytes; 0: the end of the text
};

[[nodiscard]] constexpr Kinds kind_of_ascii(unsigned c) {
  const unsigned letter = c | 0x20U;
  if (letter >= 'a' && letter <= 'z') return c == letter ? kLower : kUpper;
  if (c >= '0' && c <= '9') return kNumber;
  if (c == ' ' || (c >= '\t' && c <= '\r')) return kSpace;
  if (c < ' ' || c == 127) return 0;
  constexpr std::string_view kSymbols = "$+<=>^`|~";
  return kSymbols.find(static_cast<char>(c)) != std::string_view::npos ? kSymbol : kPunctuation;
}

inline constexpr auto kAsciiKinds = [] {
  std::array<Kinds, 128> kinds{};
  for (unsigned c = 0; c < 128; ++c) kinds[c] = kind_of_ascii(c);
  return kinds;
}();

[[nodiscard]] inline char32_t code_of(const char* bytes, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  char32_t code = byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6U | (byte(i) & 0x3fU);
  return code;
}

// The character at `at`, which must be the beginning of a character or the end of the text.
[[nodiscard]] inline SeenCharacter see(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const unsigned first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {.code = first, .kind = kAsciiKinds[first], .length = 1};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const char32_t code = code_of(text.data() + at, length);
  return {.code = code, .kind = kind_of(code), .length = length};
}

[[nodiscard]] constexpr bool is_newline(char32_t code) { return code == '\r' || code == '\n'; }

}  // namespace tidemill::tokens
