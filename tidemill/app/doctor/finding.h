// Finding: what `tidemill doctor` has to say about one thing: what was found, how bad that is, and
// what to do about it. Values; nothing here fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tidemill::app {

// From the best to the worst.
enum class Verdict : std::uint8_t {
  ok,
  note,     // good to know; nothing will go wrong because of it
  warning,  // works, but worse than it could, or something may be lost
  error,    // something will fail
};

[[nodiscard]] constexpr std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::note:
      return "note";
    case Verdict::warning:
      return "warning";
    case Verdict::error:
      return "error";
  }
  return "unknown";
}

// A number or a text for programs. Texts may be any bytes.
using Measure = std::variant<std::uint64_t, double, bool, std::string>;

struct Finding {
  std::string check{};  // what was looked at: "fsync"
  Verdict verdict = Verdict::ok;
  std::string found{};   // for people; names in it are escaped
  std::string advice{};  // what to do; empty: nothing
  std::vector<std::pair<std::string, Measure>> facts{};

  bool operator==(const Finding&) const = default;
};

}  // namespace tidemill::app
