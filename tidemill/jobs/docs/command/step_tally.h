// StepTally: how often the steps of commands were executed, failed, and had to wait. It is a part
// of the history of the run (state/history), so it counts on where an earlier process ended.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/state/history/history.h"
#include "tidemill/state/history/part_builder.h"

namespace tidemill::docs {

// Thread-safe.
class StepTally {
 public:
  // `before`: the history of the run so far.
  explicit StepTally(const history::RunHistory& before = {});

  // Cure::later counts the time to wait, and nothing else: no request was made. A step that was
  // stopped does not count.
  void ran(std::string_view step, const Result<std::string>& outcome);

  // The steps in the order of the plan. Without rows while no step has been executed.
  [[nodiscard]] history::HistoryPart part();

 private:
  Guarded<history::PartBuilder> steps_;
};

}  // namespace tidemill::docs
