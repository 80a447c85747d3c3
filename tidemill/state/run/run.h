// Run: one execution of a job, with everything that is durable about it: its folder, the lock on
// it, its journal and its slate. Whoever holds a Run is the only one who works on it.
//
// open() takes up a run again. If the previous process crashed, its slate is still there: outcomes
// that the journal does not have yet are written into it, and each task that was running is
// recorded as crashed. A task that was running at kMostCrashes crashes becomes a letter: it may be
// the cause. After a reboot the slate counts for nothing: its outcomes may have reached the disk
// before the output they speak of, so those tasks run again, and nobody is blamed.
//
// end() writes how it ended, with the outcomes that only the slate has, and removes the slate. A
// Run that is let go without it looks like a crash to the next one, and that is what it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/state/run/run_lock.h"
#include "tidemill/state/run/slate.h"

namespace tidemill::run {

// What the process before left behind.
struct Recovery {
  bool was_unclean = false;
  std::size_t outcomes = 0;  // found on the slate and written into the journal
  std::size_t crashed = 0;   // tasks that were running
  std::size_t died = 0;      // of those, the ones that became letters
  std::size_t unknown = 0;   // on the slate and not in the journal: see count_unknown()
};

// Tasks on the slate that the journal does not know. A task is committed before it runs, so there
// are none, unless commits were lost after they were durable: the write-ahead log is damaged, and
// SQLite reads it up to the damage without a word.
[[nodiscard]] Result<std::size_t> count_unknown(const journal::SqliteJournal& journal,
                                                const SlateReading& slate);

// Thread-safe as far as its parts are.
class Run {
 public:
  static constexpr int kMostCrashes = 3;

  [[nodiscard]] static Result<std::unique_ptr<Run>> create(const StateFolder& state, RunCard card,
                                                           const Clock& clock);
  [[nodiscard]] static Result<std::unique_ptr<Run>> open(const RunFolder& folder,
                                                         const Clock& clock);

  [[nodiscard]] const RunFolder& folder() const { return folder_; }
  [[nodiscard]] const RunCard& card() const { return card_; }
  [[nodiscard]] const Recovery& recovery() const { return recovery_; }
  [[nodiscard]] journal::SqliteJournal& journal() { return *journal_; }

  // Somebody works on it again: how it ended before is no longer true. start_slate() does it, too.
  [[nodiscard]] Result<void> mark_running();

  // Once, before the workers start: `in_flight` tasks may be finished and not committed.
  [[nodiscard]] Result<Slate*> start_slate(std::size_t workers, std::size_t in_flight);

  // All workers have left.
  [[nodiscard]] Result<void> end(std::string_view how, std::string_view cause = {});

 private:
  Run(RunFolder folder, RunLock lock, const Clock& clock)
      : folder_(std::move(folder)), lock_(std::move(lock)), clock_(clock) {}

  [[nodiscard]] static Result<std::unique_ptr<Run>> begin(const RunFolder& folder, RunCard card,
                                                          const Clock& clock);
  [[nodiscard]] Result<void> recover();
  [[nodiscard]] Result<std::vector<engine::Entry>> not_in_journal(
      const std::vector<engine::Entry>& outcomes) const;
  [[nodiscard]] Result<void> blame(const std::vector<engine::TaskId>& in_hand);

  const RunFolder folder_;
  RunLock lock_;
  const Clock& clock_;
  RunCard card_;
  Recovery recovery_;
  std::unique_ptr<journal::SqliteJournal> journal_;
  std::unique_ptr<Slate> slate_;
};

}  // namespace tidemill::run
