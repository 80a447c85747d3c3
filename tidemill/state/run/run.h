// Run: one execution of a job, with all of its durable state: its folder, the lock on it, its
// journal and its in-flight log. At most one process has a Run open for a folder.
//
// open() resumes a run. If the previous process crashed, its in-flight log still exists: open()
// writes the outcomes that are missing to the journal and records each task that was running as
// crashed. A task that was running in kMostCrashes crashes becomes a dead letter, because it may be
// the cause. After a reboot the in-flight log is ignored: its outcomes may have reached the disk
// before the output of their tasks. Those tasks run again, and no crash is recorded.
//
// end() records the ending and the outcomes that only the in-flight log has, and removes the
// in-flight log. A Run that is destroyed without end() counts as crashed.
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
#include "tidemill/state/run/in_flight_log.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/state/run/run_lock.h"

namespace tidemill::run {

// What open() recovered from the previous process.
struct Recovery {
  bool was_unclean = false;
  std::size_t outcomes = 0;  // found in the in-flight log and written to the journal
  std::size_t crashed = 0;   // tasks that were running
  std::size_t died = 0;      // of those, the ones that became dead letters
  std::size_t unknown = 0;   // in the in-flight log but not in the journal: see count_unknown()
};

// The number of tasks in the in-flight log that are not in the journal. A task is committed before
// it runs, so this is 0 unless durable commits were lost: the write-ahead log is damaged, and
// SQLite silently reads it only up to the damage.
[[nodiscard]] Result<std::size_t> count_unknown(const journal::SqliteJournal& journal,
                                                const InFlightReading& in_flight);

// Thread-safe as far as its members are.
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

  // Clears the previous ending, because the run is active again. start_in_flight() calls it.
  [[nodiscard]] Result<void> mark_running();

  // Call once, before the workers start. `in_flight` is the maximum number of tasks that may be
  // finished but not committed.
  [[nodiscard]] Result<InFlightLog*> start_in_flight(std::size_t workers, std::size_t in_flight);

  // Call when all workers have stopped.
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
  std::unique_ptr<InFlightLog> in_flight_;
};

}  // namespace tidemill::run
