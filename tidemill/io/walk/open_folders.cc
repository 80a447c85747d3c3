#include "tidemill/io/walk/open_folders.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "tidemill/io/walk/open_retrying.h"

namespace tidemill::walk {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

}  // namespace

int OpenFolders::open_root(const std::string& path) {
  levels_.clear();
  Level root;
  root.folder = Descriptor(open_retrying(AT_FDCWD, path.c_str(), kFolder));
  if (!root.folder.is_open()) return errno;
  levels_.push_back(std::move(root));
  return 0;
}

int OpenFolders::open_below(int parent, const std::string& name, Level& level) {
  level.folder = Descriptor(open_retrying(parent, name.c_str(), kFolder | O_NOFOLLOW));
  if (!level.folder.is_open()) return errno;
  struct stat status{};
  if (::fstat(level.folder.number(), &status) != 0) return errno;
  level.device = status.st_dev;
  level.inode = status.st_ino;
  return 0;
}

int OpenFolders::push(std::string_view name) {
  if (const int error = wake(); error != 0) return error;
  Level level{.name = std::string(name)};
  if (const int error = open_below(descriptor(), level.name, level); error != 0) return error;
  levels_.push_back(std::move(level));
  if (levels_.size() > kMostOpen + 1) levels_[levels_.size() - 1 - kMostOpen].folder.close();
  return 0;
}

int OpenFolders::wake() {
  std::size_t open = levels_.size() - 1;
  while (!levels_[open].folder.is_open()) --open;  // the root is always open
  for (std::size_t i = open + 1; i < levels_.size(); ++i) {
    Level found;
    const int error = open_below(levels_[i - 1].folder.number(), levels_[i].name, found);
    if (error != 0) return error;
    if (found.device != levels_[i].device || found.inode != levels_[i].inode) return ESTALE;
    levels_[i].folder = std::move(found.folder);
    if (i - 1 > 0 && i - 1 + kMostOpen < levels_.size()) levels_[i - 1].folder.close();
  }
  return 0;
}

}  // namespace tidemill::walk
