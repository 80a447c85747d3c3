// Undoer: undoes one step in three parts, so that one sync serves many steps. undo.h says what
// undoing means.
//
//   begin()    make what the name shall be, whole, under a temporary name (that of the step, with
//              "-undo"); it is compared by its hash before it gets its owner and mode
//   (the caller syncs the new files: a name never has bytes that a power cut takes away)
//   place()    exchange it with what has the name, or give it the free name; so the name is never
//              missing and never half
//   (the caller syncs the folders: from here on the name outlives a power cut)
//   settle()   remove what the name had, or the copy on another file system
//   (the caller syncs the folders once more, and may note that the step is undone)
//
// A file that only has to be renamed is placed by begin().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"

namespace tidemill::dupes {

// A step between its parts.
struct Undoing {
  Step step{};
  OpenFolder folder{};      // of the name; none: there is nothing to do
  std::string temporary{};  // in it
  Descriptor made{};        // what is at the temporary name; not open: nothing
  Look ours{};              // of it
  Side source{};            // what has the name of a link, or the moved file
  bool is_placed = false;   // the name is what it was
  bool has_rest = false;    // for settle()
};

// One thread.
class Undoer {
 public:
  explicit Undoer(const PairTools& tools) : tools_(tools) {}

  // A step that was undone before, by a process that could not note it any more, is placed.
  [[nodiscard]] Tried<Undoing> begin(Step step, engine::TaskId id);
  [[nodiscard]] Tried<void> place(Undoing& work);
  [[nodiscard]] Tried<void> settle(Undoing& work);
  // Instead of place(): what was made for the name goes, and the reason stays; or the reason says
  // what is left.
  [[nodiscard]] static std::unexpected<Refusal> give_up(const Undoing& work, Refusal why);

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

  [[nodiscard]] Tried<void> begin_link(Undoing& work);
  [[nodiscard]] Tried<void> begin_copy(Undoing& work);
  [[nodiscard]] Tried<void> begin_move(Undoing& work);
  [[nodiscard]] Tried<void> exchange_link(Undoing& work);

  [[nodiscard]] Tried<void> expect_folder(const Undoing& work) const;
  [[nodiscard]] Tried<bool> is_restored(const Undoing& work);
  [[nodiscard]] Tried<bool> link_to_twin(Undoing& work);
  [[nodiscard]] Tried<void> make(Undoing& work, const Side& source);
  [[nodiscard]] Tried<void> clear_leftover(const Undoing& work);
  [[nodiscard]] Tried<bool> has_bytes(const Undoing& work, const std::string& name);
  [[nodiscard]] Tried<void> clear_target(const Undoing& work);
  [[nodiscard]] Tried<void> note_placed(Undoing& work);

  const PairTools& tools_;
  std::map<Inode, Restored> restored_;  // by what the names were before
  std::map<Inode, Refusal> unseen_;     // names that may have it, and could not be looked at
};

}  // namespace tidemill::dupes
