// Values: the values of a verb's flags and arguments, from the command line, the environment, the
// config file or the defaults, with the source of each. Every value has been checked against its
// Flag.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

enum class ValueSource : std::uint8_t { fallback, config, environment, command_line };

struct Value {
  std::vector<std::string> texts{};  // as typed; one, or several for a list
  ValueSource origin = ValueSource::fallback;
  std::string place{};  // "TIDEMILL_JOBS", "/home/me/.config/tidemill/tidemill.toml:3"
};

// Immutable once built. Reading a flag that the verb does not have, or as another kind, is a bug
// and asserts; Values without a description (in tests) are not checked.
class Values {
 public:
  std::string verb{};  // "each", "books check"
  // By Flag::name; no entry: not set, and no default. A toggle is "true" or "false".
  std::map<std::string, Value, std::less<>> flags{};
  std::map<std::string, std::vector<std::string>, std::less<>> arguments{};  // by Argument::name
  // The verb, with the flags of the program after its own: gives the kinds and the order.
  std::shared_ptr<const Verb> described{};

  [[nodiscard]] bool has(std::string_view flag) const;  // set, or has a default
  [[nodiscard]] bool is_on(std::string_view flag) const;
  [[nodiscard]] std::string text(std::string_view flag) const;  // "" when absent
  [[nodiscard]] const std::vector<std::string>& texts(std::string_view flag) const;
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view flag) const;
  [[nodiscard]] std::optional<std::chrono::milliseconds> duration(std::string_view flag) const;
  [[nodiscard]] std::optional<Bytes> size(std::string_view flag) const;
  [[nodiscard]] std::optional<double> rate(std::string_view flag) const;  // per second
  // For a flag that has a default; the default is only in its description.
  [[nodiscard]] std::uint64_t count_of(std::string_view flag) const;
  [[nodiscard]] std::chrono::milliseconds duration_of(std::string_view flag) const;
  [[nodiscard]] Bytes size_of(std::string_view flag) const;
  [[nodiscard]] double rate_of(std::string_view flag) const;
  [[nodiscard]] const std::vector<std::string>& argument(std::string_view name) const;

  // An equivalent command line that needs no config file or environment, without the verb. A run
  // stores it so that it can be resumed as it was started. Includes the defaults: a later version
  // may have others.
  [[nodiscard]] std::vector<std::string> as_arguments() const;

 private:
  [[nodiscard]] const Value* find(std::string_view flag, ValueKind kind) const;
};

}  // namespace tidemill::command
