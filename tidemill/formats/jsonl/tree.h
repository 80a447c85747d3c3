// Json: a small JSON document, read whole. For answers of servers and for what we kept ourselves;
// large files are read by the other parts of this folder.
//
// Asking is total: a key that is not there, or a value of another kind, is null or empty. So a
// reader says what it wants and checks only what it cannot do without.
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

  // Failure, step "json", give_up: not JSON, deeper than 512 levels, more than one value or, so
  // that a hostile text does not become many times its size, more than 500,000 values inside. Whole
  // numbers that no int64 holds are doubles.
  [[nodiscard]] static Result<Json> parse(std::string_view text);

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_text() const;

  // Of an object: the value with this key (the first, if there are several); else null.
  [[nodiscard]] const Json& operator[](std::string_view key) const;
  [[nodiscard]] std::span<const Json> items() const;  // of an array
  [[nodiscard]] const std::string& text() const;      // of a string
  [[nodiscard]] std::optional<double> number() const;
  [[nodiscard]] std::optional<std::int64_t> whole() const;  // also of 3.0
  [[nodiscard]] std::optional<bool> truth() const;

 private:
  using Member = std::pair<std::string, Json>;
  struct Maker;  // from simdjson

  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<Json>,
               std::vector<Member>>
      value_;
};

}  // namespace tidemill::jsonl
