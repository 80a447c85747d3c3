#include "tidemill/jobs/dupes/act/pair/swap.h"

#include <cerrno>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/jobs/dupes/act/pair/copy.h"
#include "tidemill/jobs/dupes/act/pair/reach.h"
#include "tidemill/jobs/dupes/act/restorable.h"

namespace tidemill::dupes {
namespace {

constexpr std::string_view kGone = "the duplicate no longer exists";

std::unexpected<Refusal> refused_link(int error) {
  switch (error) {
    case EMLINK:
      return declined("the kept file has as many hard links as the file system allows");
    case EXDEV:
      return declined("the files are on different file systems");
    case EPERM:
    case EOPNOTSUPP:
      return declined(
          "hard links to the kept file are not permitted by its owner or the file system");
    case ENOENT:
      return declined("the kept file no longer exists");
    default:
      return failed("cannot link", error);
  }
}

int folder_of(const Displaced& pair) { return pair.duplicate.folder->number(); }

std::unexpected<Refusal> still_there(const Refusal& why, const std::string& what, int error) {
  return failed(why.reason + "; " + what + " was left behind: " + system_text(error));
}

std::string temporary_of(const Displaced& pair) {
  return pair.temporary + " in the folder of " + pair.step.duplicate.path;
}

// Removes T if it is a name of the kept file, and syncs. Returns `why`, or a failure if T cannot be
// removed or the sync fails.
std::unexpected<Refusal> without_link(const Displaced& pair, Refusal why) {
  const auto there = look_at(folder_of(pair), pair.temporary);
  if (!there && !is_missing(there)) return still_there(why, temporary_of(pair), there.error());
  if (there && is_same_file(*there, pair.kept.seen)) {
    const int error = unlink_at(folder_of(pair), pair.temporary);
    if (error != 0) return still_there(why, temporary_of(pair), error);
  }
  const int synced = sync_folder(folder_of(pair));
  if (synced != 0) return failed(why.reason + "; " + failed("sync", synced).error().reason);
  return std::unexpected(std::move(why));
}

std::unexpected<Refusal> left_over(const Displaced& pair, const Refusal& why, int error) {
  if (error != EEXIST) return still_there(why, temporary_of(pair), error);
  return failed(why.reason +
                "; another file took the name in the meantime, so the original was left as " +
                temporary_of(pair));
}

// For a moment the duplicate's name was the kept file, and a process that opened the name then may
// write to the kept file: its bytes are saved before its lease is released.
std::unexpected<Refusal> save_kept(const Displaced& pair) {
  const auto metadata = metadata_of(pair.kept.file.number());
  if (!metadata) return failed(text_of(metadata.error()));
  const std::string name = pair.temporary + "-kept";
  LET(const Descriptor copy, copy_to(pair.kept.file.number(), pair.kept.seen.stx_size,
                                     folder_of(pair), name, *metadata, {}));
  return failed("a write meant for " + pair.step.duplicate.path + " may reach " +
                pair.step.kept.path + "; its previous contents were saved as " + name +
                " in the folder of the former");
}

// True: the displaced file has its name back, and T is the kept file again. False: the name was
// changed meanwhile; a newer file keeps it. An errno: the call failed, and as far as is known the
// name was not changed.
std::expected<bool, int> is_exchanged_back(const Displaced& pair) {
  const int folder = folder_of(pair);
  const auto named = look_at(folder, pair.duplicate.name);
  if (!named && !is_missing(named)) return std::unexpected(named.error());
  if (!named || !is_same_file(*named, pair.kept.seen)) return false;
  const int error = exchange(folder, pair.temporary, pair.duplicate.name);
  if (error == ENOENT) return false;
  if (error != 0) return std::unexpected(error);
  const auto there = look_at(folder, pair.temporary);
  if (!there || is_same_file(*there, pair.kept.seen)) return true;  // without_link() says more
  (void)exchange(folder, pair.temporary, pair.duplicate.name);
  return false;
}

// The link to the kept file is not where it was created. True: it was removed; false: it may have
// been moved anywhere.
bool is_link_gone(const Displaced& pair) {
  const auto kept = look_at(pair.kept.file.number());
  const auto named = look_at(pair.kept.folder->number(), pair.kept.name);
  return kept && named && is_same_file(*named, *kept) &&
         kept->stx_nlink <= pair.kept.seen.stx_nlink;
}

// A process has moved the link to the kept file instead of the file that is under T. It may still
// move it back, over any file that has the name by then, or write to it: so T stays, and the bytes
// of the kept file are saved.
std::unexpected<Refusal> leave_both(const Displaced& pair, const Refusal& why) {
  (void)link_at(folder_of(pair), pair.temporary, pair.duplicate.name);
  return failed(why.reason + "; the original could not get its name back and was left as " +
                temporary_of(pair) + "; " + save_kept(pair).error().reason);
}

std::unexpected<Refusal> exchange_back(const Displaced& pair, Refusal why) {
  const auto is_back = is_exchanged_back(pair);
  if (!is_back) return still_there(why, temporary_of(pair), is_back.error());
  if (*is_back) {
    auto answer = pair.kept.is_lease_broken() ? save_kept(pair) : std::unexpected(std::move(why));
    return without_link(pair, std::move(answer).error());
  }
  if (!is_link_gone(pair) || pair.kept.is_lease_broken()) return leave_both(pair, why);
  const int folder = folder_of(pair);
  const int error = rename_to_free(folder, pair.temporary, folder, pair.duplicate.name);
  if (error == 0) return without_link(pair, std::move(why));
  return left_over(pair, why, error);
}

// Compares again without checking the leases: a process that waits to write has not written.
Tried<void> compare_again(const PairTools& tools, Displaced& pair) {
  const FileLease kept = std::exchange(pair.kept.lease, FileLease::none);
  const FileLease duplicate = std::exchange(pair.duplicate.lease, FileLease::none);
  auto digest = tools.comparer.same(pair.kept, pair.duplicate, {});
  pair.kept.lease = kept;
  pair.duplicate.lease = duplicate;
  if (!digest) return std::unexpected(std::move(digest).error());
  if (*digest != pair.step.digest) return declined("both files changed in the meantime");
  return {};
}

// Only for file systems that cannot exchange names.
Tried<void> rename_over(Displaced& pair) {
  const int folder = folder_of(pair);
  if (::renameat(folder, pair.temporary.c_str(), folder, pair.duplicate.name.c_str()) != 0) {
    return without_link(pair, failed("cannot rename", errno).error());
  }
  pair.is_settled = true;
  return {};
}

}  // namespace

Tried<void> expect_displaced(const PairTools& tools, Displaced& pair) {
  if (!kLooksAgain) return {};
  const bool is_moved = pair.step.action == Action::move && pair.temporary.empty();
  const auto named = is_moved ? look_at(pair.target->number(), pair.step.target.name())
                              : look_at(folder_of(pair), pair.temporary);
  const auto open = look_at(pair.duplicate.file.number());
  const auto kept = look_at(pair.kept.file.number());
  if (!named && !is_missing(named)) return failed("cannot stat the duplicate", named.error());
  if (!open) return failed("cannot stat the duplicate", open.error());
  if (!kept) return failed("cannot stat the kept file", kept.error());
  if (!named || !is_same_file(*named, pair.duplicate.seen)) {
    return declined("another file took the duplicate's name in the meantime");
  }
  const FileFacts& before = pair.duplicate.seen;
  const bool is_same = is_unwritten(before, *open) && before.stx_mode == open->stx_mode &&
                       before.stx_uid == open->stx_uid && before.stx_gid == open->stx_gid;
  if (!is_same) return declined("the duplicate changed in the meantime");
  TRY(expect_unbroken(pair.duplicate, "another process wants to write to the duplicate"));
  if (!is_unwritten(pair.kept.seen, *kept)) {
    return declined("the kept file changed in the meantime");
  }
  const bool is_proven =
      pair.duplicate.is_leased() && pair.kept.is_leased() && !pair.kept.is_lease_broken();
  if (!is_proven) TRY(compare_again(tools, pair));
  return {};
}

Tried<void> swap_for_link(const PairTools& tools, Displaced& pair) {
  const int folder = folder_of(pair);
  const int link_error = link_open(pair.kept.file.number(), folder, pair.temporary);
  if (link_error != 0) return refused_link(link_error);
  tools.at(HookPoint::linked);
  if (auto same = expect_untouched(pair.duplicate, "the duplicate"); !same && kLooksAgain) {
    return without_link(pair, std::move(same).error());
  }
  tools.at(HookPoint::poised);
  const int error = exchange(folder, pair.temporary, pair.duplicate.name);
  if (error == EINVAL) return rename_over(pair);
  if (error != 0) {
    if (error == ENOENT) return without_link(pair, declined(std::string(kGone)).error());
    return without_link(pair, failed("cannot exchange the names", error).error());
  }
  tools.at(HookPoint::displaced);
  return {};
}

Tried<void> take_away(const PairTools& tools, Displaced& pair) {
  tools.at(HookPoint::poised);
  const int folder = folder_of(pair);
  const int error = rename_to_free(folder, pair.duplicate.name, folder, pair.temporary);
  if (error == ENOENT) return declined(std::string(kGone));
  if (error != 0) return failed("cannot rename", error);
  tools.at(HookPoint::displaced);
  return {};
}

namespace {

// For a move to another file system: copies the duplicate with its metadata to the target.
Tried<void> copy_away(const PairTools& tools, Displaced& pair) {
  const int target = pair.target->number();
  const std::uint64_t size = pair.duplicate.seen.stx_size;
  const Metadata metadata = metadata_elsewhere(tools, pair.step);
  TRY(expect_restorable(folder_of(pair), pair.step.metadata));
  TRY(expect_restorable(target, metadata));
  const auto check = [&](int copy) -> Tried<void> {
    LET(const bool is_same, tools.comparer.has_digest(copy, size, pair.step.digest, tools.stop));
    if (!is_same) return failed("cannot copy to " + pair.step.target.path, EIO);
    return {};
  };
  LET(const Descriptor copy, copy_to(pair.duplicate.file.number(), size, target, pair.temporary,
                                     metadata, tools.stop, check));
  const auto made = look_at(copy.number());
  const int placed =
      made ? rename_to_free(target, pair.temporary, target, pair.step.target.name()) : made.error();
  if (placed == 0) {
    pair.step.after = stamp_of(*made);
    return {};
  }
  auto why = placed == EEXIST
                 ? declined("there is already something at " + pair.step.target.path).error()
                 : failed("cannot copy to " + pair.step.target.path, placed).error();
  const int error = unlink_at(target, pair.temporary);
  if (error == 0) return std::unexpected(std::move(why));
  return still_there(why, pair.temporary + " in the folder of " + pair.step.target.path, error);
}

// Removes the copy at the target, once the duplicate has its name.
std::unexpected<Refusal> without_copy(const Displaced& pair, Refusal why) {
  const int error = unlink_at(pair.target->number(), pair.step.target.name());
  if (error != 0) return still_there(why, pair.step.target.path, error);
  return without_link(pair, std::move(why));
}

}  // namespace

Tried<void> move_away(const PairTools& tools, Displaced& pair) {
  const auto links = tools.is_root ? PairPlaces::Links::refused : PairPlaces::Links::followed;
  LET(pair.target, tools.places.made_folder_of(pair.step.target, links));
  const int target = pair.target->number();
  if (tools.is_root && !pair.step.lenience.folder) {
    LET(const bool is_good, is_within_reach(target, pair.duplicate.seen, pair.duplicate));
    if (!is_good) {
      return declined("other users could replace the file where it would be moved to" +
                      root_needs("folder"));
    }
  }
  const std::string name = pair.step.target.name();
  const int error = rename_to_free(folder_of(pair), pair.duplicate.name, target, name);
  if (error == ENOENT) return declined(std::string(kGone));
  if (error == EEXIST) return declined("there is already something at " + pair.step.target.path);
  if (error == 0) {
    pair.temporary.clear();
    tools.at(HookPoint::displaced);
    return {};
  }
  if (error != EXDEV) return failed("cannot rename", error);
  TRY(copy_away(tools, pair));
  const int synced = sync_folder(target);
  auto taken = synced == 0 ? take_away(tools, pair) : failed("sync", synced);
  if (!taken) return without_copy(pair, std::move(taken).error());
  return {};
}

std::unexpected<Refusal> put_back(Displaced& pair, Refusal why) {
  const int folder = folder_of(pair);
  if (pair.step.action == Action::hardlink) return exchange_back(pair, std::move(why));
  const bool is_moved = pair.temporary.empty();
  const int error = is_moved ? rename_to_free(pair.target->number(), pair.step.target.name(),
                                              folder, pair.duplicate.name)
                             : rename_to_free(folder, pair.temporary, folder, pair.duplicate.name);
  if (error != 0 && is_moved) {
    return failed(why.reason + "; the file is now at " + pair.step.target.path);
  }
  if (error != 0) return left_over(pair, why, error);
  if (pair.step.action == Action::move && !is_moved) return without_copy(pair, std::move(why));
  return without_link(pair, std::move(why));
}

}  // namespace tidemill::dupes
