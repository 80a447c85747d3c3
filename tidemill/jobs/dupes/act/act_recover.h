// recover(): finds out how far a step came before the process was killed or a system call failed,
// and completes it or rolls it back. It decides by what is at the names, and leaves no temporary
// name behind. D is the duplicate that was scanned, K the kept file, T the temporary name, "name"
// the duplicate's name.
//
//   hardlink   T is K               linked, not exchanged: T is removed
//              T is D, name is K    exchanged: done if D and K still have the same bytes. Otherwise
//                                   K was written to: the names are exchanged again, so D has its
//                                   name and the write is in K
//              T is D, name is not  T is removed if K has the same bytes; otherwise it gets the
//              K                    name back
//              T is another file    it took the name just before the exchange, and gets it back
//              no T, name is K      done
//   delete     T exists             it gets the name back; if the name is taken, T is removed if it
//                                   is D and K has the same bytes
//              no T, no name        done, if K exists
//   move       target is D          done
//              T exists             D was copied: done if T is D and the copy has the same bytes,
//                                   otherwise T gets the name back
//              no T, no name        done, if the target exists
//              name is D            a complete copy at the target, and a partial one beside it, are
//                                   removed
//
// In every other case the step has changed nothing. When nothing fits (the name belongs to a new
// file, and the kept file has other bytes now), T stays: the failure names it, and so does `check`.
#pragma once

#include <optional>

#include "tidemill/engine/task.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"

namespace tidemill::dupes {

struct Recovered {
  std::optional<PlanStep> done{};  // with its result; nullopt: the step is not done
  bool has_changed = false;        // something was renamed or removed
};

// A refusal of kind failed: something is left behind, or that could not be checked. A later call
// tries again.
[[nodiscard]] Tried<Recovered> recover(const PairTools& tools, PlanStep step, engine::TaskId id);

}  // namespace tidemill::dupes
