// Verdict: what the end of a command means for its task.
//
//   exit status 0                      done
//   a code or signal in --retry-on     failed, to be tried again
//   one in --permanent-on              failed for good
//   75 (EX_TEMPFAIL), a timeout        failed, to be tried again
//   anything else                      failed for good
//
// A command that we told to end because the run stops has no verdict: it did not fail and it did
// not finish, whatever it answered.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::each {

// How a process ended, as far as the verdict is concerned.
struct Ending {
  int status = 0;
  int signal = 0;  // 0: it ended by itself
  bool timed_out = false;
};

// One entry of --retry-on or --permanent-on.
struct EndingRule {
  enum class Kind : std::uint8_t { status, signal, timeout, any };
  Kind kind = Kind::status;
  int first = 0;  // a range of statuses, or one signal
  int last = 0;

  [[nodiscard]] bool fits(const Ending& ending) const;
  bool operator==(const EndingRule&) const = default;
};

// "75", "100-110", "SIGKILL", "KILL", "timeout", "any", with commas between them.
[[nodiscard]] Result<std::vector<EndingRule>> ending_rules(std::string_view text);

struct VerdictRules {
  std::vector<EndingRule> retry_on{};
  std::vector<EndingRule> permanent_on{};  // wins over retry_on
  std::chrono::milliseconds timeout{0};    // for the words
};

// Nothing to say: done.
[[nodiscard]] Result<void> judge(const Ending& ending, const VerdictRules& rules);

// "KILL" for 9; "signal 99" for one without a name.
[[nodiscard]] std::string name_of_signal(int signal);

}  // namespace tidemill::each
