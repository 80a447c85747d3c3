// Clerk: shows how tasks ended, then writes it down. The sink of the pipeline.
//
//   batch ── outputs, events: printed or held in files ── synced ── one commit
//
// A task is done for the world when the commit has returned, and by then its output is out or safe.
#pragma once

#include <span>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/each/command/performer.h"
#include "tidemill/jobs/each/output/printer.h"
#include "tidemill/jobs/tasks/settled_count.h"
#include "tidemill/state/journal/patience.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::each {

// One thread, the sink's.
class Clerk {
 public:
  Clerk(journal::SqliteJournal& journal, journal::Patience& patience, Printer& printer,
        const Clock& clock, jobs::SettledCount& settled)
      : journal_(journal),
        patience_(patience),
        printer_(printer),
        clock_(clock),
        settled_(settled) {}

  [[nodiscard]] Result<void> settle(std::span<EachPipeline::Item> batch);

 private:
  journal::SqliteJournal& journal_;
  journal::Patience& patience_;
  Printer& printer_;
  const Clock& clock_;
  jobs::SettledCount& settled_;
};

}  // namespace tidemill::each
