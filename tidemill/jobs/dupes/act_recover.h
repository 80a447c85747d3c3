// recover: how far a step had come when the process before was killed, seen from the names alone,
// and what must be done so that no temporary name stays. D is the duplicate that was scanned, K the
// kept file, T the temporary name.
//
//   hardlink   T is K            linked, not exchanged: T goes
//              T is D            exchanged: when D and K still have the same bytes T goes, and it
//              is
//                                done if the name is K's
//              no T, name is K   done
//   delete     T is D            it gets its name back; or, if that is taken, T goes when K has the
//                                same bytes
//              no T, no name     done, if K is there
//   move       target is D       done
//              T is D            a copy was made: done when it has the same bytes, else D goes back
//
// Everything else was not begun. What fits nothing is left as it is, and the failure names it.
#pragma once

#include <optional>

#include "tidemill/engine/task_id.h"
#include "tidemill/jobs/dupes/pair.h"

namespace tidemill::dupes {

// The step with its result when it is done; nothing when it is still to be done.
[[nodiscard]] Tried<std::optional<Step>> recover(const PairTools& tools, Step step,
                                                 engine::TaskId id);

}  // namespace tidemill::dupes
