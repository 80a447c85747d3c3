// Checksum: a checksum over the values of a row, stored in a column of the same row. SQLite has no
// page checksums, so a flipped bit in a name would go unnoticed. It protects against decay, not
// against tampering: 31 bits of a chained XXH3, so that it takes four bytes.
//
// In SQL it is checksum(value, ...), on every connection that went through migrate() or require(),
// with the same result for the same values. NULL counts as empty bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::store {

// A value, built field by field with add(). The order matters.
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
