// DoctorFinding: the result of one check of `tidemill doctor`: what it found, how severe that is,
// and what to do about it. Values; nothing here fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tidemill::app {

// In order of severity.
enum class CheckLevel : std::uint8_t {
  ok,
  note,     // good to know; causes no failures
  warning,  // works, but slowly, or data may be lost
  error,    // something will fail
};

[[nodiscard]] constexpr std::string_view name_of(CheckLevel level) {
  switch (level) {
    case CheckLevel::ok:
      return "ok";
    case CheckLevel::note:
      return "note";
    case CheckLevel::warning:
      return "warning";
    case CheckLevel::error:
      return "error";
  }
  return "unknown";
}

// A value for programs. Texts may contain any bytes.
using Measure = std::variant<std::uint64_t, double, bool, std::string>;

struct DoctorFinding {
  std::string check{};  // the name of the check: "fsync"
  CheckLevel level = CheckLevel::ok;
  std::string found{};   // for people; names in it are escaped
  std::string advice{};  // what to do; empty: nothing
  std::vector<std::pair<std::string, Measure>> facts{};

  bool operator==(const DoctorFinding&) const = default;
};

}  // namespace tidemill::app
