// grammar: checks whether a piece of JSON is well-formed, strictly by RFC 8259.
//
// Tokens (tokens.h) checks complete lines faster; this code finds the flaw in an invalid line, and
// checks the rare tokens that are not simple. It expects valid UTF-8 and never reads outside the
// text, whatever it contains. Pure; no recursion.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::jsonl {

inline constexpr std::uint32_t kDeepest = 1'000;  // levels of objects and arrays: SQLite's limit

enum class Flaw : std::uint8_t {
  none,
  malformed,       // not JSON
  bad_escape,      // \x, or \u without four digits
  lone_surrogate,  // \ud83d alone: cannot be written as UTF-8
  bad_number,      // 01, 1., .5, +1, 0x10, NaN
  too_deep,
  trailing,  // more data after the value
};

[[nodiscard]] std::string_view name_of(Flaw flaw);  // for messages: "invalid number"

// Checks one value with only white space around it. `depth`: levels that already enclose it.
[[nodiscard]] Flaw check(std::string_view json, std::uint32_t depth = 0);

// Checks the text between the quotes of a string.
[[nodiscard]] Flaw check_string(std::string_view inside);

}  // namespace tidemill::jsonl
