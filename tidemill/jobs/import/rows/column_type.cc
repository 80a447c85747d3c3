#include "tidemill/jobs/import/rows/column_type.h"

#include <algorithm>
#include <array>

namespace tidemill::import {

std::string_view name_of(ColumnType type) {
  switch (type) {
    case ColumnType::none:
      return "";
    case ColumnType::integer:
      return "INTEGER";
    case ColumnType::real:
      return "REAL";
    case ColumnType::text:
      return "TEXT";
  }
  return "";
}

std::optional<ColumnType> type_named(std::string_view name) {
  const auto is_same = [](char a, char b) {
    return a == (b >= 'a' && b <= 'z' ? static_cast<char>(b - 'a' + 'A') : b);
  };
  for (const ColumnType type : {ColumnType::integer, ColumnType::real, ColumnType::text}) {
    if (std::ranges::equal(name_of(type), name, is_same)) return type;
  }
  return std::nullopt;
}

std::string_view name_of_bit(std::size_t bit) {
  static constexpr std::array<std::string_view, kSeenBits> kNames = {
      "null",
      "true or false",
      "an integer",
      "an integer that a double cannot hold",
      "a number with a fraction",
      "a number that only text can hold exactly",
      "a string",
      "an object or a list",
  };
  return bit < kNames.size() ? kNames[bit] : "unknown";
}

}  // namespace tidemill::import
