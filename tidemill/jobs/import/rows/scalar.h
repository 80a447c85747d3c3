// Scalars: a token of JSON becomes the value that a column stores, and the mark of what was seen.
//
// Nothing is changed on the way: what a column's type cannot keep is said, and the line is a
// reject. Texts are views into the line, or into a store that is good until the next row.
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
  sqlite_pages::Value value{};
  Seen seen = 0;
  std::string_view source{};  // as it stands in the line
  bool is_escaped = false;  // a long string, still as it stands in the line: unescape() it in place
};

// What a column wants of its values.
struct Wish {
  ColumnType type = ColumnType::none;  // as far as is known
  bool is_forced = false;              // and must stay
};

// One thread: of one worker.
class Scalars {
 public:
  void next_row() { texts_.release(); }

  // `token` is a whole token: a string with its quotes, a number, true, false or null. The answer
  // is empty, or says what is wrong with it.
  [[nodiscard]] std::string_view read(std::string_view token, Wish wish, Scalar& scalar);

  // An object or a list as its text, which was found to be well formed.
  [[nodiscard]] static std::string_view keep_json(std::string_view json, Wish wish, Scalar& scalar);

 private:
  static constexpr std::size_t kRoom = std::size_t{64} * 1024;  // enough for most rows
  [[nodiscard]] std::string_view read_string(std::string_view inside, Wish wish, Scalar& scalar);
  [[nodiscard]] std::string_view read_number(std::string_view token, Wish wish, Scalar& scalar);
  void make_text(Scalar& scalar);  // a number in a column of TEXT
  [[nodiscard]] static std::string_view fit(std::string_view text, Wish wish, Scalar& scalar);
  [[nodiscard]] std::string_view keep(std::string_view text);

  std::vector<std::byte> room_ = std::vector<std::byte>(kRoom);
  std::pmr::monotonic_buffer_resource texts_{room_.data(), room_.size()};
  std::string scratch_{};
};

}  // namespace tidemill::import
