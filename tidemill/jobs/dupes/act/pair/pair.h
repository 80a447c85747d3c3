// Pair: does one step to one duplicate so that no byte that exists only once can be lost, whatever
// others do to both files at the same time. In two halves, so that one sync of a folder serves many
// pairs:
//
//   begin()    open both ─► as scanned? ─► lease both ─► compare every byte ─► still the same?
//              hardlink:  link kept to T, exchange T with the duplicate's name ┐
//              delete:    rename the duplicate to T                            ├ T: a temporary
//              move:      rename the duplicate to its new place                ┘ in its folder
//              look at what was displaced: the very file that was compared, unwritten, nobody
//              waiting to write; else everything goes back
//   (the caller syncs the folders: this also gives time to whoever had looked the file up by its
//    old name and not yet opened it)
//   settle()   look again, at the lease too; then unlink T, or put everything back
//
// A call that fails in between, the last unlink too, puts everything back as a change would. When
// that fails as well the refusal is a failure that says where everything is, and recover()
// (act_recover.h) takes it from there. A refusal that is declined has left nothing.
//
// So nothing is unlinked that was not verified after it had lost its name. Nothing is put back over
// a newer file: what cannot go back stays under T and the failure names both.
//
// Under an unbroken lease nobody can write, so its state says that the bytes are still those that
// were compared. Without leases (another owner's file, a network file system) both files are
// compared a second time when the duplicate has been displaced, and its ctime is watched from there
// on; a writer who had it open before the scan and writes after the last look is not seen. On file
// systems that cannot exchange names a hardlink is put in place by a plain rename; a file that took
// the name between the last look and the rename is lost there.
//
// What is left to chance: a file that takes the name within the microsecond between the last look
// and the exchange goes back at once, but until then the name is the kept file's. Who does
// something to the name in that second microsecond does it to the kept file:
//   - Who opens it for writing waits for the lease, and the bytes of the kept file are saved under
//     T-kept before he goes on. What he writes is in the kept file.
//   - Who moves it has the kept file in his hands. What he took it for stays under T, whether or
//     not it gets its name back, and the bytes of the kept file are saved too.
//   - Who exchanges it with another name of the kept file exchanges nothing: that is one file.
//     Nobody can see this. Nothing is lost by it, but what he then does to either of the names, he
//     does to the file that he thinks is at the other.
//
// reflink: the kernel compares and shares, in steps of 16 MiB, and settle() has nothing to do.
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

// Between which steps a test may interfere.
enum class Moment : std::uint8_t {
  opened,
  compared,
  checked,    // nothing is changed yet
  linked,     // T is there
  poised,     // the last look is over: the next call exchanges or renames
  displaced,  // the duplicate's name has changed hands
  begun,      // the first half is over
  synced,
  verified,  // T is about to go
  unlinked,
};

// What the pairs of a run share.
struct PairTools {
  Places& places;
  Comparer& comparer;
  std::string mark{};  // of the run; makes its temporary names its own
  std::stop_token stop{};
  std::function<void(Moment)> hook{};  // for tests
  ShareProbe* probe = nullptr;         // for reflink; none: prepare() does not ask
  // Root can do everything to the files of everybody, so it is held to what the owners could do:
  // copies that differ in owner, group, mode or ACL are not each other's copies.
  bool is_root = ::geteuid() == 0;

  void at(Moment moment) const {
    if (hook) hook(moment);
  }
};

// A step between its halves.
struct Displaced {
  Step step{};
  Side kept{};
  Side duplicate{};
  std::string temporary{};
  Look kept_after{};  // right after it was displaced
  Look duplicate_after{};
  OpenFolder target{};      // of a move
  bool is_settled = false;  // there is no second half
};

// ".tidemill-<mark>-<id>", in the duplicate's folder.
[[nodiscard]] std::string temporary_name(std::string_view mark, engine::TaskId id);

// What a copy of the duplicate has on another file system: all but privileges, which were granted
// for the place where it was. Root's own files keep them when root moves them.
[[nodiscard]] Metadata metadata_elsewhere(const PairTools& tools, const Step& step);

// Everything that can be said without reading contents: fills in the metadata, the owners, and
// is_begun.
[[nodiscard]] Tried<Step> prepare(const PairTools& tools, Step step);

// A refusal: both files are as they were, or its reason says where they are.
[[nodiscard]] Tried<Displaced> begin(const PairTools& tools, Step step, engine::TaskId id);
// Whose names must be on the disk before settle(), and after it.
[[nodiscard]] std::vector<OpenFolder> folders_of(const Displaced& displaced);
// Instead of settle(): everything goes back, for this reason.
[[nodiscard]] std::unexpected<Refusal> give_up(Displaced& pair, Refusal why);
// Done: the step with its result.
[[nodiscard]] Tried<Step> settle(const PairTools& tools, Displaced& displaced);

}  // namespace tidemill::dupes
