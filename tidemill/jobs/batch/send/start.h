// Start: where a run begins. A new one asks the outlet whether another producer has left the job
// unfinished, and goes on behind its last batch; one that is taken up again goes on behind its own
// journal, if the outlet still stands where this run left it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/batch/cut/mill.h"
#include "tidemill/jobs/batch/ledger.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/jobs/batch/send/sender.h"
#include "tidemill/state/queue/outlet.h"
#include "tidemill/state/run/run.h"

namespace tidemill::batch {

struct Start {
  bool is_new = false;  // nothing was found or sent before
  Totals totals{};
  Sent sent{};
  std::uint64_t stands_at = 0;  // the number of the last batch that the outlet has
  Cursor from{};
  std::string took_over{};  // the run of another producer
  bool has_found_all = false;
  std::vector<std::pair<Again, engine::TaskId>> letters{};  // that were taken back
  Cursor again_from{};  // of these, all up to here is in batches
};

// What the journal knows before the outlet is asked.
[[nodiscard]] Result<Start> start_of(run::Run& run);

// And after. The beginning of a new run is noted at once.
[[nodiscard]] Result<void> settle_start(Start& start, const queue::Standing& standing,
                                        const Options& options, const Recipe& recipe,
                                        const std::string& name, run::Run& run);

}  // namespace tidemill::batch
