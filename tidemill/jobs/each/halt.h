// Halt: when failures should end the whole run.
//
//   never           go on to the end (the default)
//   soon,fail=3     after 3 failures start nothing more; what runs may finish
//   now,fail=3      after 3 failures end what runs as well
//   soon,fail=10%   when more than 10 % of what was tried has failed, and at least 3 tasks have
//
// "soon" and "now" alone mean fail=1. A task that will be tried again has not failed yet.
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
  double percent = 0;             // above 0: instead of `failures`
  std::uint64_t max_letters = 0;  // --max-letters: 0: any number; ends the run "soon"

  [[nodiscard]] static Result<HaltRule> parse(std::string_view text);

  // What to do when so many have failed and so many were settled, in this run of the program.
  [[nodiscard]] Manner decide(std::uint64_t failed, std::uint64_t settled,
                              std::uint64_t letters) const;
  bool operator==(const HaltRule&) const = default;
};

}  // namespace tidemill::each
