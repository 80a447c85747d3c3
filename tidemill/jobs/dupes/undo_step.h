// Undoer: undoes one step after the other. undo.h says what that means. A new file is made whole
// under a temporary name (that of the step, with "-undo"), compared by its hash before it gets its
// owner and mode, and only then exchanged with what has the name; so the name is never missing and
// never half.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/engine/task_id.h"
#include "tidemill/jobs/dupes/pair.h"

namespace tidemill::dupes {

// One thread.
class Undoer {
 public:
  explicit Undoer(const PairTools& tools) : tools_(tools) {}

  // On the disk when it returns. A step that was undone before, by a process that could not note
  // it any more, is undone.
  [[nodiscard]] Tried<void> undo(const Step& step, engine::TaskId id);

  // A step that was never done, or undone before: its name is the file that other names of it may
  // come back to.
  void remember(const Step& step);
  // The same of a step that is not known any more, only what it was about.
  void remember_name(const std::string& path);

 private:
  struct Restored {
    Site site{};
    Look look{};
  };
  using Inode = std::pair<std::uint64_t, std::uint64_t>;

  [[nodiscard]] Tried<void> part(const Step& step);
  [[nodiscard]] Tried<void> bring_back(const Step& step);
  [[nodiscard]] Tried<void> move_back(const Step& step);

  [[nodiscard]] Tried<void> expect_folder(const Step& step) const;
  [[nodiscard]] Tried<bool> is_restored(const Step& step);
  [[nodiscard]] Tried<std::optional<Look>> link_to_twin(const Step& step);
  [[nodiscard]] Tried<Look> make(const Step& step, const Side& source);
  [[nodiscard]] Tried<void> place(const Step& step, const Look& ours);
  [[nodiscard]] Tried<void> clear_leftover(const Step& step);
  [[nodiscard]] Tried<bool> has_bytes(const Step& step, const std::string& name);
  [[nodiscard]] Tried<void> clear_target(const Step& step);
  [[nodiscard]] Tried<void> finish(const Step& step);
  // What was made for the name goes, and the reason stays; or the reason says what is left.
  [[nodiscard]] std::unexpected<Refusal> without(const Look& ours, Refusal why) const;

  const PairTools& tools_;
  std::map<Inode, Restored> restored_;  // by what the names were before
  std::map<Inode, Refusal> unseen_;     // names that may have it, and could not be looked at

  // Of the step at hand.
  OpenFolder folder_{};
  std::string temporary_;
};

}  // namespace tidemill::dupes
