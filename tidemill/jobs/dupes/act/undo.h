// undo(): takes back what act() did, as its journal tells.
//
//   hardlink   the name gets a file of its own again, with the bytes it is linked to and the
//              metadata it had
//   delete     the same, with the bytes of the kept file, if the name is free
//   move       it goes back, if the name is free; folders that were made for it and are empty go
//   reflink    nothing: only blocks are shared
//
// Only where the name still is what the step made of it, and the bytes have the SHA-256 of those
// that were compared; everything else is declined and told to the console. Set-user-id,
// set-group-id and capabilities are not given to bytes of a file that has changed hands. A journal
// of version 1 has an XXH3 only, which can be forged: unless the file was not touched at all,
// nothing that had such privileges comes back from it, nor anything from a file of another user.
// Names that were one file become one file again. What was undone is noted in the journal: undo()
// again goes on with the rest. Steps of an interrupted run that were not done are dropped from its
// plan; what they had left goes back first, and so does what failed steps have left.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::dupes {

struct UndoReport {
  std::uint64_t undone = 0;
  std::uint64_t before = 0;    // already undone
  std::uint64_t declined = 0;  // left as they are
  std::uint64_t failed = 0;
  std::uint64_t pending = 0;  // steps, and folders to remove; not zero: it was stopped
  bool operator==(const UndoReport&) const = default;
};

[[nodiscard]] Result<UndoReport> undo(run::Run& run, command::Context& context);

// The steps that undo() would try: done, and not undone before. Only looks.
[[nodiscard]] Result<std::vector<engine::TaskId>> undoable_steps(
    const journal::SqliteJournal& journal);

}  // namespace tidemill::dupes
