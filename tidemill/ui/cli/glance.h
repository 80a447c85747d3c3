// Glance: how a run stands at this moment, for listing it. Looks and never touches: the run may be
// worked on meanwhile. A run that cannot be read is a glance too, with the reason in it, and so is
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

struct Glance {
  run::RunFolder folder;
  std::string state{};  // run_text.h; kUnreadable or kStarting when there is a problem
  std::optional<Failure> problem{};
  std::optional<run::LockHolder> holder{};
  run::RunCard card{};
  engine::Tally tally{};
  bool has_journal = true;  // false: it is the record of a command, and has no counts

  [[nodiscard]] bool is_starting() const;
  [[nodiscard]] bool has_work_left() const;
  // Nothing in it needs to be looked at again.
  [[nodiscard]] bool is_settled() const;
  // It did something, and that was not taken back as a whole.
  [[nodiscard]] bool has_done_something() const;
};

[[nodiscard]] Glance glance_at(const run::RunFolder& folder);

// The same through a journal that is open already, or why it cannot be had.
[[nodiscard]] Result<Glance> glance_at(const run::RunFolder& folder,
                                       const journal::SqliteJournal& journal);

// The record of a command has none: a failure that says so. A run that is just starting has none
// yet: a failure of kind held.
[[nodiscard]] Result<std::unique_ptr<journal::SqliteJournal>> open_to_read(
    const run::RunFolder& folder);
// Fails for the record of a command. `lack`: what only a run with a journal has, "failed tasks".
[[nodiscard]] Result<void> demand_journal(const run::RunFolder& folder, std::string_view lack);

// Of a run with a journal or of a record.
[[nodiscard]] Result<run::RunCard> card_in(const run::RunFolder& folder);

// Members of an object that was begun: run, state, pid, job, counts, times, command, directory.
void write_members(const Glance& glance, text::JsonWriter& json);

}  // namespace tidemill::cli
