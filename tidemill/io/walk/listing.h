// Listing: the entries of one folder, sorted by the bytes of their names.
//
// All names are in one string, each after a byte for its kind, and the order is a list of offsets
// into it: a folder of a million entries costs the bytes of its names and about 6 bytes an entry.
// The folder is read completely before the first entry is used, so its descriptor need not stay
// open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::walk {

enum class EntryKind : char { file, folder, other, unknown };

// One thread.
class Listing {
 public:
  // Reads the open folder `descriptor` from its beginning. Checks the token at least once in 1,000
  // entries; a stop ends the reading early, with an incomplete listing. Fails with errno in
  // `error`.
  struct Reading;
  [[nodiscard]] static Reading read(int descriptor, const std::stop_token& stop);

  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] std::string_view name(std::size_t i) const { return name_at(order_[i]); }
  [[nodiscard]] EntryKind kind(std::size_t i) const { return EntryKind{text_[order_[i]]}; }

  // Index of the first entry whose name is not before `name`.
  [[nodiscard]] std::size_t first_from(std::string_view name) const;

 private:
  [[nodiscard]] bool add(std::string_view name, EntryKind kind);  // false: no room
  [[nodiscard]] std::string_view name_at(std::uint32_t place) const {
    return text_.data() + place + 1;  // NUL-terminated
  }

  std::string text_;
  std::vector<std::uint32_t> order_;
};

struct Listing::Reading {
  Listing listing{};
  int error = 0;
};

}  // namespace tidemill::walk
