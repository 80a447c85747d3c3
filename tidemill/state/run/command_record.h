// CommandRecord: a command that keeps no journal (import, books, a scan), as a run that is listed
// and can be run again. What such a command has done is remembered elsewhere: in the ledger of the
// database, on the shelf, in the catalogue. The record says only what to run, where, and how it
// ended.
//
//   <state>/runs/20261117-0102-import/command   the card (docs/formats/command.md)
//                                     lock      held while it works
//
// A record lives as long as there is something to go on with: begin() makes it, finish() removes
// it, end() keeps it with how it ended, and a process that dies leaves it as it is. So the state
// does not fill up with what has come to its end. begin() also removes older records of the same
// command in the same folder, for the new one goes on with their work, and of each name all but the
// newest kMostRecords. Records that somebody works on stay.
//
// The card is written beside its place and renamed, but not synced: after a power cut within the
// first seconds it may be empty, and then the run is unreadable. No work depends on it.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/state/run/run_lock.h"

namespace tidemill::run {

// What the record in this folder says.
[[nodiscard]] Result<RunCard> card_of_record(const RunFolder& folder);

// One thread. Let go without end() or finish() it looks like a crash, and that is what it is.
class CommandRecord {
 public:
  static constexpr std::size_t kMostRecords = 50;

  // `name`: what its folder is called behind the minute.
  [[nodiscard]] static Result<CommandRecord> begin(const StateFolder& state, std::string_view name,
                                                   RunCard card, const Clock& clock);
  // Takes it up again. Held elsewhere: Cure::retry, kind held.
  [[nodiscard]] static Result<CommandRecord> open(const StateFolder& state, const RunFolder& folder,
                                                  const Clock& clock);

  [[nodiscard]] const RunFolder& folder() const { return folder_; }
  [[nodiscard]] const RunCard& card() const { return card_; }

  // It did not come to its end: kInterrupted, or kFailed with the cause.
  [[nodiscard]] Result<void> end(std::string_view how, std::string_view cause = {});
  // It did: there is nothing to go on with. Called again it does nothing.
  [[nodiscard]] Result<void> finish();

 private:
  CommandRecord(StateFolder state, RunFolder folder, RunLock lock, const Clock& clock)
      : state_(std::move(state)),
        folder_(std::move(folder)),
        lock_(std::move(lock)),
        clock_(&clock) {}

  [[nodiscard]] static Result<CommandRecord> begin_in(const StateFolder& state,
                                                      const RunFolder& folder, RunCard card,
                                                      const Clock& clock);
  void remove_older(std::string_view name) const;

  StateFolder state_;
  RunFolder folder_;
  RunLock lock_;
  const Clock* clock_;
  RunCard card_{};
  bool is_finished_ = false;
};

}  // namespace tidemill::run
