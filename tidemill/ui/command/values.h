// Values: what the user chose, from the command line, the environment, the config file or the
// defaults, with the origin of each. Every value was checked against its Flag before it came here.
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

enum class Origin : std::uint8_t { fallback, config, environment, command_line };

struct Value {
  std::vector<std::string> texts{};  // as typed; one, or several of a list
  Origin origin = Origin::fallback;
  std::string place{};  // "TIDEMILL_WORKERS", "/home/me/.config/tidemill/tidemill.toml:3"
};

// Immutable once built. Asking for a flag or as a kind that the verb does not describe is a bug and
// asserts; Values made by hand, without a description, are not checked.
class Values {
 public:
  std::string verb{};  // "each", "letters retry"
  // By Flag::name; no entry: not chosen, and no default. A toggle is "true" or "false".
  std::map<std::string, Value, std::less<>> flags{};
  std::map<std::string, std::vector<std::string>, std::less<>> arguments{};  // by Argument::name
  // The verb, with the flags of the program after its own: kinds, and the order of the flags.
  std::shared_ptr<const Verb> described{};

  [[nodiscard]] bool has(std::string_view flag) const;  // chosen, or has a default
  [[nodiscard]] bool is_on(std::string_view flag) const;
  [[nodiscard]] std::string text(std::string_view flag) const;  // "" when absent
  [[nodiscard]] const std::vector<std::string>& texts(std::string_view flag) const;
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view flag) const;
  [[nodiscard]] std::optional<std::chrono::milliseconds> duration(std::string_view flag) const;
  [[nodiscard]] std::optional<Bytes> size(std::string_view flag) const;
  [[nodiscard]] std::optional<double> rate(std::string_view flag) const;  // a second
  // Of a flag that has a default, which stands in its description and nowhere else.
  [[nodiscard]] std::uint64_t count_of(std::string_view flag) const;
  [[nodiscard]] std::chrono::milliseconds duration_of(std::string_view flag) const;
  [[nodiscard]] Bytes size_of(std::string_view flag) const;
  [[nodiscard]] double rate_of(std::string_view flag) const;
  [[nodiscard]] const std::vector<std::string>& argument(std::string_view name) const;

  // A command line that means the same without any config file or environment: what a run stores,
  // so that it can be resumed as it was started. Without the verb. Defaults are in it too: a later
  // version may have others.
  [[nodiscard]] std::vector<std::string> as_arguments() const;

 private:
  [[nodiscard]] const Value* find(std::string_view flag, Kind kind) const;
};

}  // namespace tidemill::command
