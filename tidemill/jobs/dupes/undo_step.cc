#include "tidemill/jobs/dupes/undo_step.h"

#include <cerrno>
#include <cstdio>

#include "tidemill/base/try.h"
#include "tidemill/jobs/dupes/pair_copy.h"

namespace tidemill::dupes {
namespace {

bool is_file(const Look& look, const FileStamp& stamp) {
  return stamp_of(look).inode == stamp.inode && stamp_of(look).device == stamp.device;
}

}  // namespace

Tried<void> Undoer::undo(const Step& step, engine::TaskId id) {
  if (step.action == Action::reflink) return {};
  LET(folder_, tools_.places.folder_of(step.duplicate));
  temporary_ = temporary_name(tools_.mark, id) + "-undo";
  TRY(clear_leftover(step));
  LET(const bool is_there, is_restored(step));
  if (is_there) return {};
  switch (step.action) {
    case Action::hardlink:
      return part(step);
    case Action::remove:
      return bring_back(step);
    case Action::move:
      return move_back(step);
    case Action::reflink:
    case Action::script:
    case Action::none:
      break;
  }
  return failed("there is no such action");
}

// From an undo that was killed: either a copy, whole or not, or the link that was exchanged for it.
Tried<void> Undoer::clear_leftover(const Step& step) {
  const auto left = look_at(folder_->number(), temporary_);
  if (!left) return {};
  const auto named = look_at(folder_->number(), step.duplicate.name());
  const bool is_link = step.action == Action::hardlink && is_file(*left, step.after);
  const bool is_copy =
      step.action != Action::hardlink || (named && is_file(*named, step.after) && !is_link);
  const bool is_ours = is_copy || (is_link && left->stx_nlink > 1);
  if (!is_ours) {
    return failed(temporary_ + " in the folder of " + step.duplicate.path +
                  " is left, for it is not what was expected there");
  }
  const int error = unlink_at(folder_->number(), temporary_);
  if (error != 0) return failed("unlink " + temporary_, error);
  return {};
}

Tried<bool> Undoer::is_restored(const Step& step) {
  const auto named = look_at(folder_->number(), step.duplicate.name());
  if (!named) return false;
  if (step.action == Action::hardlink && is_file(*named, step.after)) return false;
  const FileStamp now = stamp_of(*named);
  if (S_ISREG(named->stx_mode) && now.size == step.stamp.size &&
      now.mtime_ns == step.metadata.mtime_ns) {
    LET(const Side side, open_side(folder_, step.duplicate.name(), "the file"));
    LET(const std::string digest,
        tools_.comparer.digest_of(side.file.number(), side.seen.stx_size, tools_.stop));
    if (digest == step.digest) {
      remember(step);
      return true;
    }
  }
  return declined("another file has the name now");
}

// Only a file of ours goes: the temporary name is ours too, but who knows.
void Undoer::drop(const Look& ours) const {
  const auto there = look_at(folder_->number(), temporary_);
  if (there && is_same_file(*there, ours)) (void)unlink_at(folder_->number(), temporary_);
}

void Undoer::remember(const Step& step) {
  const auto folder = tools_.places.folder_of(step.duplicate);
  if (!folder) return;
  const auto look = look_at((*folder)->number(), step.duplicate.name());
  const bool is_likely = look && S_ISREG(look->stx_mode) && !is_file(*look, step.kept_stamp) &&
                         stamp_of(*look).size == step.stamp.size &&
                         stamp_of(*look).mtime_ns == step.stamp.mtime_ns;
  if (!is_likely) return;
  restored_[{step.stamp.device, step.stamp.inode}] = {.site = step.duplicate, .look = *look};
}

// Another name of the same file has it already.
std::optional<Look> Undoer::link_to_twin(const Step& step) {
  const auto twin = restored_.find({step.stamp.device, step.stamp.inode});
  if (twin == restored_.end()) return {};
  const auto side = open_side(tools_.places, twin->second.site, "the file");
  if (!side || !is_unwritten(twin->second.look, side->seen)) return {};
  const auto digest =
      tools_.comparer.digest_of(side->file.number(), side->seen.stx_size, tools_.stop);
  if (!digest || *digest != step.digest) return {};
  if (link_open(side->file.number(), folder_->number(), temporary_) != 0) return {};
  return side->seen;
}

// What the name shall be, under the temporary name.
Tried<Look> Undoer::make(const Step& step, const Side& source) {
  constexpr std::string_view kChanged = "the contents changed since";
  const int folder = folder_->number();
  if (const auto twin = link_to_twin(step)) return *twin;
  if (source.seen.stx_size != step.stamp.size) return declined(std::string(kChanged));
  LET(const Descriptor copy, copy_to(source.file.number(), step.stamp.size, folder, temporary_,
                                     step.metadata, tools_.stop));
  const auto look = look_at(copy.number());
  if (!look) return failed("look at the copy", errno);
  auto digest = tools_.comparer.digest_of(copy.number(), step.stamp.size, tools_.stop);
  if (digest && *digest == step.digest) return *look;
  drop(*look);
  if (!digest) return std::unexpected(std::move(digest).error());
  return declined(std::string(kChanged));
}

Tried<void> Undoer::finish(const Step& step) {
  if (const int error = sync_folder(folder_->number()); error != 0) return failed("sync", error);
  if (const auto look = look_at(folder_->number(), step.duplicate.name())) {
    restored_[{step.stamp.device, step.stamp.inode}] = {.site = step.duplicate, .look = *look};
  }
  return {};
}

Tried<void> Undoer::part(const Step& step) {
  const int folder = folder_->number();
  const std::string name = step.duplicate.name();
  LET(Side linked, open_side(folder_, name, "the file"));
  if (!is_file(linked.seen, step.after)) return declined("another file has the name now");
  TRY(lease(linked, "the file"));
  LET(const Look ours, make(step, linked));
  if (auto good = expect_untouched(linked, "the file"); !good) {
    drop(ours);
    return good;
  }
  const int error = exchange(folder, temporary_, name);
  if (error == EINVAL) {  // the file system cannot
    if (::renameat(folder, temporary_.c_str(), folder, name.c_str()) == 0) return finish(step);
  }
  if (error != 0) {
    drop(ours);
    return failed("exchange names", error);
  }
  const auto there = look_at(folder, temporary_);
  if (!there || !is_unwritten(linked.seen, *there) || linked.is_lease_broken()) {
    if (exchange(folder, temporary_, name) != 0) return failed("exchange names", errno);
    drop(ours);
    return declined("the file changed meanwhile");
  }
  if (sync_folder(folder) != 0) return failed("sync", errno);
  const int gone = unlink_at(folder, temporary_);
  if (gone != 0) return failed("unlink " + temporary_, gone);
  return finish(step);
}

Tried<void> Undoer::place(const Step& step, const Look& ours) {
  const int folder = folder_->number();
  const int error = rename_to_free(folder, temporary_, folder, step.duplicate.name());
  if (error == 0) return finish(step);
  drop(ours);
  if (error == EEXIST) return declined("another file has the name now");
  return failed("rename", error);
}

Tried<void> Undoer::bring_back(const Step& step) {
  LET(const Side kept, open_side(tools_.places, step.kept, "the kept file"));
  LET(const Look ours, make(step, kept));
  return place(step, ours);
}

Tried<void> Undoer::move_back(const Step& step) {
  LET(const Side moved, open_side(tools_.places, step.target, "the moved file"));
  if (!is_file(moved.seen, step.after)) return declined("another file is where it was moved to");
  const int target = moved.folder->number();
  const int error = rename_to_free(target, moved.name, folder_->number(), step.duplicate.name());
  if (error == EEXIST) return declined("another file has the name now");
  if (error != 0 && error != EXDEV) return failed("rename", error);
  if (error == EXDEV) {
    LET(const Look ours, make(step, moved));
    TRY(place(step, ours));
    TRY(expect_untouched(moved, "the moved file"));
    if (const int gone = unlink_at(target, moved.name); gone != 0) return failed("unlink", gone);
  }
  if (const int synced = sync_folder(target); synced != 0) return failed("sync", synced);
  return finish(step);
}

}  // namespace tidemill::dupes
