// The binary encoding of values that are sent between a sandbox and its parent and stored in the
// cache: varint numbers, length-prefixed strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/varint.h"

namespace tidemill::books {

// One thread.
class MessageWriter {
 public:
  void number(std::uint64_t value) { append_varint(bytes_, value); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a MessageWriter wrote. The bytes are untrusted: missing values read as 0 or empty, and
// is_good() is false from then on. One thread.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] std::uint64_t number() {
    const auto value = take_varint(left_);
    return value ? *value : refuse();
  }
  [[nodiscard]] std::string_view text() {
    const std::uint64_t size = number();
    if (size > left_.size()) {
      refuse();
      return {};
    }
    const std::string_view value = left_.substr(0, size);
    left_.remove_prefix(size);
    return value;
  }
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] bool is_at_end() const { return left_.empty(); }
  [[nodiscard]] std::size_t left() const { return left_.size(); }

 private:
  std::uint64_t refuse() {
    is_good_ = false;
    left_ = {};
    return 0;
  }

  std::string_view left_;
  bool is_good_ = true;
};

}  // namespace tidemill::books
