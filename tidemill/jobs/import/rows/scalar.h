// Scalars: converts a JSON token to the value for a column, and the kind of value (Seen).
//
// Values are never altered: if the type of a column cannot represent one exactly, the reason is
// returned and the line is a reject. Texts are views into the line, or into a buffer that is valid
// until the next row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/jobs/import/rows/column_type.h"

namespace tidemill::import {

struct Scalar {
  sqlite_pages::CellValue value{};
  Seen seen = 0;
  std::string_view source{};  // the token in the line
  bool is_escaped = false;    // a long string that is still escaped: unescape() it in place
};

// The type that a column requires of its values.
struct ColumnNeed {
  ColumnType type = ColumnType::none;  // as far as is known
  bool is_forced = false;              // the type cannot widen
};

// One thread, that of its worker.
class Scalars {
 public:
  void next_row() { texts_.release(); }

  // `token` is a complete token: a string with its quotes, a number, true, false or null. Returns
  // the reason if the value is refused, otherwise an empty string.
  [[nodiscard]] std::string_view read(std::string_view token, ColumnNeed need, Scalar& scalar);

  // An object or a list as its text, which must be well formed.
  [[nodiscard]] static std::string_view keep_json(std::string_view json, ColumnNeed need,
                                                  Scalar& scalar);

 private:
  static constexpr std::size_t kRoom = std::size_t{64} * 1024;  // enough for most rows
  [[nodiscard]] std::string_view read_string(std::string_view inside, ColumnNeed need,
                                             Scalar& scalar);
  [[nodiscard]] std::string_view read_number(std::string_view token, ColumnNeed need,
                                             Scalar& scalar);
  void make_text(Scalar& scalar);  // for a number in a TEXT column
  [[nodiscard]] static std::string_view fit(std::string_view text, ColumnNeed need, Scalar& scalar);
  [[nodiscard]] std::string_view keep(std::string_view text);

  std::vector<std::byte> room_ = std::vector<std::byte>(kRoom);
  std::pmr::monotonic_buffer_resource texts_{room_.data(), room_.size()};
  std::string scratch_{};
};

}  // namespace tidemill::import
