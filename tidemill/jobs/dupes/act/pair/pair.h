// begin() and settle() execute one step on one duplicate. No byte that exists only once is lost,
// whatever other processes do to both files at the same time; the exceptions are listed below. A
// step has two halves, so that one sync of a folder serves many pairs. T is a temporary name in the
// duplicate's folder.
//
//   begin()    open both ─► as scanned? ─► lease both ─► compare every byte ─► still the same?
//              displace the duplicate:
//                hardlink            link the kept file to T, exchange T with the duplicate's name
//                delete              rename the duplicate to T
//                move                rename the duplicate to its target; there is no T
//                move to another     copy the duplicate into the target's folder, check the copy's
//                file system         hash, sync it, rename it to the target, sync the folder; then
//                                    rename the duplicate to T
//              check the displaced file: it is the file that was compared, it was not written to,
//              and no process waits to write; otherwise roll back
//   (the caller syncs the folders; meanwhile a process that has looked the file up by its old name
//    can open it)
//   settle()   check again, the lease too; then unlink T, or roll back
//
// A move within a file system has no second half: settle() does nothing. The same holds for a
// reflink, where the kernel compares and shares in steps of 16 MiB, and for a hardlink on a file
// system that cannot exchange names.
//
// A system call that fails in between, the last unlink included, also rolls the step back. If that
// fails too, the refusal is of kind failed and says where the files are; recover()
// (act_recover.h) continues from there. A declined step has left nothing behind.
//
// So a file is unlinked only after it was verified without its old name. A roll-back never replaces
// a newer file: a file that cannot get its name back stays under T, and the failure names both.
//
// An unbroken lease proves that the bytes are still those that were compared. Without leases
// (another user's file, a network file system) both files are compared again once the duplicate is
// displaced; settle() then checks the duplicate's ctime (hardlink) or compares once more (delete,
// move to another file system). A process that had the file open for writing before the scan and
// writes after the last check is not noticed. On file systems that cannot exchange names, a plain
// rename puts the hard link in place; a file that takes the name between the last check and that
// rename is lost.
//
// The remaining race: another file takes the duplicate's name between the last check and the
// exchange. The exchange is reverted at once, but for that moment the name is the kept file's, and
// a process that uses the name then gets the kept file:
//   - A process that opens it for writing waits for the lease. Before it can continue, the bytes of
//     the kept file are saved as T-kept. Its writes are in the kept file.
//   - A process that moves it has moved the kept file. The file it meant stays under T, whether or
//     not it gets its name back, and the bytes of the kept file are saved too.
//   - A process that exchanges it with another name of the kept file changes nothing, because both
//     are one file. This cannot be detected. Nothing is lost, but what the process then does to
//     either name affects the file that it believes to be at the other.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "tidemill/engine/task.h"
#include "tidemill/jobs/dupes/act/pair/file.h"
#include "tidemill/jobs/dupes/act/pair/places.h"
#include "tidemill/jobs/dupes/act/pair/reflink.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"
#include "tidemill/jobs/dupes/act/pair/side.h"
#include "tidemill/jobs/dupes/act/plan_step.h"

namespace tidemill::dupes {

// The points of a step at which PairTools::hook is called. Not every action reaches all of them.
enum class HookPoint : std::uint8_t {
  opened,
  compared,
  checked,    // nothing is changed yet
  linked,     // hardlink: T exists
  poised,     // after the last check: the next call exchanges, or renames to T
  displaced,  // the duplicate has lost its name
  begun,      // end of begin()
  synced,
  verified,  // T is about to be unlinked
  unlinked,
};

// Shared by the pairs of a run.
struct PairTools {
  PairPlaces& places;
  Comparer& comparer;
  std::string mark{};  // of the run; makes its temporary names unique
  std::stop_token stop{};
  std::function<void(HookPoint)> hook{};  // for the progress line (work.cc) and for tests
  ShareProbe* probe = nullptr;            // for reflink; null: prepare() does not probe
  // Root may change everyone's files, so it is restricted to what their owners could do: files that
  // differ in owner, group, mode or ACL do not count as copies of each other.
  bool is_root = ::geteuid() == 0;

  void at(HookPoint point) const {
    if (hook) hook(point);
  }
};

// A step between begin() and settle().
struct Displaced {
  PlanStep step{};
  PairSide kept{};
  PairSide duplicate{};
  std::string temporary{};
  FileFacts kept_after{};  // right after the duplicate was displaced
  FileFacts duplicate_after{};
  OpenFolder target{};      // of a move
  bool is_settled = false;  // settle() has nothing to do
};

// ".tidemill-<mark>-<id>", in the duplicate's folder.
[[nodiscard]] std::string temporary_name(std::string_view mark, engine::TaskId id);

// The metadata for a copy of the duplicate on another file system: without privileges, which were
// granted for its old location. Root's own files keep them when root moves them.
[[nodiscard]] Metadata metadata_elsewhere(const PairTools& tools, const PlanStep& step);

// All checks that do not read contents. Sets the metadata, the owners and is_begun.
[[nodiscard]] Tried<PlanStep> prepare(const PairTools& tools, PlanStep step);

// On a refusal both files are as before, or the reason says where they are.
[[nodiscard]] Tried<Displaced> begin(const PairTools& tools, PlanStep step, engine::TaskId id);
// The folders to sync before settle() and after it.
[[nodiscard]] std::vector<OpenFolder> folders_of(const Displaced& displaced);
// Instead of settle(): rolls the step back for the reason `why`.
[[nodiscard]] std::unexpected<Refusal> give_up(Displaced& pair, Refusal why);
// Returns the step with its result.
[[nodiscard]] Tried<PlanStep> settle(const PairTools& tools, Displaced& displaced);

}  // namespace tidemill::dupes
