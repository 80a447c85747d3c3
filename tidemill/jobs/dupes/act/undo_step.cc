#include "tidemill/jobs/dupes/act/undo_step.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "tidemill/base/try.h"
#include "tidemill/jobs/dupes/act/pair/copy.h"

namespace tidemill::dupes {
namespace {

// A file with another owner is not the restored file, whatever its contents.
bool has_owner(const FileFacts& look, const PlanStep& step) {
  return look.stx_uid == step.metadata.user && look.stx_gid == step.metadata.group;
}

// Whether the metadata of a step may be given to the bytes of this file, which are checked by their
// hash. Privileges are not restored if the owner of the file has changed, or if the hash can be
// forged. With such a hash, the file must belong to root, to the owner in the metadata, or to the
// user who runs this.
Tried<void> expect_believable(const PlanStep& step, const FileFacts& file) {
  const bool is_deleted = step.action == Action::remove;
  if (stamp_of(file) == (is_deleted ? step.kept_stamp : step.after)) return {};  // ctime too
  const bool is_forgeable = step.digest.size() == hash::width_of(hash::Algorithm::xxh3);
  const std::uint32_t owner = step.action == Action::move ? step.metadata.user : step.kept_user;
  if (has_privileges(step.metadata) && (is_forgeable || file.stx_uid != owner)) {
    return declined(
        is_forgeable
            ? "the journal was written by an older version and has no SHA-256, without which "
              "set-user-id, set-group-id and capabilities are not restored; copy the kept file "
              "yourself"
            : "the owner of the kept file has changed, so set-user-id, set-group-id and "
              "capabilities are not restored; restore its owner and undo again");
  }
  const bool is_ours =
      file.stx_uid == 0 || file.stx_uid == ::geteuid() || file.stx_uid == step.metadata.user;
  if (is_forgeable && !is_ours) {
    return declined(
        "the journal was written by an older version and has no SHA-256, and the kept file belongs "
        "to another user and was touched since; compare it and copy it yourself");
  }
  return {};
}

// Restoring another name of the file in the same batch changes its ctime, so a held lease is used
// instead.
Tried<void> expect_still_linked(const PairSide& linked) {
  if (!linked.is_leased()) return expect_untouched(linked, "the file");
  const auto named = look_at(linked.folder->number(), linked.name);
  if (!named && !is_missing(named)) return failed("cannot stat the file", named.error());
  constexpr std::string_view kChanged = "the file changed in the meantime";
  if (!named || !is_unwritten(linked.seen, *named)) return declined(std::string(kChanged));
  return expect_unbroken(linked, kChanged);
}

}  // namespace

Tried<Undoing> Undoer::begin(PlanStep step, engine::TaskId id) {
  Undoing work{.step = std::move(step)};
  if (work.step.action == Action::reflink) return work;
  LET(work.folder, tools_.places.folder_of(work.step.duplicate));
  work.temporary = temporary_name(tools_.mark, id) + "-undo";
  TRY(clear_leftover(work));
  LET(const bool is_there, is_restored(work));
  if (is_there) {
    work.has_rest = work.step.action == Action::move;
    TRY(note_placed(work));
    return work;
  }
  TRY(expect_folder(work));
  switch (work.step.action) {
    case Action::hardlink:
      TRY(begin_link(work));
      return work;
    case Action::remove:
      TRY(begin_copy(work));
      return work;
    case Action::move:
      TRY(begin_move(work));
      return work;
    case Action::reflink:
    case Action::script:
    case Action::none:
      break;
  }
  return failed("no such action");
}

// The root of the search may be a symlink by now, which could make the user root write anywhere: so
// the folder must have the owner that it had. An old journal does not have that; then it must be
// the file's owner. For a hardlink, the link itself proves that the folder is the right one.
Tried<void> Undoer::expect_folder(const Undoing& work) const {
  const PlanStep& step = work.step;
  if (!tools_.is_root || step.action == Action::hardlink) return {};
  const auto folder = look_at(work.folder->number());
  if (!folder) return failed("cannot stat the folder", folder.error());
  const bool is_known = step.folder_user != PlanStep::kUnknownUser;
  if (folder->stx_uid == (is_known ? step.folder_user : step.metadata.user)) return {};
  return declined(is_known ? "the owner of its folder has changed"
                           : "its folder has a different owner than the file, and the journal was "
                             "written by an older version that did not record whether it did then");
}

// Whether the name is a regular file with the bytes that were compared.
Tried<bool> Undoer::has_bytes(const Undoing& work, const std::string& name) {
  auto side = open_side(work.folder, name, "the file");
  if (!side && side.error().kind == Refusal::Kind::declined) return false;
  if (!side) return std::unexpected(std::move(side).error());
  if (side->seen.stx_size != work.step.stamp.size) return false;
  return tools_.comparer.has_digest(side->file.number(), side->seen.stx_size, work.step.digest,
                                    tools_.stop);
}

// Removes the temporary file of an undo that was killed or could not remove it: a copy, complete or
// not, or the link that was exchanged for it. A file that took the name just before the exchange is
// neither, and stays.
Tried<void> Undoer::clear_leftover(const Undoing& work) {
  const PlanStep& step = work.step;
  const std::string& temporary = work.temporary;
  const int folder = work.folder->number();
  const auto left = look_at(folder, temporary);
  if (is_missing(left)) return {};
  if (!left) return failed("cannot stat " + temporary, left.error());
  const auto named = look_at(folder, step.duplicate.name());
  if (!named && !is_missing(named)) return failed("cannot stat the file", named.error());
  const bool is_link = step.action == Action::hardlink && is_file_of(*left, step.after);
  const bool is_unexchanged =
      step.action != Action::hardlink || (named && is_file_of(*named, step.after) && !is_link);
  bool is_ours = is_unexchanged || (is_link && left->stx_nlink > 1);
  if (!is_ours) {
    LET(is_ours, has_bytes(work, temporary));
    if (is_ours && is_link) {  // its last name: the file must have been restored
      LET(is_ours, has_bytes(work, step.duplicate.name()));
    }
  }
  if (!is_ours) {
    return failed(temporary + " in the folder of " + step.duplicate.path +
                  " was left behind: it is not the file that was expected there");
  }
  const int error = unlink_at(folder, temporary);
  if (error != 0) return failed("cannot remove " + temporary, error);
  return {};
}

// The file was moved to another file system and is restored, but its copy is still at the target.
Tried<void> Undoer::clear_target(const Undoing& work) {
  const PlanStep& step = work.step;
  auto moved = open_side(tools_.places, step.target, "the moved file");
  if (!moved && moved.error().kind == Refusal::Kind::failed) {
    return std::unexpected(std::move(moved).error());
  }
  const bool is_likely =
      moved && is_file_of(moved->seen, step.after) && moved->seen.stx_size == step.stamp.size;
  if (!is_likely) return {};
  LET(const bool is_same, tools_.comparer.has_digest(moved->file.number(), moved->seen.stx_size,
                                                     step.digest, tools_.stop));
  if (!is_same) return {};
  const int target = moved->folder->number();
  const int gone = unlink_at(target, moved->name);
  if (gone != 0) return failed("cannot remove " + step.target.path, gone);
  if (const int error = sync_folder(target); error != 0) return failed("sync", error);
  return {};
}

Tried<bool> Undoer::is_restored(const Undoing& work) {
  const PlanStep& step = work.step;
  const auto named = look_at(work.folder->number(), step.duplicate.name());
  if (is_missing(named)) return false;
  if (!named) return failed("cannot stat the file", named.error());
  if (step.action == Action::hardlink && is_file_of(*named, step.after)) return false;
  const FileStamp now = stamp_of(*named);
  if (S_ISREG(named->stx_mode) && now.size == step.stamp.size &&
      now.mtime_ns == step.metadata.mtime_ns && has_owner(*named, step)) {
    LET(const bool is_back, has_bytes(work, step.duplicate.name()));
    if (is_back) return true;
  }
  return declined("another file now has the name");
}

// Removes the temporary name only if it still is the file that we created.
std::unexpected<Refusal> Undoer::give_up(const Undoing& work, Refusal why) {
  const auto there = look_at(work.folder->number(), work.temporary);
  const bool is_ours = there && is_same_file(*there, work.ours);
  const int error = is_ours             ? unlink_at(work.folder->number(), work.temporary)
                    : is_missing(there) ? 0
                    : there             ? EEXIST
                                        : there.error();
  if (error == 0) return std::unexpected(std::move(why));
  return failed(why.reason + "; " + work.temporary + " was left behind", error);
}

void Undoer::remember(const PlanStep& step) {
  const Inode inode = {step.stamp.device, step.stamp.inode};
  const auto folder = tools_.places.folder_of(step.duplicate);
  if (!folder) {
    if (folder.error().kind == Refusal::Kind::failed) unseen_[inode] = folder.error();
    return;
  }
  const auto look = look_at((*folder)->number(), step.duplicate.name());
  if (!look && !is_missing(look)) {
    unseen_[inode] = failed("cannot stat " + step.duplicate.path, look.error()).error();
  }
  const bool is_likely = look && S_ISREG(look->stx_mode) && !is_file_of(*look, step.kept_stamp) &&
                         stamp_of(*look).size == step.stamp.size &&
                         stamp_of(*look).mtime_ns == step.stamp.mtime_ns;
  if (!is_likely) return;
  restored_[inode] = {.site = step.duplicate, .look = *look};
}

void Undoer::remember_name(const std::string& path) {
  const Site site = site_of(path, "");
  const auto folder = tools_.places.folder_of(site);
  const auto look =
      folder ? look_at((*folder)->number(), site.name()) : FileLookup(std::unexpect, ENOENT);
  if (!look || !S_ISREG(look->stx_mode)) return;
  const FileStamp stamp = stamp_of(*look);
  restored_.try_emplace({stamp.device, stamp.inode}, Restored{.site = site, .look = *look});
}

// Links to another name of the same file that is already restored, or that this batch will restore:
// then that is still under its temporary name.
Tried<bool> Undoer::link_to_twin(Undoing& work) {
  const PlanStep& step = work.step;
  const Inode inode = {step.stamp.device, step.stamp.inode};
  const auto twin = restored_.find(inode);
  if (twin == restored_.end()) {
    // A copy would stay a separate file, so the step is refused.
    if (const auto unseen = unseen_.find(inode); unseen != unseen_.end()) {
      return std::unexpected(unseen->second);
    }
    return false;
  }
  auto side = open_side(tools_.places, twin->second.site, "the other name");
  if (!side && side.error().kind != Refusal::Kind::declined) return std::unexpected(side.error());
  if (!side || !is_unwritten(twin->second.look, side->seen) ||
      stamp_of(side->seen).mtime_ns != step.stamp.mtime_ns || !has_owner(side->seen, step)) {
    return false;
  }
  LET(const bool is_same, tools_.comparer.has_digest(side->file.number(), side->seen.stx_size,
                                                     step.digest, tools_.stop));
  if (!is_same) return false;
  const int error = link_open(side->file.number(), work.folder->number(), work.temporary);
  if (error == EMLINK || error == EXDEV || error == EPERM) return false;
  if (error != 0) return failed("cannot link", error);
  work.ours = side->seen;
  work.made = std::move(side->file);
  return true;
}

// Creates the file under the temporary name.
Tried<void> Undoer::make(Undoing& work, const PairSide& source) {
  constexpr std::string_view kChanged = "the contents have changed since";
  const PlanStep& step = work.step;
  LET(const bool is_linked, link_to_twin(work));
  if (is_linked) return {};
  if (source.seen.stx_size != step.stamp.size) return declined(std::string(kChanged));
  TRY(expect_believable(step, source.seen));
  const auto check = [&](int copy) -> Tried<void> {
    LET(const bool is_same,
        tools_.comparer.has_digest(copy, step.stamp.size, step.digest, tools_.stop));
    if (!is_same) return declined(std::string(kChanged));
    return {};
  };
  LET(work.made, copy_unsynced(source.file.number(), step.stamp.size, work.folder->number(),
                               work.temporary, step.metadata, tools_.stop, check));
  const auto look = look_at(work.made.number());
  if (!look)
    return failed("cannot stat the copy, which was left as " + work.temporary, look.error());
  work.ours = *look;
  const std::string& path = step.duplicate.path;
  restored_[{step.stamp.device, step.stamp.inode}] = {
      .site = {.path = path.substr(0, path.size() - step.duplicate.name().size()) + work.temporary,
               .root_bytes = step.duplicate.root_bytes},
      .look = *look};
  return {};
}

// Remembers the file for its further names.
Tried<void> Undoer::note_placed(Undoing& work) {
  const PlanStep& step = work.step;
  work.is_placed = true;
  const auto look = look_at(work.folder->number(), step.duplicate.name());
  if (!look) return failed("cannot stat the file", look.error());
  restored_[{step.stamp.device, step.stamp.inode}] = {.site = step.duplicate, .look = *look};
  return {};
}

Tried<void> Undoer::begin_link(Undoing& work) {
  LET(work.source, open_side(work.folder, work.step.duplicate.name(), "the file"));
  if (!is_file_of(work.source.seen, work.step.after)) {
    return declined("another file now has the name");
  }
  TRY(lease(work.source, "the file"));
  return make(work, work.source);
}

Tried<void> Undoer::begin_copy(Undoing& work) {
  LET(const PairSide kept, open_side(tools_.places, work.step.kept, "the kept file"));
  return make(work, kept);
}

Tried<void> Undoer::begin_move(Undoing& work) {
  const PlanStep& step = work.step;
  LET(work.source, open_side(tools_.places, step.target, "the moved file"));
  const PairSide& moved = work.source;
  if (!is_file_of(moved.seen, step.after))
    return declined("another file is now where it was moved to");
  const int error = rename_to_free(moved.folder->number(), moved.name, work.folder->number(),
                                   step.duplicate.name());
  if (error == 0) return note_placed(work);
  if (error == EEXIST) return declined("another file now has the name");
  if (error != EXDEV) return failed("cannot rename", error);
  work.has_rest = true;
  return make(work, moved);
}

Tried<void> Undoer::exchange_link(Undoing& work) {
  const PairSide& linked = work.source;
  const int folder = work.folder->number();
  const std::string name = work.step.duplicate.name();
  if (auto good = expect_still_linked(linked); !good) {
    return give_up(work, std::move(good).error());
  }
  const int error = exchange(folder, work.temporary, name);
  if (error == EINVAL) {  // the file system cannot
    if (::renameat(folder, work.temporary.c_str(), folder, name.c_str()) == 0) {
      return note_placed(work);
    }
    return give_up(work, failed("cannot rename", errno).error());
  }
  if (error != 0) return give_up(work, failed("cannot exchange the names", error).error());
  const auto there = look_at(folder, work.temporary);
  auto good = !there && !is_missing(there) ? failed("cannot stat the file", there.error())
              : !there || !is_unwritten(linked.seen, *there)
                  ? Tried<void>(declined("the file changed in the meantime"))
                  : expect_unbroken(linked, "the file changed in the meantime");
  if (!good) {
    const int again = exchange(folder, work.temporary, name);
    if (again == 0) return give_up(work, std::move(good).error());
    return failed(good.error().reason + "; the file that had this name is now " + work.temporary,
                  again);
  }
  work.has_rest = true;
  return note_placed(work);
}

Tried<void> Undoer::place(Undoing& work) {
  if (work.is_placed || !work.folder) return {};
  if (work.step.action == Action::hardlink) return exchange_link(work);
  const int folder = work.folder->number();
  const int error = rename_to_free(folder, work.temporary, folder, work.step.duplicate.name());
  if (error == 0) return note_placed(work);
  return give_up(work, error == EEXIST ? declined("another file now has the name").error()
                                       : failed("cannot rename", error).error());
}

Tried<void> Undoer::settle(Undoing& work) {
  if (!work.has_rest) return {};
  const PairSide& moved = work.source;
  if (work.step.action == Action::hardlink) {
    const int gone = unlink_at(work.folder->number(), work.temporary);
    if (gone != 0) return failed("cannot remove " + work.temporary, gone);
    return {};
  }
  if (!moved.file.is_open()) return clear_target(work);
  TRY(expect_untouched(moved, "the moved file"));
  const int gone = unlink_at(moved.folder->number(), moved.name);
  if (gone != 0) return failed("cannot remove " + work.step.target.path, gone);
  return {};
}

}  // namespace tidemill::dupes
