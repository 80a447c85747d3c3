// HaltRule: when failures end the run.
//
//   never           continue to the end (the default)
//   soon,fail=3     after 3 failures start no more commands; running ones may finish
//   now,fail=3      after 3 failures stop the running commands as well
//   soon,fail=10%   when more than 10 % of the settled tasks have failed, and at least 3 have
//
// "soon" and "now" alone mean fail=1. A task that will be retried does not count as failed.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::each {

// Immutable.
struct HaltRule {
  enum class Manner : std::uint8_t { never, soon, now };
  static constexpr std::uint64_t kFewestForPercent = 3;

  Manner manner = Manner::never;
  std::uint64_t failures = 1;
  double percent = 0;             // if above 0, used instead of `failures`
  std::uint64_t max_letters = 0;  // --max-failures; 0: no limit; ends the run "soon"

  [[nodiscard]] static Result<HaltRule> parse(std::string_view text);

  // What to do after `failed` failures among `settled` tasks in this process, and `letters` dead
  // letters in the run.
  [[nodiscard]] Manner decide(std::uint64_t failed, std::uint64_t settled,
                              std::uint64_t letters) const;
  bool operator==(const HaltRule&) const = default;
};

}  // namespace tidemill::each
