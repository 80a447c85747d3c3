// The kinds of values seen in a column, and the type that represents all of them exactly.
//
//   none → INTEGER → REAL → TEXT        only in this direction, and without loss
//
// A column is INTEGER while it holds integers and booleans (1 and 0), REAL while a double
// represents every number in it exactly, and TEXT as soon as it holds a string, a nested value, a
// number that only its text represents exactly, or reals together with integers that a double would
// round. In a TEXT column a number has the text of formats/jsonl/number.h, so the result does not
// depend on the order of the lines. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemill::import {

enum class ColumnType : std::uint8_t { none, integer, real, text };

[[nodiscard]] std::string_view name_of(ColumnType type);                    // "INTEGER"; none: ""
[[nodiscard]] std::optional<ColumnType> type_named(std::string_view name);  // any case

// A set of kinds of values. The bits are stored (docs/formats/import.md): never change one.
using Seen = std::uint16_t;
inline constexpr Seen kSeenNull = 1;
inline constexpr Seen kSeenBool = 2;
inline constexpr Seen kSeenInteger = 4;
inline constexpr Seen kSeenWide = 8;  // an integer that a double would round
inline constexpr Seen kSeenReal = 16;
inline constexpr Seen kSeenExact = 32;  // a number that only its text represents exactly
inline constexpr Seen kSeenString = 64;
inline constexpr Seen kSeenJson = 128;  // an object or a list, as text
inline constexpr std::size_t kSeenBits = 8;

[[nodiscard]] std::string_view name_of_bit(std::size_t bit);  // for messages: "a string"

inline constexpr Seen kSeenNumber = kSeenBool | kSeenInteger | kSeenWide | kSeenReal;

[[nodiscard]] constexpr ColumnType type_of(Seen seen) {
  if ((seen & (kSeenExact | kSeenString | kSeenJson)) != 0) return ColumnType::text;
  if ((seen & kSeenReal) != 0) {
    return (seen & kSeenWide) != 0 ? ColumnType::text : ColumnType::real;
  }
  if ((seen & (kSeenBool | kSeenInteger | kSeenWide)) != 0) return ColumnType::integer;
  return ColumnType::none;
}

}  // namespace tidemill::import
