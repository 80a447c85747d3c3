// Checksum: of the values of a row, kept in a column of the row itself. SQLite has no checksums of
// its pages, so a bit that flips inside a name would be taken for the name. Against decay, not
// against malice: 31 bits of a chained XXH3, so that it takes four bytes.
//
// In SQL it is checksum(value, ...), on every connection that went through migrate() or require():
// the same number for the same values. NULL counts as empty bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::store {

// Immutable but for add(): a value, built up field by field. The order counts.
class Checksum {
 public:
  Checksum& add(std::int64_t number);
  Checksum& add(std::string_view bytes);

  [[nodiscard]] std::int64_t value() const { return static_cast<std::int64_t>(state_ >> 33U); }

 private:
  std::uint64_t state_ = 0;
};

template <class... Values>
[[nodiscard]] std::int64_t checksum_of(const Values&... values) {
  Checksum sum;
  (sum.add(values), ...);
  return sum.value();
}

}  // namespace tidemill::store
