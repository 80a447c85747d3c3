// Json: a small JSON document, parsed completely into memory. For server responses and our own
// files; large files are read by the other parts of this folder.
//
// Access never fails: a missing key, or a value of another type, is null or empty. So a caller
// checks only the values that it requires.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::jsonl {

// Immutable.
class Json {
 public:
  Json() = default;  // null

  // Fails (step "json", give_up) if the text is not JSON, is nested deeper than 512 levels, holds
  // more than one value at the top level, or has more than 500,000 values inside (a hostile text
  // must not expand to many times its size). Integers that do not fit an int64 become doubles.
  [[nodiscard]] static Result<Json> parse(std::string_view text);

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_text() const;

  // The member of an object with this key (the first, if there are several); otherwise null.
  [[nodiscard]] const Json& operator[](std::string_view key) const;
  [[nodiscard]] std::span<const Json> items() const;  // of an array
  [[nodiscard]] const std::string& text() const;      // of a string
  [[nodiscard]] std::optional<double> number() const;
  [[nodiscard]] std::optional<std::int64_t> whole() const;  // also for 3.0
  [[nodiscard]] std::optional<bool> truth() const;

 private:
  using Member = std::pair<std::string, Json>;
  struct Maker;  // from simdjson

  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<Json>,
               std::vector<Member>>
      value_;
};

}  // namespace tidemill::jsonl
