#include "tidemill/jobs/import/sql/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "tidemill/formats/jsonl/number.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellType;
using sqlite_pages::CellValue;

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t take_digits(std::string_view& text) {
  const auto* const end = std::ranges::find_if_not(text, is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || !any_of.contains(text.front())) return false;
  text.remove_prefix(1);
  return true;
}

// Whether SQLite would read the text as a number: it allows more than JSON does (surrounding
// spaces, a plus sign, leading zeros, no digits on one side of the point).
bool reads_as_number(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  take(text, "+-");
  std::size_t digits = take_digits(text);
  if (take(text, ".")) digits += take_digits(text);
  if (digits == 0) return false;
  if (!take(text, "eE")) return text.empty();
  take(text, "+-");
  return take_digits(text) > 0 && text.empty();
}

bool is_whole(double real) {
  return std::trunc(real) == real && std::abs(real) < 9'223'372'036'854'775'808.0;
}

// The number of the text, if the text is exactly that of formats/jsonl/number.h.
bool take_number(std::string_view text, CellValue& number) {
  const jsonl::Number read = jsonl::number_of(text);
  std::string back;
  if (read.kind == jsonl::NumberKind::integer) {
    number = {.type = CellType::integer, .integer = read.integer};
    jsonl::append_text(read.integer, back);
  } else if (read.kind == jsonl::NumberKind::real) {
    number = {.type = CellType::real, .real = read.real};
    jsonl::append_text(read.real, back);
  }
  return back == text;
}

}  // namespace

bool fits(Affinity affinity, CellValue& value) {
  if (affinity == Affinity::none || affinity == Affinity::text) return true;
  const bool is_real = affinity == Affinity::real;
  if (value.type == CellType::integer) return !is_real || jsonl::is_double(value.integer);
  if (value.type != CellType::text || !reads_as_number(value.bytes)) return true;
  CellValue number;
  if (!take_number(value.bytes, number)) return false;
  // '5.0' would become 5 in an INTEGER column, and '5' would become 5.0 in a REAL column.
  if (is_real ? number.type == CellType::integer
              : number.type == CellType::real && is_whole(number.real)) {
    return false;
  }
  value = number;
  return true;
}

std::string shown(const CellValue& value) {
  constexpr std::size_t kShown = 60;
  std::string text;
  if (value.type == CellType::integer) {
    jsonl::append_text(value.integer, text);
  } else if (value.type == CellType::real) {
    jsonl::append_text(value.real, text);
  } else if (value.bytes.size() <= kShown) {
    text = value.bytes;
  } else {
    std::size_t end = kShown;  // moved back if it is inside a character
    while (end > 0 && (static_cast<unsigned char>(value.bytes[end]) & 0xc0U) == 0x80U) --end;
    text = std::string(value.bytes.substr(0, end)) + "…";
  }
  return text;
}

std::string reason_of_misfit(const DeclaredColumn& column, const CellValue& value) {
  const std::string quote = value.type == CellType::text ? "'" : "";
  return "column " + column.name + " is declared " + column.type + ", which would alter " + quote +
         shown(value) + quote;
}

}  // namespace tidemill::import
