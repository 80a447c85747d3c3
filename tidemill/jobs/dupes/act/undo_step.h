// Undoer: undoes one step in three phases, so that one sync serves many steps. undo.h says what
// undoing means.
//
//   begin()    create the complete file under a temporary name (that of the step, with "-undo");
//              its hash is checked before it gets its owner and mode
//   (the caller syncs the new files, so that a power cut cannot leave a name without its bytes)
//   place()    exchange it with the file that has the name, or rename it to the free name; so the
//              name is never missing and never has a partial file
//   (the caller syncs the folders: from here on the name survives a power cut)
//   settle()   remove the file that had the name, or the copy on another file system
//   (the caller syncs the folders once more, and may record that the step is undone)
//
// If a rename is enough, begin() already places the file.
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

// A step between its phases.
struct Undoing {
  PlanStep step{};
  OpenFolder folder{};      // of the name; null: nothing to do
  std::string temporary{};  // name in that folder
  Descriptor made{};        // the file at the temporary name; not open: none
  FileFacts ours{};         // of that file
  PairSide source{};        // the file that has the name (hardlink), or the moved file
  bool is_placed = false;   // the name is restored
  bool has_rest = false;    // settle() has something to remove
};

// One thread.
class Undoer {
 public:
  explicit Undoer(const PairTools& tools) : tools_(tools) {}

  // A step that was undone by a process that was killed before it recorded this, is placed at once.
  [[nodiscard]] Tried<Undoing> begin(PlanStep step, engine::TaskId id);
  [[nodiscard]] Tried<void> place(Undoing& work);
  [[nodiscard]] Tried<void> settle(Undoing& work);
  // Instead of place(): removes the file at the temporary name and returns `why`; or fails with a
  // reason that says what is left.
  [[nodiscard]] static std::unexpected<Refusal> give_up(const Undoing& work, Refusal why);

  // For a step that was never done, or undone before: further names of its file are restored as
  // links to its name.
  void remember(const PlanStep& step);
  // The same for a step of which only the path is known.
  void remember_name(const std::string& path);

 private:
  struct Restored {
    Site site{};
    FileFacts look{};
  };
  using Inode = std::pair<std::uint64_t, std::uint64_t>;

  [[nodiscard]] Tried<void> begin_link(Undoing& work);
  [[nodiscard]] Tried<void> begin_copy(Undoing& work);
  [[nodiscard]] Tried<void> begin_move(Undoing& work);
  [[nodiscard]] Tried<void> exchange_link(Undoing& work);

  [[nodiscard]] Tried<void> expect_folder(const Undoing& work) const;
  [[nodiscard]] Tried<bool> is_restored(const Undoing& work);
  [[nodiscard]] Tried<bool> link_to_twin(Undoing& work);
  [[nodiscard]] Tried<void> make(Undoing& work, const PairSide& source);
  [[nodiscard]] Tried<void> clear_leftover(const Undoing& work);
  [[nodiscard]] Tried<bool> has_bytes(const Undoing& work, const std::string& name);
  [[nodiscard]] Tried<void> clear_target(const Undoing& work);
  [[nodiscard]] Tried<void> note_placed(Undoing& work);

  const PairTools& tools_;
  std::map<Inode, Restored> restored_;  // by the inode that the names had before
  std::map<Inode, Refusal> unseen_;     // a name that may be this file could not be checked
};

}  // namespace tidemill::dupes
