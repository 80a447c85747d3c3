// BatchJournal: writes drafts to the journal of the run. One transaction turns a batch into a
// pending task and a file that is in no batch into a skipped or failed task, and moves the cursor,
// so that after a kill the walk continues where the journal ends.
//
//   drafts ──► bounded channel ──► one commit for all queued drafts ──► sealed batches
//
// When the disk is full, writing waits until it has room (state/journal/disk_full_wait.h).
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
#include "tidemill/jobs/batch/batch_fill.h"
#include "tidemill/jobs/batch/cut/drafter.h"
#include "tidemill/jobs/batch/cut/roots.h"
#include "tidemill/state/journal/disk_full_wait.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::batch {

// Task types.
inline constexpr std::string_view kBatchType = "batch";  // its weight is its number
inline constexpr std::string_view kFileType = "file";    // a file that is not in a batch
inline constexpr std::string_view kFindType = "find";    // a folder that could not be read

// Totals over all processes that have worked on the run, as stored in the run's notes.
struct BatchTotals {
  std::uint64_t batches = 0;
  std::uint64_t files = 0;  // in batches
  std::uint64_t tokens = 0;
  std::uint64_t oversize = 0;
  std::uint64_t first = 1;                         // the number of its first batch
  std::map<std::string, std::uint64_t> skipped{};  // by reason

  bool operator==(const BatchTotals&) const = default;
};
[[nodiscard]] std::string text_of(const BatchTotals& totals);
[[nodiscard]] BatchTotals totals_of(std::string_view text);

// A batch that has been committed to the journal.
struct Sealed {
  engine::TaskId task = 0;
  std::uint64_t number = 0;
  std::string subject{};  // payload.h
};

// One thread.
class BatchJournal {
 public:
  struct Context {
    journal::SqliteJournal& journal;
    journal::DiskFullWait& patience;
    const BatchRoots& roots;
    const Clock& clock;
    Paths paths = Paths::absolute;
    bool has_contents = false;
    BatchLimits limits{};                 // of each batch
    BatchFill fill{};                     // of the batches so far
    command::Console* console = nullptr;  // null: single files and batches are not reported
  };

  BatchJournal(Context context, BatchTotals totals, engine::TaskId next_id)
      : context_(context), totals_(std::move(totals)), fill_(context.fill), next_id_(next_id) {}

  // Registers a dead letter that is retried: the outcome of the file is recorded for this task
  // instead of a new one.
  void revive(const Cursor& at, engine::TaskId task) { revived_.emplace(text_of(at), task); }

  // All or nothing.
  [[nodiscard]] Result<std::vector<Sealed>> write(std::span<const BatchDraft> drafts);
  // Notes that the walk is complete.
  [[nodiscard]] Result<void> note_end();

  [[nodiscard]] const BatchTotals& totals() const { return totals_; }
  [[nodiscard]] const BatchFill& fill() const { return fill_; }

 private:
  [[nodiscard]] Sealed seal(const Batch& batch, const Cursor& cursor,
                            std::vector<engine::Entry>& entries);
  void append(const UnbatchedFile& row, std::vector<engine::Entry>& entries);
  void tell(std::span<const BatchDraft> drafts) const;
  void tell(const UnbatchedFile& row) const;
  void tell(const Batch& batch) const;

  const Context context_;
  BatchTotals totals_;
  BatchFill fill_;
  engine::TaskId next_id_;
  std::map<std::string, engine::TaskId> revived_;
};

}  // namespace tidemill::batch
