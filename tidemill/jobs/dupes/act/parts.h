// The part of the history of a run that acted on duplicates. Nothing can fail.
#pragma once

#include <string_view>

#include "tidemill/jobs/dupes/act/act.h"
#include "tidemill/state/history/history.h"

namespace tidemill::dupes {

// The steps that are done, and the bytes that they reclaimed: those of `report` and of the earlier
// processes that were not killed. Without rows if no step is done. `type`: of the steps' tasks.
[[nodiscard]] history::HistoryPart steps_part(std::string_view type, const ActReport& report,
                                              const history::RunHistory& before);

}  // namespace tidemill::dupes
