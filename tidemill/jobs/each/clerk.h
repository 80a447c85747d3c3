// Clerk: shows how tasks ended, then writes it down. The sink of the pipeline.
//
//   batch ── outputs, events: printed or held in files ── synced ── one commit
//
// A task is done for the world when the commit has returned, and by then its output is out or safe.
#pragma once

#include <cstdint>
#include <span>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/each/feeder.h"
#include "tidemill/jobs/each/output/printer.h"
#include "tidemill/state/journal/patience.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::each {

// One thread, the sink's; wait_settled() and stop_waiting() by anybody.
class Clerk {
 public:
  Clerk(journal::SqliteJournal& journal, journal::Patience& patience, Printer& printer,
        const Clock& clock)
      : journal_(journal), patience_(patience), printer_(printer), clock_(clock) {}

  [[nodiscard]] Result<void> settle(std::span<EachPipeline::Item> batch);

  // Waits until so many tasks are settled. False: they never will be.
  [[nodiscard]] bool wait_settled(std::uint64_t count);
  void stop_waiting();

 private:
  struct Settled {
    std::uint64_t count = 0;
    bool has_stopped = false;
  };

  journal::SqliteJournal& journal_;
  journal::Patience& patience_;
  Printer& printer_;
  const Clock& clock_;
  Guarded<Settled> settled_;
};

}  // namespace tidemill::each
