// Classifies code points, as far as the splitting rules of tokenizers need it: \p{L}, \p{N}, \s and
// so on.
//
// The table is from Unicode 16.0.0, the version that `tiktoken` was built with: a code point that
// was assigned later has no kind, as in tiktoken. tools/make_unicode_tables.py generates
// unicode_tables.inc. Nothing here can fail.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::tokens {

inline constexpr std::string_view kUnicodeVersion = "16.0.0";

// A set of kinds, one bit each.
using Kinds = std::uint8_t;

inline constexpr Kinds kUpper = 1;     // Lu and Lt
inline constexpr Kinds kLower = 2;     // Ll
inline constexpr Kinds kCaseless = 4;  // Lm and Lo
inline constexpr Kinds kMark = 8;      // M
inline constexpr Kinds kNumber = 16;   // N
inline constexpr Kinds kSpace = 32;    // White_Space, as in \s: also U+0085 and U+3000
inline constexpr Kinds kPunctuation = 64;
inline constexpr Kinds kSymbol = 128;
inline constexpr Kinds kLetter = kUpper | kLower | kCaseless;

// The single kind of a code point; 0: none (control, unassigned or private use).
[[nodiscard]] Kinds kind_of(char32_t code);

}  // namespace tidemill::tokens
