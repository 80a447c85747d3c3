// Ledger: writes drafts into the journal of the run. A batch becomes a task that waits to be sent,
// a file that was passed over a task that is skipped or dead, and the cursor moves: all in one
// transaction, so that after a kill the walk goes on where the journal ends.
//
//   drafts ──► bounded channel ──► one commit for all that wait ──► sealed batches
//
// A full disk is waited for (state/journal/patience.h).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/batch/cut/drafter.h"
#include "tidemill/jobs/batch/cut/roots.h"
#include "tidemill/state/journal/patience.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::batch {

// Types of tasks.
inline constexpr std::string_view kBatchType = "batch";  // its weight is its number
inline constexpr std::string_view kFileType = "file";    // one that is in no batch
inline constexpr std::string_view kFindType = "find";    // a folder that could not be read

// Of all processes that have worked on the run, as they stand in its notes.
struct Totals {
  std::uint64_t batches = 0;
  std::uint64_t files = 0;  // in batches
  std::uint64_t tokens = 0;
  std::uint64_t oversize = 0;
  std::uint64_t first = 1;                         // the number of its first batch
  std::map<std::string, std::uint64_t> skipped{};  // by reason

  bool operator==(const Totals&) const = default;
};
[[nodiscard]] std::string text_of(const Totals& totals);
[[nodiscard]] Totals totals_of(std::string_view text);

// A batch that is in the journal.
struct Sealed {
  engine::TaskId task = 0;
  std::uint64_t number = 0;
  std::string subject{};  // payload.h
};

// One thread.
class Ledger {
 public:
  struct Parts {
    journal::SqliteJournal& journal;
    journal::Patience& patience;
    const Roots& roots;
    const Clock& clock;
    Paths paths = Paths::absolute;
    bool has_contents = false;
    command::Console* console = nullptr;  // none: nobody is told of single files and batches
  };

  Ledger(Parts parts, Totals totals, engine::TaskId next_id)
      : parts_(parts), totals_(std::move(totals)), next_id_(next_id) {}

  // Letters that are tried again: what becomes of the file is told of this task, not of a new one.
  void revive(const Cursor& at, engine::TaskId task) { revived_.emplace(text_of(at), task); }

  // All or nothing.
  [[nodiscard]] Result<std::vector<Sealed>> write(std::span<const Draft> drafts);
  // The walk has come to its end.
  [[nodiscard]] Result<void> note_end();

  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  [[nodiscard]] Sealed seal(const Batch& batch, const Cursor& cursor,
                            std::vector<engine::Entry>& entries);
  void append(const PassedOver& row, std::vector<engine::Entry>& entries);
  void tell(std::span<const Draft> drafts) const;
  void tell(const PassedOver& row) const;
  void tell(const Batch& batch) const;

  const Parts parts_;
  Totals totals_;
  engine::TaskId next_id_;
  std::map<std::string, engine::TaskId> revived_;
};

}  // namespace tidemill::batch
