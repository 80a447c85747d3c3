// OpenFolders: the folders from the root down to the current position of a walk, with few
// descriptors.
//
// The root and the deepest folders are kept open. A closed folder is opened again from the root by
// the names on the way, never through "..", which would lead elsewhere if a folder was moved.
// Device and inode show whether it is still the same folder; if not, the error is ESTALE.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/descriptor.h"

namespace tidemill::walk {

// One thread. Functions return an errno; 0 is success.
class OpenFolders {
 public:
  static constexpr std::size_t kMostOpen = 62;  // plus the root and one being reopened

  // Follows symlinks: a root may be one.
  [[nodiscard]] int open_root(const std::string& path);

  // Opens `name` in the deepest folder and makes it the deepest.
  [[nodiscard]] int push(std::string_view name);
  void pop() { levels_.pop_back(); }

  // Opens the deepest folder again if it was closed; after that descriptor() is valid.
  [[nodiscard]] int wake();
  [[nodiscard]] int descriptor() const { return levels_.back().folder.number(); }

 private:
  struct Level {
    std::string name{};
    Descriptor folder{};
    dev_t device = 0;
    ino_t inode = 0;
  };

  [[nodiscard]] static int open_below(int parent, const std::string& name, Level& level);

  std::vector<Level> levels_;
};

}  // namespace tidemill::walk
