// A command that keeps no journal, listed in `runs` while it works and until it has come to its
// end (state/run/command_record.h): import, books, tokens, and what only looks.
//
// `work` answers an exit code. One that is not of a signal means that the command came to its end,
// whatever it found, and the record goes. A signal or a Failure keeps it, and `resume` runs the
// command again. A Failure of the kind usage or held has started nothing, so a new record goes.
//
// When the state folder cannot be written the user is warned and the command does its work.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/state/run/command_record.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::cli {

// The record of this process, or none. One thread.
class Recording {
 public:
  explicit Recording(std::optional<run::CommandRecord> record = {}) : record_(std::move(record)) {}

  // "tidemill resume 20261117-0102-import", or "the same command" without a record.
  [[nodiscard]] std::string way_on() const;

  // A run with a journal of its own takes over.
  void hand_over();
  // Keeps or removes it, as the outcome says.
  void settle(const Result<int>& outcome, bool is_new);

 private:
  std::optional<run::CommandRecord> record_;
};

// Call it when nothing but the work is left to do, with signals taken. `name` is what the record is
// called behind the minute: "books-check".
[[nodiscard]] Result<int> recorded(Desk& desk, command::Console& console, std::string_view name,
                                   const std::function<Result<int>(Recording&)>& work);

}  // namespace tidemill::cli
