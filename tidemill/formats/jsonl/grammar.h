// grammar: whether a piece of JSON is well formed, by RFC 8259 and to the letter.
//
// Tokens (tokens.h) looks at whole lines faster; this says what is wrong with one, and looks at the
// rare token that is not plain. It expects bytes that have been found to be UTF-8, and never reads
// outside the text whatever it holds. Pure; no recursion.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::jsonl {

inline constexpr std::uint32_t kDeepest = 1'000;  // levels of objects and lists: what SQLite reads

enum class Flaw : std::uint8_t {
  none,
  malformed,       // not JSON
  bad_escape,      // \x, or \u without four digits
  lone_surrogate,  // \ud83d alone: no character, and no UTF-8 for it
  bad_number,      // 01, 1., .5, +1, 0x10, NaN
  too_deep,
  trailing,  // one value, and something behind it
};

[[nodiscard]] std::string_view name_of(Flaw flaw);  // for people: "invalid number"

// One value, and nothing but white space around it. `depth`: levels it already lies in.
[[nodiscard]] Flaw check(std::string_view json, std::uint32_t depth = 0);

// What is between the quotes of a string.
[[nodiscard]] Flaw check_string(std::string_view inside);

}  // namespace tidemill::jsonl
