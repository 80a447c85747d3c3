// Runs a command that has no journal (import, books, tokens and read-only commands) and lists it in
// `runs` while it works and until it has completed (state/run/command_record.h).
//
// `work` returns an exit code. A code other than that of a signal means that the command completed,
// whatever it found, and its record is removed; if it kept a history, the record goes to those of
// finished commands. After a signal or a Failure the record stays, and
// `resume` runs the command again. Exceptions: if the reader closed standard output the record is
// removed, and so is a new record after a Failure of the kind usage or held, because nothing was
// started.
//
// If the state folder cannot be written, the user is warned and the command runs without a record.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/state/history/history_file.h"
#include "tidemill/state/run/command_record.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::cli {

// The record of this process, if there is one. One thread.
class Recording {
 public:
  explicit Recording(std::optional<run::CommandRecord> record = {});

  // "tidemill resume 20261117-0102-import", or "the same command" without a record.
  [[nodiscard]] std::string resume_command() const;

  // "20261117-0102-import", or empty without a record.
  [[nodiscard]] std::string id() const;

  // Where the command keeps its history; null without a record.
  [[nodiscard]] history::Store* history() const { return history_.get(); }

  // Ends the record: a run with its own journal takes over.
  void hand_over();
  // Keeps or removes the record, depending on the outcome.
  void settle(const Result<int>& outcome, bool is_new);

 private:
  std::optional<run::CommandRecord> record_;
  std::unique_ptr<history::HistoryFile> history_;
};

// Call it directly before the work, when signals are already handled. `name` is the part of the
// record's name after the time: "books-check".
[[nodiscard]] Result<int> recorded(CliContext& cli, command::Console& console,
                                   std::string_view name,
                                   const std::function<Result<int>(Recording&)>& work);

}  // namespace tidemill::cli
