// RunStatus: the state of a run at this moment, for listing it. Read-only: another process may be
// working on the run. A run that cannot be read has a status too, with the reason in it, and so has
// one whose process has not written its journal yet.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/state/run/run_lock.h"

namespace tidemill::cli {

struct RunStatus {
  run::RunFolder folder;
  std::string state{};  // run_text.h; kUnreadable or kStarting if `problem` is set
  std::optional<Failure> problem{};
  std::optional<run::LockHolder> holder{};
  run::RunCard card{};
  engine::Tally tally{};
  bool has_journal = true;  // false: the record of a command, without counts

  [[nodiscard]] bool is_starting() const;
  [[nodiscard]] bool has_work_left() const;
  // Ended, and without failures that could be retried.
  [[nodiscard]] bool is_settled() const;
  // Has done tasks, and was not undone completely.
  [[nodiscard]] bool has_done_something() const;
};

[[nodiscard]] RunStatus run_status_at(const run::RunFolder& folder);

// The same through a journal that is already open. Fails if it cannot be read.
[[nodiscard]] Result<RunStatus> run_status_at(const run::RunFolder& folder,
                                              const journal::SqliteJournal& journal);

// Opens the journal of a run for reading. Fails for the record of a command, which has none, and
// with kind held for a run that is just starting.
[[nodiscard]] Result<std::unique_ptr<journal::SqliteJournal>> open_to_read(
    const run::RunFolder& folder);
// Fails for the record of a command. `lack`: what it does not have, such as "failed tasks".
[[nodiscard]] Result<void> demand_journal(const run::RunFolder& folder, std::string_view lack);

// The card of a run with a journal, or of a record.
[[nodiscard]] Result<run::RunCard> card_in(const run::RunFolder& folder);

// Adds members to the current object: run, state, pid, job, counts, times, command, directory.
void write_members(const RunStatus& run_status, text::JsonWriter& json);

}  // namespace tidemill::cli
