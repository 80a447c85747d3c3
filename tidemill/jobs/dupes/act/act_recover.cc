#include "tidemill/jobs/dupes/act/act_recover.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::dupes {
namespace {

using Answer = Tried<Recovered>;

constexpr std::string_view kDuplicate = "the duplicate";
constexpr std::string_view kKept = "the kept file";

bool is_file(const std::optional<FileFacts>& look, const FileStamp& stamp) {
  return look && is_file_of(*look, stamp);
}

// nullopt: the name does not exist.
Tried<std::optional<FileFacts>> seen_at(int folder, const std::string& name) {
  const FileLookup seen = look_at(folder, name);
  if (seen) return *seen;
  if (is_missing(seen)) return std::nullopt;
  return failed("cannot stat " + name, seen.error());
}

bool has_failed(const Tried<void>& tried) {
  return !tried && tried.error().kind != Refusal::Kind::declined;
}

// One step, and the files at its names.
class Traces {
 public:
  Traces(const PairTools& tools, PlanStep step, OpenFolder folder, engine::TaskId id)
      : tools_(tools),
        step_(std::move(step)),
        folder_(std::move(folder)),
        temporary_(temporary_name(tools.mark, id)) {}

  Tried<void> look() {
    LET(there_, seen_at(folder_->number(), temporary_));
    LET(named_, seen_at(folder_->number(), step_.duplicate.name()));
    return {};
  }
  Answer hardlink();
  Answer removal();
  Answer move();

 private:
  [[nodiscard]] bool is_temporary_ours() const { return is_file(there_, step_.stamp); }

  Tried<void> sync() {
    if (const int error = sync_folder(folder_->number()); error != 0) return failed("sync", error);
    return {};
  }
  Tried<void> drop_temporary() {
    const int error = unlink_at(folder_->number(), temporary_);
    if (error != 0) return failed("cannot remove " + temporary_, error);
    return sync();
  }
  // Renames T to the duplicate's name. False: the name is taken.
  Tried<bool> give_name_back() {
    const int folder = folder_->number();
    const int error = rename_to_free(folder, temporary_, folder, step_.duplicate.name());
    if (error == EEXIST) return false;
    if (error != 0) return failed("cannot rename " + temporary_, error);
    TRY(sync());
    return true;
  }
  std::unexpected<Refusal> left() const {
    return failed(temporary_ + " in the folder of " + step_.duplicate.path +
                  " was left behind: the name belongs to another file, and no other file is known "
                  "to have the same contents");
  }
  // T has the same bytes as another file.
  Tried<void> expect_same_as(Tried<PairSide> opened) {
    LET(PairSide other, std::move(opened));
    LET(PairSide ours, open_side(folder_, temporary_, kDuplicate));
    TRY(lease(ours, kDuplicate));
    TRY(lease(other, kKept));
    LET(step_.digest, tools_.comparer.same(other, ours, tools_.stop));
    TRY(expect_untouched(other, kKept));
    return expect_untouched(ours, kDuplicate);
  }
  Tried<void> expect_same(const Site& site) {
    return expect_same_as(open_side(tools_.places, site, kKept));
  }
  Tried<void> drop_link();
  Tried<void> exchange_back();
  Answer put_back(const FileFacts& named);
  Tried<void> drop_copy(const OpenFolder& target);
  Tried<bool> drop_half_copy(int target);
  Answer back_from(const std::optional<FileFacts>& copy);

  // This process has not compared the bytes, but `undo` needs their hash. If the file may have
  // changed since the scan, the hash stays empty, and `undo` declines the step.
  Answer done(const Site& site, const FileStamp& scanned, const FileStamp& after) {
    TRY(sync());
    LET(const PairSide side, open_side(tools_.places, site, "the file"));
    const FileStamp now = stamp_of(side.seen);
    step_.digest.clear();
    if (now.size == scanned.size && now.mtime_ns == scanned.mtime_ns &&
        (now.ctime_ns == scanned.ctime_ns || is_believed(side.seen))) {
      LET(step_.digest,
          tools_.comparer.digest_of(side.file.number(), side.seen.stx_size, tools_.stop));
    }
    return done(after);
  }
  // The file's owner can set its modification time. It is trusted if a wrong one would gain the
  // owner nothing: only a copy of the owner's own file, without privileges.
  [[nodiscard]] bool is_believed(const FileFacts& file) const {
    const std::uint32_t owner = file.stx_uid;
    return owner == 0 || owner == ::geteuid() ||
           (owner == step_.metadata.user && !has_privileges(step_.metadata));
  }
  Answer done(const FileStamp& after) {
    step_.after = after;
    return Recovered{.done = std::move(step_)};
  }

  const PairTools& tools_;
  PlanStep step_;
  OpenFolder folder_;
  std::string temporary_;
  std::optional<FileFacts> there_{};  // at T
  std::optional<FileFacts> named_{};  // at the duplicate's name
};

// T is a link to K that the step created. If it is the last name of K, it is removed only if the
// duplicate has the same bytes.
Tried<void> Traces::drop_link() {
  LET(const auto there, seen_at(folder_->number(), temporary_));
  if (!there) return {};
  if (there->stx_nlink > 1) return drop_temporary();
  const auto same = expect_same_as(open_side(folder_, step_.duplicate.name(), kDuplicate));
  if (has_failed(same)) return same;
  if (!same) return left();
  return drop_temporary();
}

// The name is K and T is not: the file at T had the name.
Tried<void> Traces::exchange_back() {
  const int folder = folder_->number();
  const int error = exchange(folder, temporary_, step_.duplicate.name());
  if (error != 0) return failed("cannot exchange the names", error);
  LET(const auto now, seen_at(folder, temporary_));
  if (!is_file(now, step_.kept_stamp)) {  // a newer file had just taken the name
    const int again = exchange(folder, temporary_, step_.duplicate.name());
    if (again != 0) return failed("cannot exchange the names", again);
    return left();
  }
  return drop_link();
}

// Until now both names were the kept file: a write to either of them is in that file.
Answer Traces::put_back(const FileFacts& named) {
  const FileStamp linked = stamp_of(named);
  const bool is_written =
      linked.size != step_.kept_stamp.size || linked.mtime_ns != step_.kept_stamp.mtime_ns;
  TRY(exchange_back());
  if (is_temporary_ours() && is_written) {
    return failed("another process wrote to it or to " + step_.kept.path +
                  " while the run was interrupted; the changes are in the latter, and the "
                  "duplicate is unchanged");
  }
  return Recovered{.has_changed = true};
}

Answer Traces::hardlink() {
  const bool is_linked = is_file(named_, step_.kept_stamp);
  if (!there_) {
    if (!named_ || !is_linked) return Recovered{};
    return done(step_.duplicate, step_.kept_stamp, stamp_of(*named_));
  }
  if (is_file(there_, step_.kept_stamp)) {
    TRY(drop_link());
    return Recovered{.has_changed = true};
  }
  auto same = is_temporary_ours() ? expect_same(step_.kept)
                                  : Tried<void>(declined("another file had taken the name"));
  if (has_failed(same)) return std::unexpected(std::move(same).error());
  if (named_ && is_linked) {
    if (!same) return put_back(*named_);
    TRY(drop_temporary());
    return done(stamp_of(*named_));
  }
  if (same) {
    TRY(drop_temporary());
    return declined("another file took the duplicate's name in the meantime");
  }
  LET(const bool is_back, give_name_back());
  if (!is_back) return left();
  return Recovered{.has_changed = true};
}

Answer Traces::removal() {
  if (there_) {
    LET(const bool is_back, give_name_back());
    if (is_back) return Recovered{.has_changed = true};
    if (!is_temporary_ours()) return left();
    auto same = expect_same(step_.kept);
    if (has_failed(same)) return std::unexpected(std::move(same).error());
    if (!same) return left();
    TRY(drop_temporary());
    return done(FileStamp{});
  }
  if (named_) return Recovered{};
  return done(step_.kept, step_.kept_stamp, {});
}

// The duplicate has its name, and there is a copy on another file system. It is ours if its bytes
// and metadata are as expected.
Tried<void> Traces::drop_copy(const OpenFolder& target) {
  LET(PairSide ours, open_side(folder_, step_.duplicate.name(), kDuplicate));
  LET(PairSide copy, open_side(target, step_.target.name(), "the copy"));
  const auto metadata = metadata_of(copy.file.number());
  if (!metadata) return failed(text_of(metadata.error()));
  if (*metadata != metadata_elsewhere(tools_, step_)) return {};
  TRY(lease(ours, kDuplicate));
  TRY(lease(copy, "the copy"));
  if (const auto same = tools_.comparer.same(ours, copy, tools_.stop); !same) {
    return std::unexpected(same.error());
  }
  TRY(expect_untouched(ours, kDuplicate));
  TRY(expect_untouched(copy, "the copy"));
  const int error = unlink_at(target->number(), copy.name);
  if (error != 0) return failed("cannot remove " + step_.target.path, error);
  return {};
}

// A file at T in the target's folder is our copy, complete or not.
Tried<bool> Traces::drop_half_copy(int target) {
  if (target == folder_->number()) return false;
  LET(const auto half, seen_at(target, temporary_));
  if (!half) return false;
  const int error = unlink_at(target, temporary_);
  if (error != 0) return failed("cannot remove " + temporary_, error);
  return true;
}

Answer Traces::move() {
  const auto target = tools_.places.folder_of(step_.target);
  // If the target's folder does not exist, the step has left nothing there.
  if (!target) {
    if (target.error().kind != Refusal::Kind::declined) return std::unexpected(target.error());
    return there_ ? back_from({}) : Recovered{};
  }
  LET(const auto moved, seen_at((*target)->number(), step_.target.name()));
  if (moved && is_file(moved, step_.stamp)) {
    return done(step_.target, step_.stamp, stamp_of(*moved));
  }
  LET(const bool has_changed, drop_half_copy((*target)->number()));
  if (there_) return back_from(moved);
  if (moved && !named_) return done(step_.target, step_.stamp, stamp_of(*moved));
  if (moved && is_file(named_, step_.stamp)) {
    if (auto dropped = drop_copy(*target); has_failed(dropped)) {
      return std::unexpected(std::move(dropped).error());
    }
  }
  return Recovered{.has_changed = has_changed};
}

// T exists: it is removed if the copy at the target has the same bytes, otherwise it gets its name
// back.
Answer Traces::back_from(const std::optional<FileFacts>& copy) {
  if (copy && is_temporary_ours()) {
    auto same = expect_same(step_.target);
    if (has_failed(same)) return std::unexpected(std::move(same).error());
    if (same) {
      TRY(drop_temporary());
      return done(stamp_of(*copy));
    }
  }
  LET(const bool is_back, give_name_back());
  if (!is_back) return left();
  return Recovered{.has_changed = true};
}

}  // namespace

Answer recover(const PairTools& tools, PlanStep step, engine::TaskId id) {
  if (!step.is_begun) return Recovered{};
  const Action action = step.action;
  const bool is_by_name =
      action == Action::hardlink || action == Action::remove || action == Action::move;
  if (!is_by_name) return Recovered{};  // sharing blocks again is harmless
  auto folder = tools.places.folder_of(step.duplicate);
  // A disk that is not mounted may come back, with the leftovers on it.
  if (!folder) return failed(folder.error().reason);
  Traces traces(tools, std::move(step), *std::move(folder), id);
  TRY(traces.look());
  if (action == Action::hardlink) return traces.hardlink();
  return action == Action::remove ? traces.removal() : traces.move();
}

}  // namespace tidemill::dupes
