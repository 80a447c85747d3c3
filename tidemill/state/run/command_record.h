// CommandRecord: lists a command without a journal (import, books, a scan) as a run that can be run
// again. The progress of such a command is stored elsewhere: in the import log of the database, in
// the report cache, in the catalogue. The record holds only what to run, where, and how it ended.
//
//   <state>/runs/20261117-0102-import/command   the card (docs/formats/command.md)
//                                     lock      held while the command runs
//
// A record exists as long as there is work left: begin() creates it, finish() removes it, end()
// keeps it with the ending, and a crash leaves it behind. A command that kept a history is not
// removed by finish(), but moved to those of finished commands: the newest kMostFinished of each
// name. So finished commands do not fill the state folder. begin() also removes older records of
// the same command in the same folder, because the new command continues their work, and all but
// the newest kMostRecords of the same name. Records in use are kept.
//
// The card is written to a temporary file and renamed, but not synced: after a power cut within the
// first seconds it may be empty, and the run is then unreadable. No work depends on it.
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

// Reads the record in this folder.
[[nodiscard]] Result<RunCard> card_of_record(const RunFolder& folder);

// One thread. A record that is destroyed without end() or finish() counts as crashed.
class CommandRecord {
 public:
  static constexpr std::size_t kMostRecords = 50;
  static constexpr std::size_t kMostFinished = 20;

  // `name` is the part of the folder's name after the minute.
  [[nodiscard]] static Result<CommandRecord> begin(const StateFolder& state, std::string_view name,
                                                   RunCard card, const Clock& clock);
  // Reopens a record to run its command again. Held elsewhere: Cure::retry, kind held.
  [[nodiscard]] static Result<CommandRecord> open(const StateFolder& state, const RunFolder& folder,
                                                  const Clock& clock);

  [[nodiscard]] const RunFolder& folder() const { return folder_; }
  [[nodiscard]] const RunCard& card() const { return card_; }

  // The command did not finish: kInterrupted, or kFailed with the cause.
  [[nodiscard]] Result<void> end(std::string_view how, std::string_view cause = {});
  // The command finished: removes the record, or moves it. A second call does nothing.
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
