// JournalWriter: writes batches of entries to the tables of a journal.
//
// It runs on the thread of the store::DbWriter, inside its transaction, and writes the complete
// batch or returns a failure. engine::next_state() decides which transitions are legal. The
// transition out of `pending`, which almost every task makes once, skips the read: it is a guarded
// update.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/journal/names.h"
#include "tidemill/state/journal/reasons.h"

namespace tidemill::journal {

// A fact about the run, kept beside its tasks.
struct Note {
  std::string key{};
  std::string value{};  // any bytes
};

// One thread, that of its Db.
class JournalWriter {
 public:
  [[nodiscard]] static Result<JournalWriter> open(store::Db& db, std::int64_t epoch);

  // After a failure the caller rolls back.
  [[nodiscard]] Result<void> write(store::Db& db, std::span<const engine::Entry> batch,
                                   std::span<const Note> notes);

 private:
  struct Apply;  // one entry; has an overload for each kind

  struct Task {
    engine::TaskState state{};
    std::int64_t attempts = 0;
  };

  JournalWriter(std::vector<store::Statement> statements, JournalNames folders, JournalNames types,
                JournalReasons reasons, std::int64_t epoch);

  [[nodiscard]] Result<void> start(const store::Db& db);
  [[nodiscard]] Result<std::optional<Task>> look_up(const store::Db& db, engine::TaskId id);
  [[nodiscard]] Result<void> finish();

  void count(engine::TaskState state, std::int64_t change) {
    tally_[static_cast<std::size_t>(state)] += change;
  }

  std::vector<store::Statement> statements_;
  JournalNames folders_;
  JournalNames types_;
  JournalReasons reasons_;
  std::int64_t epoch_;
  std::uint64_t rollbacks_ = 0;  // of the Db, when the name caches were last valid

  // Of the current batch.
  std::array<std::int64_t, engine::kTaskStates> tally_{};
  bool has_waits_ = true;        // false: the table is empty, so there is nothing to remove
  bool has_checkpoints_ = true;  // likewise
};

}  // namespace tidemill::journal
