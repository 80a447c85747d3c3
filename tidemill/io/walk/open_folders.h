// OpenFolders: the folders from the root down to where a walk stands, with few descriptors.
//
// The root and the deepest ones are kept open. One that was closed is opened again from the root by
// the names on the way, never through "..": a folder that was moved away would lead astray. Device
// and inode say whether it is still the same one; another one in its place is ESTALE.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/descriptor.h"

namespace tidemill::walk {

// One thread. Functions that fail answer with an errno, 0 is success.
class OpenFolders {
 public:
  static constexpr std::size_t kMostOpen = 62;  // the root and one on its way come on top

  // Follows symlinks: a root may be one.
  [[nodiscard]] int open_root(const std::string& path);

  // Opens `name` in the deepest folder and makes it the deepest.
  [[nodiscard]] int push(std::string_view name);
  void pop() { levels_.pop_back(); }

  // The deepest folder, opened again if it was closed; then descriptor() is good.
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
