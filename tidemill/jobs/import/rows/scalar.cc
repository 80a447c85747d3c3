#include "tidemill/jobs/import/rows/scalar.h"

#include <cmath>
#include <cstring>

#include "tidemill/formats/jsonl/grammar.h"
#include "tidemill/formats/jsonl/number.h"
#include "tidemill/jobs/import/rows/unescape.h"

namespace tidemill::import {
namespace {

using sqlite_pages::Type;

constexpr std::string_view kNotAnInteger = "a value is not an INTEGER, as its column requires";
constexpr std::string_view kNotAReal = "a value is not a REAL, as its column requires";

// A double that is a whole number within 64 bits.
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
  sqlite_pages::Value& value = scalar.value;
  scratch_.clear();
  if (value.type == Type::integer) {
    jsonl::append_text(value.integer, scratch_);
  } else {
    jsonl::append_text(value.real, scratch_);
  }
  value = {.type = Type::text, .bytes = keep(scratch_)};
}

// A number or a string in a column whose type was chosen. `text`: of a string.
std::string_view Scalars::fit(std::string_view text, Wish wish, Scalar& scalar) {
  sqlite_pages::Value& value = scalar.value;
  if (wish.type == ColumnType::text || wish.type == ColumnType::none) return {};
  if (value.type == Type::text) {
    const jsonl::Number number = jsonl::number_of(text);
    if (number.kind == jsonl::NumberKind::integer) {
      value = {.type = Type::integer, .integer = number.integer};
    } else if (number.kind == jsonl::NumberKind::real) {
      value = {.type = Type::real, .real = number.real};
    }
  }
  if (wish.type == ColumnType::integer) {
    if (value.type == Type::integer) return {};
    std::int64_t whole = 0;
    if (value.type != Type::real || !as_integer(value.real, whole)) return kNotAnInteger;
    value = {.type = Type::integer, .integer = whole};
    return {};
  }
  if (value.type == Type::real) return {};
  if (value.type != Type::integer || !jsonl::is_double(value.integer)) return kNotAReal;
  value = {.type = Type::real, .real = static_cast<double>(value.integer)};
  return {};
}

std::string_view Scalars::read_string(std::string_view inside, Wish wish, Scalar& scalar) {
  scalar.seen = kSeenString;
  scalar.value = {.type = Type::text, .bytes = inside};
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
  return wish.is_forced ? fit(scalar.value.bytes, wish, scalar) : std::string_view{};
}

std::string_view Scalars::read_number(std::string_view token, Wish wish, Scalar& scalar) {
  const jsonl::Number number = jsonl::number_of(token);
  switch (number.kind) {
    case jsonl::NumberKind::none:
      return name_of(jsonl::Flaw::bad_number);
    case jsonl::NumberKind::integer:
      scalar.seen = kSeenInteger;
      if (!jsonl::is_double(number.integer)) scalar.seen |= kSeenWide;
      scalar.value = {.type = Type::integer, .integer = number.integer};
      break;
    case jsonl::NumberKind::real:
      scalar.seen = kSeenReal;
      scalar.value = {.type = Type::real, .real = number.real};
      break;
    case jsonl::NumberKind::exact:
      scalar.seen = kSeenExact;
      scalar.value = {.type = Type::text, .bytes = token};
      break;
  }
  if (wish.type == ColumnType::text && scalar.value.type != Type::text) make_text(scalar);
  return wish.is_forced ? fit({}, wish, scalar) : std::string_view{};
}

std::string_view Scalars::read(std::string_view token, Wish wish, Scalar& scalar) {
  scalar.is_escaped = false;
  scalar.source = token;
  switch (token.empty() ? '\0' : token.front()) {
    case '\0':
      return name_of(jsonl::Flaw::malformed);
    case '"':
      if (token.size() < 2 || token.back() != '"') return name_of(jsonl::Flaw::malformed);
      return read_string(token.substr(1, token.size() - 2), wish, scalar);
    case 't':
    case 'f':
      if (token != "true" && token != "false") return name_of(jsonl::Flaw::malformed);
      scalar.seen = kSeenBool;
      scalar.value = {.type = Type::integer, .integer = token == "true" ? 1 : 0};
      if (wish.type == ColumnType::text) make_text(scalar);
      return wish.is_forced ? fit({}, wish, scalar) : std::string_view{};
    case 'n':
      if (token != "null") return name_of(jsonl::Flaw::malformed);
      scalar.seen = kSeenNull;
      scalar.value = {.type = Type::null};
      return {};
    default:
      return read_number(token, wish, scalar);
  }
}

std::string_view Scalars::keep_json(std::string_view json, Wish wish, Scalar& scalar) {
  scalar.is_escaped = false;
  scalar.source = json;
  scalar.seen = kSeenJson;
  scalar.value = {.type = Type::text, .bytes = json};
  if (!wish.is_forced || wish.type == ColumnType::text || wish.type == ColumnType::none) return {};
  return wish.type == ColumnType::integer ? kNotAnInteger : kNotAReal;
}

}  // namespace tidemill::import
