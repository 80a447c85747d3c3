// Secret: a key or a password. It comes from a file or from the environment, never from the command
// line, where every user of the machine could read it and a run would keep it; and it is shown
// nowhere: whoever makes a text out of something that may hold it calls hide().
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

  // The text with "[secret]" wherever the secret stands in it.
  [[nodiscard]] std::string hide(std::string text) const;

 private:
  std::string value_;
};

// The first line of the file, without blanks at its ends; without a file the value of the variable.
// Failures name the file or the variable, and a file that others may read is refused (step
// "secret"). Neither given: an empty secret.
[[nodiscard]] Result<Secret> read_secret(const std::string& file, const char* variable);

}  // namespace tidemill::http
