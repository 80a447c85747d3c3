// number: parses a JSON number, and decides whether SQLite can store it without losing a digit.
//
// An integer that fits 64 bits is an integer. A number with a fraction or an exponent is a real if
// the shortest text that identifies the nearest double is the same decimal number: 0.1 is,
// 0.1234567890123456789 is not, 1e400 is not. Every other number is kept as its text. The sign of
// zero is lost, as in SQLite. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::jsonl {

enum class NumberKind : std::uint8_t {
  none,     // not a number by JSON's grammar
  integer,  // fits 64 bits
  real,     // a double represents it
  exact,    // only the text represents it
};

struct Number {
  NumberKind kind = NumberKind::none;
  std::int64_t integer = 0;
  double real = 0;
};

// The complete text must be the number: no blanks.
[[nodiscard]] Number number_of(std::string_view text);

// Whether a double is exactly this integer.
[[nodiscard]] constexpr bool is_double(std::int64_t integer) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53U;
  if (integer >= -kExact && integer <= kExact) return true;
  const auto real = static_cast<double>(integer);
  return real < 9'223'372'036'854'775'808.0 && static_cast<std::int64_t>(real) == integer;
}

// Appends the canonical text of a number in a TEXT column: the shortest that reads back as the same
// number. A real has a '.', an 'e', or both: 100000.0, 1e+300.
void append_text(std::int64_t integer, std::string& out);
void append_text(double real, std::string& out);

}  // namespace tidemill::jsonl
