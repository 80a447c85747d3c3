// RunCard: the description of a run, stored in the notes of its journal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::run {

// The values of RunCard::ending. Any other value in the note is shown unchanged.
inline constexpr std::string_view kRunning = "running";          // or it crashed
inline constexpr std::string_view kComplete = "complete";        // nothing is pending
inline constexpr std::string_view kInterrupted = "interrupted";  // by a signal
inline constexpr std::string_view kHalted = "halted";            // by its failure limit
inline constexpr std::string_view kFailed = "failed";            // the run itself, see `cause`

// What the coordinators of a run have counted, each until it ended in order.
struct FleetTally {
  std::uint64_t sent = 0;        // parcels
  std::uint64_t taken_back = 0;  // from workers that were silent
  std::uint64_t missing = 0;     // lost by the server, and sent again
  std::uint64_t stale = 0;       // reports that came too late

  bool operator==(const FleetTally&) const = default;
};

struct RunCard {
  std::string job{};                     // the verb
  std::vector<std::string> arguments{};  // of the verb; need no config file or environment
  std::string directory{};               // the base of relative paths
  std::string version{};                 // of the program that started it
  WallTime started{};
  std::optional<WallTime> ended{};  // of the last process that exited cleanly
  std::string ending{};             // kRunning, …
  std::string cause{};              // of kFailed
  bool has_found_all = false;       // the source was read to its end
  std::string position{};           // in the source, for the job
  std::string mark{};               // random: identifies child processes of this run
  std::string fleet{};              // on which its tasks were run last: "redis:photos"; or empty
  bool is_on_fleet = false;         // parts of it may still be there
  FleetTally fleet_tally{};

  bool operator==(const RunCard&) const = default;
};

[[nodiscard]] std::vector<journal::Note> notes_of(const RunCard& card);
// The notes about the fleet alone: those that change while a run is on one.
[[nodiscard]] std::vector<journal::Note> fleet_notes_of(const RunCard& card);
[[nodiscard]] Result<RunCard> card_of(const journal::SqliteJournal& journal);

}  // namespace tidemill::run
