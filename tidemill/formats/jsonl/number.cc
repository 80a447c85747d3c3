#include "tidemill/formats/jsonl/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <system_error>

#include "tidemill/formats/jsonl/characters.h"

namespace tidemill::jsonl {
namespace {

// Every decimal with up to kSafeDigits digits survives the round trip through a double; none with
// more than kMostDigits does, because the shortest text of a double never has more.
constexpr int kSafeDigits = 15;
constexpr int kMostDigits = 17;

// These are exact as doubles.
constexpr std::array kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// digits * 10^exponent; the last digit is not 0. Beyond kMostDigits digits only the count is valid.
struct Decimal {
  bool is_negative = false;
  std::uint64_t digits = 0;
  std::int64_t count = 0;
  std::int64_t exponent = 0;

  // Consumes digits from `at`; false: there are none.
  bool take(const char*& at, const char* end) {
    const char* const begin = at;
    for (; at != end && is_digit(*at); ++at) {
      if (*at == '0') {
        ++zeros;
        continue;
      }
      const std::int64_t more = (count == 0 ? 0 : zeros) + 1;
      count += more;
      zeros = 0;
      if (count > kMostDigits) continue;
      for (std::int64_t i = 0; i < more; ++i) digits *= 10;
      digits += static_cast<std::uint64_t>(*at - '0');
    }
    return at != begin;
  }

  std::int64_t zeros = 0;  // pending zeros, which may be trailing ones
};

// Saturates at an exponent that no number of digits in memory could compensate.
std::optional<std::int64_t> exponent_of(const char* at, const char* end) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;
  const bool is_negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  if (at == end) return std::nullopt;
  std::int64_t exponent = 0;
  for (; at != end; ++at) {
    if (!is_digit(*at)) return std::nullopt;
    if (exponent < kMost) exponent = exponent * 10 + (*at - '0');
  }
  return is_negative ? -exponent : exponent;
}

// nullopt: not a number by the JSON grammar.
std::optional<Decimal> decimal_of(const char* at, const char* end) {
  Decimal decimal;
  if (at != end && *at == '-') {
    decimal.is_negative = true;
    ++at;
  }
  const bool is_zero = at != end && *at == '0';
  const char* const whole = at;
  if (!decimal.take(at, end) || (is_zero && at - whole > 1)) return std::nullopt;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    if (!decimal.take(at, end)) return std::nullopt;
    decimal.exponent = -(at - fraction);
  }
  decimal.exponent += decimal.zeros;
  if (at == end) return decimal;
  if (*at != 'e' && *at != 'E') return std::nullopt;
  const auto exponent = exponent_of(at + 1, end);
  if (!exponent) return std::nullopt;
  decimal.exponent += *exponent;
  return decimal;
}

// The nearest double, from the standard library; nullopt: out of range.
std::optional<double> nearest(const Decimal& decimal) {
  std::array<char, 48> text{};
  char* at = std::to_chars(text.data(), text.data() + 24, decimal.digits).ptr;
  *at++ = 'e';
  at = std::to_chars(at, text.data() + text.size(), decimal.exponent).ptr;
  double real = 0;
  const auto read = std::from_chars(text.data(), at, real);
  if (read.ec != std::errc()) return std::nullopt;
  return real;
}

// Whether the shortest text that reads back as `real` is this decimal.
bool is_shortest(const Decimal& decimal, double real) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), real, std::chars_format::scientific);
  const auto shortest = decimal_of(text.data(), end.ptr);
  return shortest && shortest->digits == decimal.digits && shortest->exponent == decimal.exponent;
}

std::optional<double> real_of(const Decimal& decimal) {
  constexpr auto kPlain = static_cast<std::int64_t>(kPowers.size()) - 1;
  const std::int64_t magnitude = decimal.exponent + decimal.count;  // below 10^magnitude
  if (decimal.count == 0) return 0;
  if (decimal.count > kMostDigits || magnitude < -330 || magnitude > 310) return std::nullopt;
  const bool is_safe = decimal.count <= kSafeDigits;
  // Both are exact as doubles, so one operation rounds once, to the nearest.
  if (is_safe && decimal.exponent >= -kPlain && decimal.exponent <= kPlain) {
    const auto digits = static_cast<double>(decimal.digits);
    const double power = kPowers[static_cast<std::size_t>(std::abs(decimal.exponent))];
    return decimal.exponent < 0 ? digits / power : digits * power;
  }
  const auto real = nearest(decimal);
  const bool is_normal = magnitude > -307 && magnitude <= 308;
  if (!real || (is_safe && is_normal) || is_shortest(decimal, *real)) return real;
  return std::nullopt;
}

// Digits with an optional sign; nullopt: anything else. Beyond 64 bits: NumberKind::exact.
std::optional<Number> integer_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  if (digits.empty() || (digits.front() == '0' && digits.size() > 1)) return std::nullopt;
  std::int64_t integer = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (read.ptr != text.data() + text.size()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) return Number{.kind = NumberKind::exact};
  if (read.ec != std::errc()) return std::nullopt;
  return Number{.kind = NumberKind::integer, .integer = integer};
}

// Fast path for nearly all numbers: few digits, perhaps with a point. nullopt: use the slow path.
std::optional<Number> short_number_of(std::string_view text) {
  constexpr std::size_t kMost = 18;  // digits that always fit 64 bits
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.empty() || text.size() > kMost) return std::nullopt;
  std::int64_t digits = 0;
  std::size_t point = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      digits = digits * 10 + (text[i] - '0');
    } else if (text[i] == '.' && point == text.size() && i > 0) {
      point = i;
    } else {
      return std::nullopt;
    }
  }
  if (text[0] == '0' && point > 1) return std::nullopt;
  const std::int64_t integer = is_negative ? -digits : digits;
  if (point == text.size()) return Number{.kind = NumberKind::integer, .integer = integer};
  const std::size_t fraction = text.size() - point - 1;
  if (fraction == 0 || text.size() > kSafeDigits + 1) return std::nullopt;
  return Number{.kind = NumberKind::real, .real = static_cast<double>(integer) / kPowers[fraction]};
}

template <class... Format>
void append(std::string& out, Format... format) {
  std::array<char, 32> text{};
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), format...).ptr);
}

}  // namespace

Number number_of(std::string_view text) {
  if (const auto number = short_number_of(text)) return *number;
  if (const auto number = integer_of(text)) return *number;
  const auto decimal = decimal_of(text.data(), text.data() + text.size());
  if (!decimal) return {};
  const auto real = real_of(*decimal);
  if (!real) return {.kind = NumberKind::exact};
  const bool is_negative = decimal->is_negative && *real != 0;
  return {.kind = NumberKind::real, .real = is_negative ? -*real : *real};
}

void append_text(std::int64_t integer, std::string& out) { append(out, integer); }

void append_text(double real, std::string& out) {
  if (real == 0) real = 0;  // not -0
  const double size = std::abs(real);
  const bool is_plain = size == 0 || (size >= 1e-5 && size < 1e16);
  const std::size_t begin = out.size();
  append(out, real, is_plain ? std::chars_format::fixed : std::chars_format::scientific);
  if (is_plain && out.find('.', begin) == out.npos) out += ".0";
}

}  // namespace tidemill::jsonl
