#include "tidemill/jobs/import/rows/scalar.h"

#include <cmath>
#include <cstring>

#include "tidemill/formats/jsonl/grammar.h"
#include "tidemill/formats/jsonl/number.h"
#include "tidemill/jobs/import/rows/unescape.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellType;

constexpr std::string_view kNotAnInteger = "a value is not an INTEGER, as its column requires";
constexpr std::string_view kNotAReal = "a value is not a REAL, as its column requires";

// The integer that a double represents exactly, within 64 bits.
bool as_integer(double real, std::int64_t& integer) {
  if (real < -9'223'372'036'854'775'808.0 || real >= 9'223'372'036'854'775'808.0) return false;
  if (std::trunc(real) != real) return false;
  integer = static_cast<std::int64_t>(real);
  return true;
}

}  // namespace

std::string_view Scalars::keep(std::string_view text) {
  auto* kept = static_cast<char*>(texts_.allocate(text.size() + 1, 1));
  std::memcpy(kept, text.data(), text.size());
  return {kept, text.size()};
}

void Scalars::make_text(Scalar& scalar) {
  sqlite_pages::CellValue& value = scalar.value;
  scratch_.clear();
  if (value.type == CellType::integer) {
    jsonl::append_text(value.integer, scratch_);
  } else {
    jsonl::append_text(value.real, scratch_);
  }
  value = {.type = CellType::text, .bytes = keep(scratch_)};
}

// Fits a number or a string into a column with a forced type. `text` is that of a string.
std::string_view Scalars::fit(std::string_view text, ColumnNeed need, Scalar& scalar) {
  sqlite_pages::CellValue& value = scalar.value;
  if (need.type == ColumnType::text || need.type == ColumnType::none) return {};
  if (value.type == CellType::text) {
    const jsonl::Number number = jsonl::number_of(text);
    if (number.kind == jsonl::NumberKind::integer) {
      value = {.type = CellType::integer, .integer = number.integer};
    } else if (number.kind == jsonl::NumberKind::real) {
      value = {.type = CellType::real, .real = number.real};
    }
  }
  if (need.type == ColumnType::integer) {
    if (value.type == CellType::integer) return {};
    std::int64_t whole = 0;
    if (value.type != CellType::real || !as_integer(value.real, whole)) return kNotAnInteger;
    value = {.type = CellType::integer, .integer = whole};
    return {};
  }
  if (value.type == CellType::real) return {};
  if (value.type != CellType::integer || !jsonl::is_double(value.integer)) return kNotAReal;
  value = {.type = CellType::real, .real = static_cast<double>(value.integer)};
  return {};
}

std::string_view Scalars::read_string(std::string_view inside, ColumnNeed need, Scalar& scalar) {
  scalar.seen = kSeenString;
  scalar.value = {.type = CellType::text, .bytes = inside};
  if (std::memchr(inside.data(), '\\', inside.size()) != nullptr) {
    const jsonl::Flaw flaw = jsonl::check_string(inside);
    if (flaw != jsonl::Flaw::none) return name_of(flaw);
    if (inside.size() >= sqlite_pages::kLarge) {
      scalar.is_escaped = true;
    } else {
      auto* kept = static_cast<char*>(texts_.allocate(inside.size(), 1));
      scalar.value.bytes = {kept, unescape(inside, kept)};
    }
  }
  return need.is_forced ? fit(scalar.value.bytes, need, scalar) : std::string_view{};
}

std::string_view Scalars::read_number(std::string_view token, ColumnNeed need, Scalar& scalar) {
  const jsonl::Number number = jsonl::number_of(token);
  switch (number.kind) {
    case jsonl::NumberKind::none:
      return name_of(jsonl::Flaw::bad_number);
    case jsonl::NumberKind::integer:
      scalar.seen = kSeenInteger;
      if (!jsonl::is_double(number.integer)) scalar.seen |= kSeenWide;
      scalar.value = {.type = CellType::integer, .integer = number.integer};
      break;
    case jsonl::NumberKind::real:
      scalar.seen = kSeenReal;
      scalar.value = {.type = CellType::real, .real = number.real};
      break;
    case jsonl::NumberKind::exact:
      scalar.seen = kSeenExact;
      scalar.value = {.type = CellType::text, .bytes = token};
      break;
  }
  if (need.type == ColumnType::text && scalar.value.type != CellType::text) make_text(scalar);
  return need.is_forced ? fit({}, need, scalar) : std::string_view{};
}

std::string_view Scalars::read(std::string_view token, ColumnNeed need, Scalar& scalar) {
  scalar.is_escaped = false;
  scalar.source = token;
  switch (token.empty() ? '\0' : token.front()) {
    case '\0':
      return name_of(jsonl::Flaw::malformed);
    case '"':
      if (token.size() < 2 || token.back() != '"') return name_of(jsonl::Flaw::malformed);
      return read_string(token.substr(1, token.size() - 2), need, scalar);
    case 't':
    case 'f':
      if (token != "true" && token != "false") return name_of(jsonl::Flaw::malformed);
      scalar.seen = kSeenBool;
      scalar.value = {.type = CellType::integer, .integer = token == "true" ? 1 : 0};
      if (need.type == ColumnType::text) make_text(scalar);
      return need.is_forced ? fit({}, need, scalar) : std::string_view{};
    case 'n':
      if (token != "null") return name_of(jsonl::Flaw::malformed);
      scalar.seen = kSeenNull;
      scalar.value = {.type = CellType::null};
      return {};
    default:
      return read_number(token, need, scalar);
  }
}

std::string_view Scalars::keep_json(std::string_view json, ColumnNeed need, Scalar& scalar) {
  scalar.is_escaped = false;
  scalar.source = json;
  scalar.seen = kSeenJson;
  scalar.value = {.type = CellType::text, .bytes = json};
  if (!need.is_forced || need.type == ColumnType::text || need.type == ColumnType::none) return {};
  return need.type == ColumnType::integer ? kNotAnInteger : kNotAReal;
}

}  // namespace tidemill::import
