#include "tidemill/jobs/dupes/pair_swap.h"

#include <cerrno>

#include "tidemill/base/try.h"
#include "tidemill/jobs/dupes/pair_copy.h"

namespace tidemill::dupes {
namespace {

constexpr std::string_view kGone = "the duplicate has vanished";

std::unexpected<Refusal> refused_link(int error) {
  switch (error) {
    case EMLINK:
      return declined("the kept file has as many names as the file system allows");
    case EXDEV:
      return declined("the files are on different file systems");
    case EPERM:
    case EOPNOTSUPP:
      return declined("the file system or its owner does not allow hard links of the kept file");
    case ENOENT:
      return declined("the kept file has vanished");
    default:
      return failed("link", error);
  }
}

int folder_of(const Displaced& pair) { return pair.duplicate.folder->number(); }

// T, when it is a name of the kept file and of nothing else.
void drop_link(const Displaced& pair) {
  const auto there = look_at(folder_of(pair), pair.temporary);
  if (there && is_same_file(*there, pair.kept.seen)) {
    (void)unlink_at(folder_of(pair), pair.temporary);
  }
}

std::unexpected<Refusal> left_over(const Displaced& pair, const Refusal& why) {
  return failed(why.reason +
                "; another file came to the name meanwhile, so the one that was there "
                "is left as " +
                pair.temporary + " in the folder of " + pair.step.duplicate.path);
}

// The duplicate's name was the kept file's for a moment, and somebody who took it for the
// duplicate's may write to the kept file: its bytes are saved before its lease is given back.
std::unexpected<Refusal> save_kept(const Displaced& pair) {
  const auto metadata = metadata_of(pair.kept.file.number());
  if (!metadata) return failed(text_of(metadata.error()));
  const std::string name = pair.temporary + "-kept";
  LET(const Descriptor copy, copy_to(pair.kept.file.number(), pair.kept.seen.stx_size,
                                     folder_of(pair), name, *metadata, {}));
  return failed("a write meant for " + pair.step.duplicate.path + " may reach " +
                pair.step.kept.path + "; what was in it is left as " + name +
                " in the folder of the former");
}

// What was displaced has its name back, and T is the kept file's again. A newer file that has come
// to the name keeps it.
bool is_exchanged_back(const Displaced& pair) {
  const int folder = folder_of(pair);
  const auto named = look_at(folder, pair.duplicate.name);
  if (!named || !is_same_file(*named, pair.kept.seen)) return false;
  if (exchange(folder, pair.temporary, pair.duplicate.name) != 0) return false;
  const auto there = look_at(folder, pair.temporary);
  if (!there || is_same_file(*there, pair.kept.seen)) return true;
  (void)exchange(folder, pair.temporary, pair.duplicate.name);
  return false;
}

// The kept file's new name is not where it was made: was it removed, or may it be anywhere?
bool is_link_gone(const Displaced& pair) {
  const auto kept = look_at(pair.kept.file.number());
  const auto named = look_at(pair.kept.folder->number(), pair.kept.name);
  return kept && named && is_same_file(*named, *kept) &&
         kept->stx_nlink <= pair.kept.seen.stx_nlink;
}

// Who moved the kept file's new name took it for what is under T. He may yet put it back, over
// whatever has the name by then, or write to it: so T stays, and the kept file's bytes are saved.
std::unexpected<Refusal> leave_both(const Displaced& pair, const Refusal& why) {
  (void)link_at(folder_of(pair), pair.temporary, pair.duplicate.name);
  return failed(why.reason + "; somebody moved the name meanwhile, so what had it is left as " +
                pair.temporary + " in the folder of " + pair.step.duplicate.path + "; " +
                save_kept(pair).error().reason);
}

std::unexpected<Refusal> exchange_back(const Displaced& pair, Refusal why) {
  if (is_exchanged_back(pair)) {
    auto answer = pair.kept.is_lease_broken() ? save_kept(pair) : std::unexpected(std::move(why));
    drop_link(pair);
    return answer;
  }
  if (!is_link_gone(pair) || pair.kept.is_lease_broken()) return leave_both(pair, why);
  const int folder = folder_of(pair);
  if (rename_to_free(folder, pair.temporary, folder, pair.duplicate.name) == 0) {
    return std::unexpected(std::move(why));
  }
  return left_over(pair, why);
}

// The bytes once more, without asking the leases: a writer who waits has not written.
Tried<void> compare_again(const PairTools& tools, Displaced& pair) {
  const Lease kept = std::exchange(pair.kept.lease, Lease::none);
  const Lease duplicate = std::exchange(pair.duplicate.lease, Lease::none);
  auto digest = tools.comparer.same(pair.kept, pair.duplicate, {});
  pair.kept.lease = kept;
  pair.duplicate.lease = duplicate;
  if (!digest) return std::unexpected(std::move(digest).error());
  if (*digest != pair.step.digest) return declined("both files changed meanwhile");
  return {};
}

// Only for file systems that cannot exchange names.
Tried<void> rename_over(Displaced& pair) {
  const int folder = folder_of(pair);
  if (::renameat(folder, pair.temporary.c_str(), folder, pair.duplicate.name.c_str()) != 0) {
    const int error = errno;
    drop_link(pair);
    return failed("rename", error);
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
  if (!named || !open || !is_same_file(*named, pair.duplicate.seen)) {
    return declined("another file took the duplicate's name meanwhile");
  }
  const Look& before = pair.duplicate.seen;
  const bool is_same = is_unwritten(before, *open) && before.stx_mode == open->stx_mode &&
                       before.stx_uid == open->stx_uid && before.stx_gid == open->stx_gid;
  if (!is_same) return declined("the duplicate changed meanwhile");
  if (pair.duplicate.is_lease_broken()) return declined("somebody wants to write to the duplicate");
  if (!kept || !is_unwritten(pair.kept.seen, *kept)) {
    return declined("the kept file changed meanwhile");
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
  tools.at(Moment::linked);
  if (auto same = expect_untouched(pair.duplicate, "the duplicate"); !same && kLooksAgain) {
    drop_link(pair);
    return same;
  }
  tools.at(Moment::poised);
  const int error = exchange(folder, pair.temporary, pair.duplicate.name);
  if (error == EINVAL) return rename_over(pair);
  if (error != 0) {
    drop_link(pair);
    if (error == ENOENT) return declined(std::string(kGone));
    return failed("exchange names", error);
  }
  tools.at(Moment::displaced);
  return {};
}

Tried<void> take_away(const PairTools& tools, Displaced& pair) {
  tools.at(Moment::poised);
  const int folder = folder_of(pair);
  const int error = rename_to_free(folder, pair.duplicate.name, folder, pair.temporary);
  if (error == ENOENT) return declined(std::string(kGone));
  if (error != 0) return failed("rename", error);
  tools.at(Moment::displaced);
  return {};
}

Tried<void> move_away(const PairTools& tools, Displaced& pair) {
  LET(pair.target, tools.places.made_folder_of(pair.step.target));
  const int target = pair.target->number();
  const std::string name = pair.step.target.name();
  const int error = rename_to_free(folder_of(pair), pair.duplicate.name, target, name);
  if (error == ENOENT) return declined(std::string(kGone));
  if (error == EEXIST) return declined("there is already something at " + pair.step.target.path);
  if (error == 0) {
    pair.temporary.clear();
    tools.at(Moment::displaced);
    return {};
  }
  if (error != EXDEV) return failed("rename", error);
  LET(const Descriptor copy, copy_to(pair.duplicate.file.number(), pair.duplicate.seen.stx_size,
                                     target, pair.temporary, pair.step.metadata, tools.stop));
  auto digest = tools.comparer.digest_of(copy.number(), pair.duplicate.seen.stx_size, tools.stop);
  const int placed = digest && *digest == pair.step.digest
                         ? rename_to_free(target, pair.temporary, target, name)
                         : EIO;
  if (placed != 0) {
    (void)unlink_at(target, pair.temporary);
    if (placed == EEXIST) return declined("there is already something at " + pair.step.target.path);
    return failed("copy to " + pair.step.target.path, placed);
  }
  if (const auto made = look_at(copy.number())) pair.step.after = stamp_of(*made);
  auto taken = sync_folder(target) == 0 ? take_away(tools, pair) : failed("sync", errno);
  if (!taken) (void)unlink_at(target, name);  // our copy
  return taken;
}

std::unexpected<Refusal> put_back(Displaced& pair, Refusal why) {
  const int folder = folder_of(pair);
  if (pair.step.action == Action::hardlink) return exchange_back(pair, std::move(why));
  const bool is_moved = pair.temporary.empty();
  const int error = is_moved ? rename_to_free(pair.target->number(), pair.step.target.name(),
                                              folder, pair.duplicate.name)
                             : rename_to_free(folder, pair.temporary, folder, pair.duplicate.name);
  if (error != 0 && is_moved) {
    return failed(why.reason + "; it is at " + pair.step.target.path + " now");
  }
  if (error != 0) return left_over(pair, why);
  if (pair.step.action == Action::move && !is_moved) {
    (void)unlink_at(pair.target->number(), pair.step.target.name());  // our copy
  }
  return std::unexpected(std::move(why));
}

}  // namespace tidemill::dupes
