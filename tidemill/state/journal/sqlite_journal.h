// SqliteJournal: a Journal in one SQLite file, so that a later process can go on with the run.
//
// Commits go through a store::Writer: they are durable when they return, and those of several
// threads share an fsync. Reads use a connection of their own and never wait for a commit. A full
// disk or a busy file refuses a commit with Cure::retry and nothing of it was applied; a failing
// disk poisons the journal until it is opened again (io/store/writer.h).
//
// Who opens it to write raises its epoch. Every commit looks whether the epoch is still its own, so
// a process that was thought dead and wakes up again cannot write into the run of its successor.
#pragma once

#include <cstddef>
#include <cstdint>
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
#include "tidemill/state/journal/check.h"
#include "tidemill/state/journal/reader.h"
#include "tidemill/state/journal/schema.h"
#include "tidemill/state/journal/scribe.h"

namespace tidemill::journal {

// Thread-safe.
class SqliteJournal final : public engine::Journal {
 public:
  [[nodiscard]] static Result<std::unique_ptr<SqliteJournal>> open(const JournalOptions& options);

  [[nodiscard]] Result<void> commit(std::span<const engine::Entry> batch) override;
  // The notes are kept with the entries, or neither. A note replaces the one with the same key.
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

  // A page as of pending(); of all tasks, or of those in one state.
  [[nodiscard]] Result<std::vector<engine::TaskRecord>> tasks(
      engine::TaskId after, std::size_t limit, std::optional<engine::TaskState> state = {}) const;

  // All of them: eight bytes a task. Other reads do not wait for it.
  [[nodiscard]] Result<std::vector<engine::TaskId>> pending_ids(Order order) const;

  // The most frequent first. Reads the dead tasks only.
  [[nodiscard]] Result<std::vector<FailureGroup>> failure_groups(std::size_t limit) const;

  [[nodiscard]] Result<std::optional<std::string>> note(std::string_view key) const;

  [[nodiscard]] Result<CheckReport> check(Depth depth = Depth::thorough) const {
    return check_journal(path_, depth);
  }

  // Of an owner its own; of a reader the one in the file when it was opened.
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }

  // Commits that would make the file larger fail as on a full disk. Lasts until it is closed.
  [[nodiscard]] Result<void> limit_size(Bytes most);

 private:
  SqliteJournal(std::string path, std::int64_t epoch, JournalReader reader);

  std::string path_;
  std::int64_t epoch_;
  std::optional<JournalScribe> scribe_;    // the writer's thread alone
  std::unique_ptr<store::Writer> writer_;  // nothing for a reader
  mutable Guarded<JournalReader> reader_;  // after the writer: the last to close tidies the files
};

}  // namespace tidemill::journal
