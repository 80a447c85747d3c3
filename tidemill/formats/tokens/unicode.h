// What a code point is, as far as the cutting rules of tokenizers ask: \p{L}, \p{N}, \s and so on.
//
// The table is that of Unicode 16.0.0, the version `tiktoken` was built with: a code point that was
// assigned later is nothing here, as it is there. unicode_tables.inc is made by
// tools/make_unicode_tables.py. Nothing here can fail.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::tokens {

inline constexpr std::string_view kUnicodeVersion = "16.0.0";

// A set of kinds: one bit for each.
using Kinds = std::uint8_t;

inline constexpr Kinds kUpper = 1;     // Lu and Lt
inline constexpr Kinds kLower = 2;     // Ll
inline constexpr Kinds kCaseless = 4;  // Lm and Lo
inline constexpr Kinds kMark = 8;      // M
inline constexpr Kinds kNumber = 16;   // N
inline constexpr Kinds kSpace = 32;    // White_Space, as \s has it: also U+0085 and U+3000
inline constexpr Kinds kPunctuation = 64;
inline constexpr Kinds kSymbol = 128;
inline constexpr Kinds kLetter = kUpper | kLower | kCaseless;

// The one kind of a code point; 0 when it is of none (controls, unassigned ones, private ones).
[[nodiscard]] Kinds kind_of(char32_t code);

}  // namespace tidemill::tokens
