// Flags: what a benchmark program is asked to do. A flag that is not understood is an error of the
// user: the program says so and leaves with 2.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>

namespace tidemill::bench {

struct Flags {
  std::size_t rounds = 9;
  std::size_t shrink = 1;  // divides the number of tasks
  std::uint64_t seed = 20240229;
  std::set<std::size_t> only{};  // empty: all scenarios
  bool help = false;

  [[nodiscard]] bool wants(std::size_t scenario) const {
    return only.empty() || only.contains(scenario);
  }
};

inline constexpr const char* kUsage =
    "  --rounds N   rounds of every comparison (default 9)\n"
    "  --quick      3 rounds with a tenth of the tasks: to see that it runs, not to quote\n"
    "  --only N     only scenario N; may be given again\n"
    "  --seed N     order of the turns (printed with every run)\n";

template <class Number>
[[nodiscard]] bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Nothing when the command line is wrong.
[[nodiscard]] inline std::optional<Flags> read_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    std::size_t scenario = 0;
    if (flag == "--help") {
      flags.help = true;
    } else if (flag == "--quick") {
      flags.rounds = 3;
      flags.shrink = 10;
    } else if (flag == "--rounds" && read_number(value, flags.rounds) && flags.rounds > 0) {
      ++i;
    } else if (flag == "--seed" && read_number(value, flags.seed)) {
      ++i;
    } else if (flag == "--only" && read_number(value, scenario)) {
      flags.only.insert(scenario);
      ++i;
    } else {
      return std::nullopt;
    }
  }
  return flags;
}

}  // namespace tidemill::bench
