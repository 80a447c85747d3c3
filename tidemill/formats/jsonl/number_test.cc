#include "tidemill/formats/jsonl/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::jsonl {
namespace {

TEST(Number, IsAnIntegerWhenItFitsAndHasNoFractionOrExponent) {
  for (const auto& [text, integer] : std::vector<std::pair<std::string_view, std::int64_t>>{
           {"0", 0},
           {"-0", 0},
           {"-7", -7},
           {"123456789012345678", 123'456'789'012'345'678},
           {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
           {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()}}) {
    const Number number = number_of(text);
    EXPECT_EQ(number.kind, NumberKind::integer) << text;
    EXPECT_EQ(number.integer, integer) << text;
  }
}

TEST(Number, IsARealWhenADoubleKeepsEveryDigit) {
  for (const auto& [text, real] : std::vector<std::pair<std::string, double>>{
           {"0.1", 0.1},
           {"1.50", 1.5},
           {"-2.5", -2.5},
           {"1E5", 1e5},
           {"1e+5", 1e5},
           {"0e5", 0.0},
           {"0.0", 0.0},
           {"1e22", 1e22},
           {"1e23", 1e23},
           {"12345678901234.5e-30", 12345678901234.5e-30},
           {"0.30000000000000004", 0.30000000000000004},
           {"2251799813685249.5", 2251799813685249.5},
           {"1000000000000000000000.0", 1e21},
           {"5e-324", 5e-324},
           {"2.2250738585072014e-308", 2.2250738585072014e-308},
           {"1.7976931348623157e308", 1.7976931348623157e308},
           {"0." + std::string(400, '0') + "1e401", 1.0},
           {"1" + std::string(400, '0') + "e-400", 1.0},
           {"0e99999999999999999999", 0.0}}) {
    const Number number = number_of(text);
    EXPECT_EQ(number.kind, NumberKind::real) << text;
    EXPECT_EQ(number.real, real) << text;
  }
  EXPECT_FALSE(std::signbit(number_of("-0.0").real));
  EXPECT_FALSE(std::signbit(number_of("-0e5").real));
}

TEST(Number, IsKeptAsTextWhenADoubleWouldChangeIt) {
  for (const std::string_view text :
       {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
        "0.1234567890123456789", "1e400", "-1e400", "1e-400", "1e-325", "3e-324", "4.9e-324",
        "1.7976931348623159e308", "0.30000000000000001", "9007199254740993.0",
        "1e99999999999999999999", "1e-99999999999999999999", "2.2250738585072011e-308"}) {
    EXPECT_EQ(number_of(text).kind, NumberKind::exact) << text;
  }
}

TEST(Number, HasKindNoneWhenItIsNotJson) {
  for (const std::string_view text :
       {"",     "-",  "+1",  "01",    "-01",  "00.5", "1.",       ".5",
        "1.e5", "1e", "1e+", "1e5.5", "0x10", "NaN",  "Infinity", "-Infinity",
        "1 ",   " 1", "1a",  "1.5x",  "--1",  "1,5",  "1_000"}) {
    EXPECT_EQ(number_of(text).kind, NumberKind::none) << text;
  }
}

// Digits without leading and trailing zeros, and the power of ten of the last digit.
struct Plain {
  std::string digits{};
  std::int64_t exponent = 0;

  bool operator==(const Plain&) const = default;
};

// The slow way, with strings only.
Plain plain_of(std::string_view text) {
  Plain plain;
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t e = text.find_first_of("eE");
  if (e != text.npos) plain.exponent = std::atoll(std::string(text.substr(e + 1)).c_str());
  plain.digits = std::string(text.substr(0, e));
  if (const std::size_t point = plain.digits.find('.'); point != std::string::npos) {
    plain.digits.erase(point, 1);
    plain.exponent -= static_cast<std::int64_t>(plain.digits.size() - point);
  }
  plain.digits.erase(0, std::min(plain.digits.find_first_not_of('0'), plain.digits.size()));
  while (plain.digits.ends_with('0')) {
    plain.digits.pop_back();
    ++plain.exponent;
  }
  if (plain.digits.empty()) plain.exponent = 0;
  return plain;
}

// The fewest digits from which the C library reads the same number back.
std::string shortest_of(double real) {
  std::array<char, 64> text{};
  for (int digits = 0; digits < 17; ++digits) {
    std::snprintf(text.data(), text.size(), "%.*e", digits, real);
    if (std::strtod(text.data(), nullptr) == real) break;
  }
  return text.data();
}

NumberKind kind_of(const std::string& text) {
  if (text.find_first_of(".eE") == std::string::npos) {
    const bool is_negative = text.starts_with('-');
    const std::string digits = text.substr(is_negative ? 1 : 0);
    const std::string most = is_negative ? "9223372036854775808" : "9223372036854775807";
    const bool fits =
        digits.size() < most.size() || (digits.size() == most.size() && digits <= most);
    return fits ? NumberKind::integer : NumberKind::exact;
  }
  const double real = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(real)) return NumberKind::exact;
  return plain_of(text) == plain_of(shortest_of(real)) ? NumberKind::real : NumberKind::exact;
}

std::string digits(int most) {
  const int count = *rc::gen::inRange(1, most + 1);
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += *rc::gen::elementOf(std::string("0001234567899"));
  }
  return text;
}

std::string any_number() {
  std::string text = *rc::gen::elementOf(std::vector<std::string>{"", "-"});
  const std::string whole = digits(20);
  text += whole.starts_with('0') ? "0" : whole;
  if (*rc::gen::inRange(0, 3) > 0) text += "." + digits(20);
  if (*rc::gen::inRange(0, 3) > 0) {
    text += *rc::gen::elementOf(std::vector<std::string>{"e", "E+", "e-"});
    text += std::to_string(*rc::gen::oneOf(rc::gen::inRange(0, 30), rc::gen::inRange(0, 340)));
  }
  return text;
}

void check_number(const std::string& text) {
  const Number number = number_of(text);
  RC_LOG() << text << '\n';
  RC_ASSERT(number.kind == kind_of(text));
  if (number.kind == NumberKind::integer) RC_ASSERT(number.integer == std::atoll(text.c_str()));
  if (number.kind == NumberKind::real) RC_ASSERT(number.real == std::strtod(text.c_str(), nullptr));
}

RC_GTEST_PROP(Number, MatchesTheReferenceImplementation, ()) { check_number(any_number()); }

double any_double() {
  const auto real = std::bit_cast<double>(*rc::gen::arbitrary<std::array<std::uint32_t, 2>>());
  const double small = static_cast<double>(*rc::gen::inRange(-1'000'000, 1'000'000)) / 1e3;
  return std::isfinite(real) && *rc::gen::arbitrary<bool>() ? real : small;
}

RC_GTEST_PROP(Number, MatchesTheReferenceImplementationNearAnyDouble, ()) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*e", *rc::gen::inRange(12, 19), any_double());
  check_number(text.data());
}

RC_GTEST_PROP(Number, RealsRoundTripThroughText, ()) {
  const double real = any_double();
  std::string text = "x";
  append_text(real, text);
  text.erase(0, 1);
  RC_LOG() << text << '\n';
  RC_ASSERT(text.find_first_of(".e") != std::string::npos);
  const Number number = number_of(text);
  RC_ASSERT(number.kind == NumberKind::real);
  RC_ASSERT(number.real == real);
}

TEST(Number, WritesRealsWithoutExponentWhenShort) {
  for (const auto& [real, wanted] :
       std::vector<std::pair<double, std::string_view>>{{0, "0.0"},
                                                        {-0.0, "0.0"},
                                                        {1, "1.0"},
                                                        {-1.5, "-1.5"},
                                                        {100000, "100000.0"},
                                                        {1e15, "1000000000000000.0"},
                                                        {9999999999999998, "9999999999999998.0"},
                                                        {1e16, "1e+16"},
                                                        {1e300, "1e+300"},
                                                        {1e-5, "0.00001"},
                                                        {9.9e-6, "9.9e-06"},
                                                        {5e-324, "5e-324"}}) {
    std::string text;
    append_text(real, text);
    EXPECT_EQ(text, wanted);
  }
  std::string text;
  append_text(std::numeric_limits<std::int64_t>::min(), text);
  EXPECT_EQ(text, "-9223372036854775808");
}

TEST(Number, IdentifiesIntegersThatADoubleRepresentsExactly) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(is_double(std::int64_t{1} << 53U));
  EXPECT_FALSE(is_double((std::int64_t{1} << 53U) + 1));
  EXPECT_TRUE(is_double((std::int64_t{1} << 53U) + 2));
  EXPECT_TRUE(is_double(std::numeric_limits<std::int64_t>::min()));
  EXPECT_FALSE(is_double(kMost));
  EXPECT_TRUE(is_double(kMost - 1'023));
}

}  // namespace
}  // namespace tidemill::jsonl
