// undo(): reverts the steps that act() did, from the journal of the run.
//
//   hardlink   the name becomes a separate file again, with the bytes it is linked to and the
//              metadata it had
//   delete     the same, with the bytes of the kept file, if the name is free
//   move       the file is moved back, if the name is free; folders that were created for it are
//              removed if they are empty
//   reflink    nothing: only blocks are shared
//
// A step is undone only if the name is still as the step left it, and a file that has to be copied
// has the SHA-256 of the bytes that were compared. Everything else is declined and reported on the
// console. Set-user-id, set-group-id and capabilities are not restored from a file whose owner has
// changed. A journal of version 1 has only an XXH3, which can be forged: from a file that was
// touched since, privileged files are not restored, and neither is anything if the file belongs to
// another user.
//
// Names that were one file become one file again. Undone steps are recorded in the journal, so a
// second undo() continues with the rest. Steps that an interrupted run did not do are dropped from
// its plan, after they and the failed ones have been rolled back.
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
  std::uint64_t declined = 0;  // left unchanged
  std::uint64_t failed = 0;
  std::uint64_t pending = 0;  // steps, and folders to remove; not zero: undo() was stopped
  bool operator==(const UndoReport&) const = default;
};

[[nodiscard]] Result<UndoReport> undo(run::Run& run, command::Context& context);

// The steps that undo() would try: done, and not undone before. Changes nothing.
[[nodiscard]] Result<std::vector<engine::TaskId>> undoable_steps(
    const journal::SqliteJournal& journal);

}  // namespace tidemill::dupes
