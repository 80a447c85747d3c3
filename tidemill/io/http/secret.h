// Secret: a key or a password. It comes from a file or the environment, never from the command
// line, which every user of the machine can read and which a run stores. It is never shown: code
// that makes a text from something that may contain it calls hide().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/result.h"

namespace tidemill::http {

// Immutable.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  [[nodiscard]] bool is_empty() const { return value_.empty(); }
  [[nodiscard]] const std::string& reveal() const { return value_; }

  // The text with every occurrence of the secret replaced by "[secret]". Secrets of fewer than four
  // bytes are not replaced.
  [[nodiscard]] std::string hide(std::string text) const;

 private:
  std::string value_;
};

// Reads the first line of the file, or without a file the variable; white space at both ends is
// removed. If neither is given, the secret is empty. A file that other users can read is refused
// (step "secret"). Failures name the file or the variable.
[[nodiscard]] Result<Secret> read_secret(const std::string& file, const char* variable);

}  // namespace tidemill::http
