// The words that several verbs have for the same thing: how a run stands, its command line, times.
// Pure, but for the time zone that local times are shown in. Nothing can fail.
#pragma once

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

// Of a run whose process is gone, and one whose last process did all it was asked to but not all
// there is: it has retried letters, say.
inline constexpr std::string_view kCrashed = "crashed";
inline constexpr std::string_view kIncomplete = "incomplete";
// How a run of dupes ended that was taken back.
inline constexpr std::string_view kUndone = "undone";

// For programs: the ending on the card, unless that is not the whole truth.
[[nodiscard]] std::string state_of(std::string_view ending, bool is_held, bool has_work_left);
// For people: "running (pid 4711)".
[[nodiscard]] std::string state_text(const std::string& state,
                                     const std::optional<run::LockHolder>& holder);

// The arguments of a run without the flags that have the value they would have anyway.
[[nodiscard]] std::vector<std::string> chosen_arguments(const run::RunCard& card,
                                                        const command::Program& program);

[[nodiscard]] std::string local_minute(WallTime time);  // "2026-11-15 04:31"
[[nodiscard]] std::string local_second(WallTime time);  // "2026-11-15 04:31:07"
[[nodiscard]] std::string utc_date(WallTime time);      // "2026-11-15"
[[nodiscard]] std::string rfc3339(WallTime time);       // "2026-11-15T04:31:07.250Z"

}  // namespace tidemill::cli
