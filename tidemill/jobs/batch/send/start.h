// Start: where a run begins. If another producer left the job unfinished at the outlet, a new run
// continues after that producer's last batch. A resumed run continues after its own journal,
// provided that no other producer has taken over at the outlet.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/batch/batch_journal.h"
#include "tidemill/jobs/batch/cut/batch_pipeline.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/jobs/batch/send/sender.h"
#include "tidemill/state/queue/outlet.h"
#include "tidemill/state/run/run.h"

namespace tidemill::batch {

struct Start {
  bool is_new = false;  // it has not begun: no process of it has opened the outlet
  BatchTotals totals{};
  BatchFill fill{};
  Sent sent{};
  std::uint64_t last_delivered = 0;  // the number of the last batch that the outlet has
  Cursor from{};
  std::string took_over{};  // the run of another producer
  bool has_found_all = false;
  std::vector<std::pair<Again, engine::TaskId>> letters{};  // dead letters to retry
  Cursor again_from{};  // of these, everything up to here is already in batches
};

// The start as far as the journal determines it; does not contact the outlet.
[[nodiscard]] Result<Start> start_of(run::Run& run);

// Completes the start with the outlet's standing. Records the start of a new run in the journal.
[[nodiscard]] Result<void> settle_start(Start& start, const queue::Standing& standing,
                                        const BatchOptions& options, const BatchRecipe& recipe,
                                        const std::string& name, run::Run& run);

}  // namespace tidemill::batch
