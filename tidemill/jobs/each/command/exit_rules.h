// Exit rules: what the exit of a command means for its task. The first line that matches applies:
//
//   exit status 0, not timed out                    done
//   a status, signal or timeout in --permanent-on   permanent failure
//   a status, signal or timeout in --retry-on       transient failure: retried
//   75 (EX_TEMPFAIL), a timeout                     transient failure: retried
//   anything else                                   permanent failure
//
// A command that was terminated because the run stops is not judged: it neither failed nor
// finished, whatever its exit status.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::each {

// How a process ended, as far as the rules are concerned.
struct ProcessEnd {
  int status = 0;
  int signal = 0;  // 0: it was not killed by a signal
  bool timed_out = false;
};

// One entry of --retry-on or --permanent-on.
struct ExitRule {
  enum class Kind : std::uint8_t { status, signal, timeout, any };
  Kind kind = Kind::status;
  int first = 0;  // a range of statuses, or one signal
  int last = 0;

  [[nodiscard]] bool fits(const ProcessEnd& ending) const;
  bool operator==(const ExitRule&) const = default;
};

// A comma-separated list of "75", "100-110", "SIGKILL", "KILL", "timeout", "any".
[[nodiscard]] Result<std::vector<ExitRule>> ending_rules(std::string_view text);

struct ExitRules {
  std::vector<ExitRule> retry_on{};
  std::vector<ExitRule> permanent_on{};  // wins over retry_on
  std::chrono::milliseconds timeout{0};  // for the reason of the failure
};

// Success: the task is done.
[[nodiscard]] Result<void> judge(const ProcessEnd& ending, const ExitRules& rules);

// "KILL" for 9; "99" for a signal without a name.
[[nodiscard]] std::string name_of_signal(int signal);

}  // namespace tidemill::each
