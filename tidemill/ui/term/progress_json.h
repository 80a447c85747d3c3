// The progress of a run as one line of JSON, for programs that monitor it.
//
//   {"v":1,"event":"progress","isLast":false,"elapsedSeconds":45.1,"found":3150,"foundAll":true,
//    "done":1188,"skipped":0,"failed":12,"foundBytes":5000000,"settledBytes":2000000,
//    "itemsPerSecond":118.2,"bytesPerSecond":1400000,"etaSeconds":74.0,"workers":2,"busy":2,
//    "current":[{"id":7,"note":"photos/one.raw","runningSeconds":12.2}]}
//
// etaSeconds is null while it is unknown; a note that is not UTF-8 is "noteBase64". Within a
// version fields are only added.
#pragma once

#include <string>

#include "tidemill/engine/progress.h"

namespace tidemill::term {

// Without a newline.
[[nodiscard]] std::string progress_json(const engine::ProgressSnapshot& snapshot);

}  // namespace tidemill::term
