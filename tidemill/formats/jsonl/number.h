// number: what a JSON number is, and whether SQLite can keep it without losing a digit.
//
// An integer that fits 64 bits is one. A number with a fraction or an exponent is a real when the
// nearest double, written in as few digits as identify it, is the same decimal number: 0.1 is,
// 0.1234567890123456789 is not, 1e400 is not. Everything else is kept as the text it was. The sign
// of zero is lost, in SQLite too. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::jsonl {

enum class NumberKind : std::uint8_t {
  none,     // not a number by JSON's grammar
  integer,  // fits 64 bits
  real,     // a double keeps it
  exact,    // only the text keeps it
};

struct Number {
  NumberKind kind = NumberKind::none;
  std::int64_t integer = 0;
  double real = 0;
};

// The whole text must be the number: no blanks.
[[nodiscard]] Number number_of(std::string_view text);

// Whether a double is exactly this integer.
[[nodiscard]] constexpr bool is_double(std::int64_t integer) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53U;
  if (integer >= -kExact && integer <= kExact) return true;
  const auto real = static_cast<double>(integer);
  return real < 9'223'372'036'854'775'808.0 && static_cast<std::int64_t>(real) == integer;
}

// The one text for a number in a TEXT column: the shortest that reads back as the same number. A
// real keeps a '.', an 'e', or both: 100000.0, 1e+300. Appended to `out`.
void append_text(std::int64_t integer, std::string& out);
void append_text(double real, std::string& out);

}  // namespace tidemill::jsonl
