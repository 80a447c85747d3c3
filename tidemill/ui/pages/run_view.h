// RunView: what the pages about one run show, read once. It reads tallies, reasons and the history,
// never all tasks, so it takes as long for ten million tasks as for ten.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/state/history/history.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/cli/run_status.h"

namespace tidemill::pages {

struct RunView {
  cli::RunStatus status;  // a command without a journal has the counts of its last sample
  history::RunHistory history{};
  std::vector<journal::FailureGroup> failures{};  // by reason, most frequent first
  bool has_reasons = true;  // false: an older version counted no failures by reason
  WallTime read_at{};

  [[nodiscard]] bool is_live() const { return status.holder.has_value(); }
  // The samples of the whole run; empty for a run of an older version.
  [[nodiscard]] const std::vector<history::Sample>& samples() const;
  // How long processes worked on the run: pauses between them do not count.
  [[nodiscard]] std::chrono::nanoseconds worked() const;
  // When it began, and when the last thing happened that is known.
  [[nodiscard]] WallTime first_time() const;
  [[nodiscard]] WallTime last_time() const;
};

// Fails if the run cannot be read. A history that cannot be read is empty.
[[nodiscard]] Result<RunView> read_run(const run::RunFolder& folder, const Clock& clock);

}  // namespace tidemill::pages
