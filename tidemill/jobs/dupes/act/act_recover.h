// recover: how far a step had come when the process before was killed, or when a call failed that
// it could not do without. Seen from the names alone, and done so that no temporary name stays. D
// is the duplicate that was scanned, K the kept file, T the temporary name.
//
//   hardlink   T is K            linked, not exchanged: T goes
//              T is D, name is K exchanged: done when D and the kept file still have the same
//              bytes.
//                                Else somebody wrote meanwhile: names are exchanged again, so D has
//                                its name and what was written is in K
//              T is another's    it took the name just before the exchange, and gets it back
//              no T, name is K   done
//   delete     T                 gets its name back; or, if that is taken, T goes when it is D and
//   K
//                                has the same bytes
//              no T, no name     done, if K is there
//   move       target is D       done
//              T is D            a copy was made: done when it has the same bytes, else D goes back
//              name is D         a copy that was made goes
//
// Everything else was not begun. What fits nothing (the name belongs to a new file, and the kept
// one has other bytes now) is left as it is: a failure that names T, and `check` does too.
#pragma once

#include <optional>

#include "tidemill/engine/task.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"

namespace tidemill::dupes {

struct Recovered {
  std::optional<Step> done{};  // with its result; nothing: it is still to be done
  bool has_changed = false;    // something went back, or went
};

// A refusal that failed has left something, or could not see whether: to be asked again.
[[nodiscard]] Tried<Recovered> recover(const PairTools& tools, Step step, engine::TaskId id);

}  // namespace tidemill::dupes
