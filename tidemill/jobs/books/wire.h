// The bytes by which values travel between a cell and its master and rest on the shelf: numbers of
// seven bits a byte, strings with their length before them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tidemill::books {

// One thread.
class WireWriter {
 public:
  void number(std::uint64_t value) {
    while (value >= 0x80U) {
      bytes_.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
      value >>= 7U;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a WireWriter wrote. What is not there reads as 0 and empty, and is_good() says so:
// bytes may come from anywhere. One thread.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) return refuse();
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    return refuse();
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
