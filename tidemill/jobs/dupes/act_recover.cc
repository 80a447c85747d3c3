#include "tidemill/jobs/dupes/act_recover.h"

#include <cerrno>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::dupes {
namespace {

using Answer = Tried<std::optional<Step>>;

bool is_file(const std::optional<Look>& look, const FileStamp& stamp) {
  return look && stamp_of(*look).inode == stamp.inode && stamp_of(*look).device == stamp.device;
}

// One step and what is at its names.
class Traces {
 public:
  Traces(const PairTools& tools, Step step, OpenFolder folder, engine::TaskId id)
      : tools_(tools),
        step_(std::move(step)),
        folder_(std::move(folder)),
        temporary_(temporary_name(tools.mark, id)),
        there_(look_at(folder_->number(), temporary_)),
        named_(look_at(folder_->number(), step_.duplicate.name())) {}

  Answer hardlink();
  Answer removal();
  Answer move();

 private:
  [[nodiscard]] bool is_temporary_ours() const { return is_file(there_, step_.stamp); }

  Tried<void> drop_temporary() {
    const int error = unlink_at(folder_->number(), temporary_);
    if (error != 0) return failed("unlink " + temporary_, error);
    if (const int synced = sync_folder(folder_->number()); synced != 0) {
      return failed("sync", synced);
    }
    return {};
  }
  // D gets its name again, if the name is free.
  bool give_name_back() {
    return rename_to_free(folder_->number(), temporary_, folder_->number(),
                          step_.duplicate.name()) == 0;
  }
  std::unexpected<Refusal> left() const {
    return failed("the program died in this step; " + temporary_ + " in the folder of " +
                  step_.duplicate.path + " is left, for it is not what was expected there");
  }
  // T has the bytes of the kept file, or of another site.
  Tried<void> expect_same(const Site& site) {
    LET(Side ours, open_side(folder_, temporary_, "the duplicate"));
    LET(Side other, open_side(tools_.places, site, "the kept file"));
    TRY(lease(ours, "the duplicate"));
    TRY(lease(other, "the kept file"));
    LET(step_.digest, tools_.comparer.same(other, ours, tools_.stop));
    TRY(expect_untouched(other, "the kept file"));
    return expect_untouched(ours, "the duplicate");
  }
  // Whose bytes these are now was not compared in this life; `undo` asks for their hash.
  Answer done(const Site& site, const Look& look) {
    LET(const Side side, open_side(tools_.places, site, "the file"));
    LET(step_.digest,
        tools_.comparer.digest_of(side.file.number(), side.seen.stx_size, tools_.stop));
    step_.after = stamp_of(look);
    return std::optional(std::move(step_));
  }

  const PairTools& tools_;
  Step step_;
  OpenFolder folder_;
  std::string temporary_;
  std::optional<Look> there_;  // at T
  std::optional<Look> named_;  // at the duplicate's name
};

Answer Traces::hardlink() {
  const bool is_linked = named_ && is_file(named_, step_.kept_stamp);
  if (!there_) {
    if (!named_ || !is_linked) return std::nullopt;
    return done(step_.duplicate, *named_);
  }
  if (is_file(there_, step_.kept_stamp)) {
    if (there_->stx_nlink < 2) return left();
    TRY(drop_temporary());
    return std::nullopt;
  }
  if (!is_temporary_ours()) return left();
  if (auto same = expect_same(step_.kept); !same) {
    if (same.error().kind == Refusal::Kind::stopped) {
      return std::unexpected(std::move(same).error());
    }
    return left();
  }
  TRY(drop_temporary());
  if (!named_ || !is_linked) return declined("another file took the duplicate's name meanwhile");
  step_.after = stamp_of(*named_);
  return std::optional(std::move(step_));
}

Answer Traces::removal() {
  if (there_) {
    if (!is_temporary_ours()) return left();
    if (give_name_back()) return std::nullopt;
    if (!expect_same(step_.kept)) return left();
    TRY(drop_temporary());
    step_.after = {};
    return std::optional(std::move(step_));
  }
  if (named_) return std::nullopt;
  LET(const Side kept, open_side(tools_.places, step_.kept, "the kept file"));
  LET(step_.digest, tools_.comparer.digest_of(kept.file.number(), kept.seen.stx_size, tools_.stop));
  return std::optional(std::move(step_));
}

Answer Traces::move() {
  const auto target = tools_.places.folder_of(step_.target);
  if (!target) return std::nullopt;
  const int folder = (*target)->number();
  const auto moved = look_at(folder, step_.target.name());
  if (moved && is_file(moved, step_.stamp)) return done(step_.target, *moved);
  // On another file system: a half copy is ours, whole or not.
  const bool is_elsewhere = folder != folder_->number() && look_at(folder, temporary_);
  if (is_elsewhere) (void)unlink_at(folder, temporary_);
  if (!there_) {
    if (named_ || !moved) return std::nullopt;
    return done(step_.target, *moved);
  }
  if (!is_temporary_ours()) return left();
  if (moved && expect_same(step_.target)) {
    TRY(drop_temporary());
    step_.after = stamp_of(*moved);
    return std::optional(std::move(step_));
  }
  if (!give_name_back()) return left();
  return std::nullopt;
}

}  // namespace

Answer recover(const PairTools& tools, Step step, engine::TaskId id) {
  if (!step.is_begun) return std::nullopt;
  auto folder = tools.places.folder_of(step.duplicate);
  if (!folder) return std::nullopt;  // it will be declined with the reason
  const Action action = step.action;
  Traces traces(tools, std::move(step), *std::move(folder), id);
  switch (action) {
    case Action::hardlink:
      return traces.hardlink();
    case Action::remove:
      return traces.removal();
    case Action::move:
      return traces.move();
    case Action::reflink:
    case Action::script:
    case Action::none:
      break;
  }
  return std::nullopt;  // to share blocks again does no harm
}

}  // namespace tidemill::dupes
