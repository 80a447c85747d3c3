#include "tidemill/jobs/dupes/act/pair/pair.h"

#include <cerrno>

#include "tidemill/base/try.h"
#include "tidemill/jobs/dupes/act/pair/copy.h"
#include "tidemill/jobs/dupes/act/pair/reach.h"
#include "tidemill/jobs/dupes/act/pair/reflink.h"
#include "tidemill/jobs/dupes/act/pair/swap.h"
#include "tidemill/jobs/dupes/act/restorable.h"

namespace tidemill::dupes {
namespace {

constexpr std::string_view kKept = "the kept file";
constexpr std::string_view kDuplicate = "the duplicate";

struct Sides {
  PairSide kept{};
  PairSide duplicate{};
};

bool is_fixed(const FileFacts& look) {
  return (look.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0;
}

Tried<void> expect_fit(const PlanStep& step, const Sides& sides) {
  const FileFacts& kept = sides.kept.seen;
  const FileFacts& duplicate = sides.duplicate.seen;
  if (is_same_file(kept, duplicate)) return declined("both names are already the same file");
  if (step.action == Action::hardlink && stamp_of(kept).device != stamp_of(duplicate).device) {
    return declined("the files are on different file systems");
  }
  if (is_fixed(duplicate) || (step.action == Action::hardlink && is_fixed(kept))) {
    return declined("the file is immutable or append-only");
  }
  const auto folder = look_at(sides.duplicate.folder->number());
  if (!folder) return failed("cannot stat the folder", folder.error());
  if (is_fixed(*folder)) {  // append-only: T could not be removed again
    return declined("its folder is immutable or append-only");
  }
  return {};
}

Tried<Sides> open_both(const PairTools& tools, const PlanStep& step) {
  Sides sides;
  LET(sides.kept, open_side(tools.places, step.kept, kKept));
  LET(sides.duplicate, open_side(tools.places, step.duplicate, kDuplicate));
  TRY(expect_fit(step, sides));
  TRY(expect_scanned(sides.kept, step.kept_stamp, kKept));
  TRY(expect_scanned(sides.duplicate, step.stamp, kDuplicate));
  return sides;
}

// The duplicate's metadata; declined if a part of it that is not ignored would be lost.
Tried<Metadata> metadata_to_keep(const PairTools& tools, const PlanStep& step, const Sides& sides) {
  auto duplicate = metadata_of(sides.duplicate.file.number());
  if (!duplicate) return failed(text_of(duplicate.error()));
  const bool is_linked = step.action == Action::hardlink;
  if (!is_linked && !tools.is_root) return *std::move(duplicate);
  const auto kept = metadata_of(sides.kept.file.number());
  if (!kept) return failed(text_of(kept.error()));
  auto lost = is_linked ? difference(*kept, *duplicate, step.lenience)
                        : difference_in_access(*kept, *duplicate, step.lenience);
  if (lost) return declined(*std::move(lost));
  return *std::move(duplicate);
}

// After a deletion only the kept file has the bytes. No user may gain control over them by that.
Tried<void> expect_kept_out_of_reach(const PairTools& tools, const PlanStep& step,
                                     const Sides& sides) {
  const bool is_alone = step.action == Action::remove || step.action == Action::script;
  if (!is_alone || !tools.is_root || step.lenience.folder) return {};
  LET(const bool is_good,
      is_within_reach(sides.kept.folder->number(), sides.kept.seen, sides.duplicate));
  if (is_good) return {};
  return declined("other users can replace the kept file, but not this one" + root_needs("folder"));
}

// Nothing is changed yet when this returns.
Tried<void> verify(const PairTools& tools, Displaced& pair) {
  TRY(lease(pair.kept, kKept));
  TRY(lease(pair.duplicate, kDuplicate));
  LET(pair.step.digest, tools.comparer.same(pair.kept, pair.duplicate, tools.stop));
  tools.at(HookPoint::compared);
  TRY(expect_untouched(pair.kept, kKept));
  TRY(expect_untouched(pair.duplicate, kDuplicate));
  tools.at(HookPoint::checked);
  return {};
}

Tried<void> displace(const PairTools& tools, Displaced& pair) {
  switch (pair.step.action) {
    case Action::hardlink:
      return swap_for_link(tools, pair);
    case Action::remove:
      return take_away(tools, pair);
    case Action::move:
      return move_away(tools, pair);
    case Action::reflink:
    case Action::script:
    case Action::none:
      break;
  }
  return failed("no such action");
}

Tried<void> reflink(const PairTools& tools, Displaced& pair) {
  TRY(share_blocks(pair.kept.file.number(), pair.duplicate.file.number(),
                   pair.duplicate.seen.stx_size, tools.stop));
  pair.step.after = stamp_of(pair.duplicate.seen);
  pair.is_settled = true;
  return {};
}

Tried<void> note_results(Displaced& pair) {
  const auto kept = look_at(pair.kept.file.number());
  if (!kept) return failed("cannot stat the kept file", kept.error());
  const auto gone = look_at(pair.duplicate.file.number());
  if (!gone) return failed("cannot stat the duplicate", gone.error());
  pair.kept_after = *kept;
  pair.duplicate_after = *gone;
  if (pair.step.action == Action::hardlink) {
    pair.step.after = stamp_of(pair.kept_after);
    give_back_lease(pair.kept.file.number());  // a write from now on is meant for both names
    pair.kept.lease = FileLease::none;
  }
  if (pair.step.action == Action::move && pair.temporary.empty()) {
    pair.step.after = stamp_of(pair.duplicate_after);
    pair.is_settled = true;
  }
  return {};
}

// The kept file still has its name, and its bytes.
Tried<void> expect_kept(const PairTools& tools, Displaced& pair) {
  const auto named = look_at(pair.kept.folder->number(), pair.kept.name);
  if (!named && !is_missing(named)) return failed("cannot stat the kept file", named.error());
  if (!named || !is_unwritten(pair.kept.seen, *named)) {
    return declined("the kept file changed in the meantime");
  }
  return expect_displaced(tools, pair);
}

Tried<void> expect_linked(const Displaced& pair) {
  const auto named = look_at(pair.duplicate.folder->number(), pair.temporary);
  const auto open = look_at(pair.duplicate.file.number());
  if (!named && !is_missing(named)) return failed("cannot stat the duplicate", named.error());
  if (!open) return failed("cannot stat the duplicate", open.error());
  constexpr std::string_view kChanged = "the duplicate changed in the meantime";
  const bool is_good = named && is_same_file(*named, pair.duplicate_after) &&
                       (pair.duplicate.is_leased() ? is_unwritten(pair.duplicate_after, *open)
                                                   : is_untouched(pair.duplicate_after, *open));
  if (!is_good) return declined(std::string(kChanged));
  return expect_unbroken(pair.duplicate, kChanged);
}

// If the kept file was deleted at the last moment, the open duplicate still has the bytes: it is
// written again.
Tried<void> rescue(const PairTools& tools, const Displaced& pair) {
  if (pair.step.action != Action::remove) return {};
  const auto kept = look_at(pair.kept.file.number());
  if (!kept) return failed("cannot stat the kept file", kept.error());
  if (kept->stx_nlink > 0) return {};
  const int folder = pair.duplicate.folder->number();
  LET(const Descriptor copy, copy_to(pair.duplicate.file.number(), pair.duplicate.seen.stx_size,
                                     folder, pair.temporary, pair.step.metadata, tools.stop));
  if (rename_to_free(folder, pair.temporary, folder, pair.duplicate.name) != 0) {
    return failed("the kept file no longer exists; the duplicate was left as " + pair.temporary +
                  " in the folder of " + pair.step.duplicate.path);
  }
  return declined("the kept file no longer exists");
}

}  // namespace

std::string temporary_name(std::string_view mark, engine::TaskId id) {
  return ".tidemill-" + std::string(mark) + '-' + std::to_string(id);
}

Metadata metadata_elsewhere(const PairTools& tools, const PlanStep& step) {
  const bool is_roots = tools.is_root && step.metadata.user == 0;
  return is_roots ? step.metadata : without_privileges(step.metadata);
}

Tried<PlanStep> prepare(const PairTools& tools, PlanStep step) {
  const bool asks = tools.probe != nullptr && step.action == Action::reflink;
  if (asks) TRY(tools.probe->expect_known(step.kept_stamp, step.stamp));
  LET(const Sides sides, open_both(tools, step));
  if (asks) {
    TRY(tools.probe->expect(sides.kept.file.number(), sides.duplicate.file.number(),
                            step.kept_stamp, step.stamp));
  }
  LET(step.metadata, metadata_to_keep(tools, step, sides));
  TRY(expect_kept_out_of_reach(tools, step, sides));
  const auto folder = look_at(sides.duplicate.folder->number());
  if (!folder) return failed("cannot stat the folder", folder.error());
  step.kept_user = sides.kept.seen.stx_uid;
  step.folder_user = folder->stx_uid;
  const bool is_made_again = step.action == Action::hardlink || step.action == Action::remove;
  if (is_made_again) {  // by undo; a moved file is only moved back
    TRY(expect_restorable(sides.duplicate.folder->number(), step.metadata));
  }
  step.is_begun = true;
  return step;
}

Tried<Displaced> begin(const PairTools& tools, PlanStep step, engine::TaskId id) {
  LET(Sides sides, open_both(tools, step));
  tools.at(HookPoint::opened);
  LET(const Metadata metadata, metadata_to_keep(tools, step, sides));
  if (metadata != step.metadata) return declined("the duplicate changed in the meantime");
  if (sides.kept.seen.stx_uid != step.kept_user)
    return declined("the kept file changed in the meantime");
  TRY(expect_kept_out_of_reach(tools, step, sides));
  Displaced pair{.step = std::move(step),
                 .kept = std::move(sides.kept),
                 .duplicate = std::move(sides.duplicate),
                 .temporary = temporary_name(tools.mark, id)};
  if (pair.step.action == Action::reflink) {
    TRY(reflink(tools, pair));
    return pair;
  }
  TRY(verify(tools, pair));
  TRY(displace(tools, pair));
  if (pair.is_settled) {  // by a plain rename, which cannot be rolled back
    pair.step.after = stamp_of(pair.kept.seen);
    return pair;
  }
  auto good = expect_displaced(tools, pair);
  if (good) good = note_results(pair);
  if (!good) return put_back(pair, std::move(good).error());
  tools.at(HookPoint::begun);
  return pair;
}

std::vector<OpenFolder> folders_of(const Displaced& displaced) {
  if (displaced.step.action == Action::reflink) return {};
  std::vector<OpenFolder> folders = {displaced.duplicate.folder};
  if (displaced.target) folders.push_back(displaced.target);
  return folders;
}

// hardlink: the duplicate's name is the kept file now. If that was written to, or is open for
// writing, the names are not exchanged back.
std::unexpected<Refusal> give_up(Displaced& pair, Refusal why) {
  if (pair.is_settled && pair.step.action != Action::move) return std::unexpected(std::move(why));
  if (pair.step.action != Action::hardlink) return put_back(pair, std::move(why));
  pair.kept.lease = take_lease(pair.kept.file.number()).value_or(FileLease::refused);
  const auto kept = look_at(pair.kept.file.number());
  const bool is_unused = pair.kept.lease != FileLease::refused;
  if (is_unused && kept && is_unwritten(pair.kept_after, *kept)) {
    return put_back(pair, std::move(why));
  }
  return failed(why.reason + "; both names are being written to, so the duplicate was left as " +
                pair.temporary + " in the folder of " + pair.step.duplicate.path);
}

Tried<PlanStep> settle(const PairTools& tools, Displaced& displaced) {
  if (displaced.is_settled) return std::move(displaced.step);
  tools.at(HookPoint::synced);
  auto good = displaced.step.action == Action::hardlink ? expect_linked(displaced)
                                                        : expect_kept(tools, displaced);
  if (!good && kLooksAgain) return give_up(displaced, std::move(good).error());
  tools.at(HookPoint::verified);
  const int error = unlink_at(displaced.duplicate.folder->number(), displaced.temporary);
  if (error != 0)
    return give_up(displaced, failed("cannot remove " + displaced.temporary, error).error());
  tools.at(HookPoint::unlinked);
  TRY(rescue(tools, displaced));
  return std::move(displaced.step);
}

}  // namespace tidemill::dupes
