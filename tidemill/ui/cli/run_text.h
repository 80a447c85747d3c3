// Texts that several verbs share: the state of a run, its command line, times. Pure functions,
// except for the time zone of local times. Nothing can fail.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/state/run/run_lock.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::cli {

// crashed: the process is gone. incomplete: the last process completed its request, such as
// retrying failures, but the run has more work.
inline constexpr std::string_view kCrashed = "crashed";
inline constexpr std::string_view kIncomplete = "incomplete";
// starting: the journal is not written yet. unreadable: the journal cannot be read.
inline constexpr std::string_view kStarting = "starting";
inline constexpr std::string_view kUnreadable = "unreadable";
// A run of dupes that was undone.
inline constexpr std::string_view kUndone = "undone";

// For programs: the ending on the card, or crashed or incomplete.
[[nodiscard]] std::string state_of(std::string_view ending, bool is_held, bool has_work_left);
// For people: "running (pid 4711)".
[[nodiscard]] std::string state_text(const std::string& state,
                                     const std::optional<run::LockHolder>& holder);

// The arguments of a run without the flags that have their default value.
[[nodiscard]] std::vector<std::string> chosen_arguments(const run::RunCard& card,
                                                        const command::Program& program);

// "each --shell in -- 'wc -l'": the command of a run for a list, without the program, the flags
// that have their default value, and those that every verb has: they say how a run was shown, not
// what it did. A text wider than `width` loses its flags first and then its end.
[[nodiscard]] std::string command_text(const run::RunCard& card, const command::Program& program,
                                       std::optional<std::size_t> width);

// Truncates the text to `width` columns, with "…" at the end.
[[nodiscard]] std::string cut_text(std::string_view text, std::size_t width);

// How long ago, in one unit: "12s", "3m", "2h", "5d", "2y". A future time is "0s".
[[nodiscard]] std::string age_text(WallTime then, WallTime now);

[[nodiscard]] std::string local_minute(WallTime time);  // "2026-11-15 04:31"
[[nodiscard]] std::string local_second(WallTime time);  // "2026-11-15 04:31:07"
[[nodiscard]] std::string utc_date(WallTime time);      // "2026-11-15"
[[nodiscard]] std::string rfc3339(WallTime time);       // "2026-11-15T04:31:07.250Z"

}  // namespace tidemill::cli
