// Reply: a reply of Redis, as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::redis {

struct Reply {
  enum class Kind : std::uint8_t { nil, status, error, integer, text, list };

  Kind kind = Kind::nil;
  std::int64_t number = 0;     // of an integer
  std::string text{};          // of a status, an error or a text: any bytes
  std::vector<Reply> items{};  // of a list

  [[nodiscard]] bool is_error() const { return kind == Kind::error; }
  [[nodiscard]] bool is_nil() const { return kind == Kind::nil; }
  bool operator==(const Reply&) const = default;
};

}  // namespace tidemill::redis
