// SqliteJournal: a Journal in one SQLite file, so that a later process can resume the run.
//
// Commits go through a store::DbWriter: they are durable when they return, and commits of several
// threads share an fsync. Reads use their own connection and never wait for a commit. On a full
// disk or a busy file a commit fails with Cure::retry and nothing of it is applied. A failing disk
// poisons the journal until it is opened again (io/store/writer.h).
//
// Opening the journal for writing increments its epoch. Every commit checks that the epoch is still
// its own, so a process that was presumed dead and wakes up cannot write to its successor's run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/store/writer.h"
#include "tidemill/state/history/history.h"
#include "tidemill/state/journal/check.h"
#include "tidemill/state/journal/journal_writer.h"
#include "tidemill/state/journal/reader.h"
#include "tidemill/state/journal/schema.h"
#include "tidemill/state/journal/task_search.h"

namespace tidemill::journal {

// Thread-safe.
class SqliteJournal final : public engine::Journal, public history::Store {
 public:
  [[nodiscard]] static Result<std::unique_ptr<SqliteJournal>> open(const JournalOptions& options);

  [[nodiscard]] Result<void> commit(std::span<const engine::Entry> batch) override;
  // Commits entries and notes together or not at all. A note replaces the one with the same key.
  [[nodiscard]] Result<void> commit(std::span<const engine::Entry> batch,
                                    std::span<const Note> notes);

  [[nodiscard]] Result<engine::Tally> tally() const override;
  [[nodiscard]] Result<engine::TaskId> next_id() const override;
  [[nodiscard]] Result<std::optional<engine::TaskRecord>> task(engine::TaskId id) const override;
  [[nodiscard]] Result<std::optional<engine::Letter>> letter(engine::TaskId id) const override;
  [[nodiscard]] Result<std::optional<engine::Checkpoint>> checkpoint(
      engine::TaskId id) const override;
  [[nodiscard]] Result<std::vector<engine::TaskRecord>> pending(engine::TaskId after,
                                                                std::size_t limit) const override;
  [[nodiscard]] Result<std::vector<engine::Letter>> letters(engine::TaskId after,
                                                            std::size_t limit) const override;

  // Pages like pending(), over all tasks or those in one state.
  [[nodiscard]] Result<std::vector<engine::TaskRecord>> tasks(
      engine::TaskId after, std::size_t limit, std::optional<engine::TaskState> state = {}) const;

  // All pending tasks at once, eight bytes each. Other reads do not wait for this one.
  [[nodiscard]] Result<std::vector<engine::TaskId>> pending_ids(ListOrder order) const;

  // Most frequent first. Reads dead tasks only.
  [[nodiscard]] Result<std::vector<FailureGroup>> failure_groups(std::size_t limit) const;
  // False for the file of an older version: failure_groups() reads all failures, and the groups
  // have no ids.
  [[nodiscard]] bool has_reasons() const;
  // Pages like pending(), over the dead tasks of one group.
  [[nodiscard]] Result<std::vector<engine::TaskRecord>> failed_tasks(std::int64_t reason,
                                                                     engine::TaskId after,
                                                                     std::size_t limit) const;

  // Holds other reads up for as long as `may_go_on` lets it.
  [[nodiscard]] Result<FoundTasks> search(const TaskSearch& search,
                                          const std::function<bool()>& may_go_on) const;

  [[nodiscard]] Result<std::optional<std::string>> note(std::string_view key) const;

  [[nodiscard]] Result<history::RunHistory> history() const override;
  // Refused for a process that no longer owns the run, as commit() is.
  [[nodiscard]] Result<void> keep(const history::HistoryChange& change) override;

  [[nodiscard]] Result<CheckReport> check(Depth depth = Depth::thorough) const {
    return check_journal(path_, depth);
  }

  // For an owner its own epoch; for a reader the epoch in the file when it was opened.
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }

  // Commits that would make the file larger fail as on a full disk. In force until the journal is
  // closed.
  [[nodiscard]] Result<void> limit_size(Bytes most);

 private:
  SqliteJournal(std::string path, std::int64_t epoch, JournalReader reader);

  std::string path_;
  std::int64_t epoch_;
  std::optional<JournalWriter> journal_writer_;  // used by the thread of writer_ only
  std::unique_ptr<store::DbWriter> writer_;      // null for a reader
  // Declared after writer_, so destroyed before it: the last connection to close cleans up the
  // files.
  mutable Guarded<JournalReader> reader_;
};

}  // namespace tidemill::journal
