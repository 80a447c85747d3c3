// FolderTree: the folders of a walk, each stored as a name and its parent. Provides paths for
// messages and descriptors for system calls. A folder is opened from the descriptor of its root, so
// paths may be longer than PATH_MAX, and no component below the root is ever a symlink unless
// symlinks are followed. A folder costs 16 bytes and its name. Only open() fails, with an errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/io/walk/open_below.h"

namespace tidemill::walk {

using FolderId = std::uint32_t;
inline constexpr FolderId kNoFolder = ~FolderId{0};

// Thread-safe.
class FolderTree {
 public:
  // `path` as the user gave it; `folder` is kept open.
  FolderId add_root(std::string_view path, Descriptor folder, bool follows_links = false);
  // Another root on the folder of an earlier one: thousands of them share one descriptor.
  FolderId add_root(std::string_view path, FolderId same);
  // A root that is opened by its path each time, so there may be more of them than descriptors. An
  // empty path is the current folder; paths below it then have no prefix.
  FolderId add_root(std::string_view path);
  FolderId add(FolderId parent, std::string_view name);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] FolderId parent(FolderId id) const;  // kNoFolder for a root
  [[nodiscard]] FolderId root(FolderId id) const;
  [[nodiscard]] std::string name(FolderId id) const;  // for a root: its path
  // The same without a copy: NUL-terminated, valid as long as the tree.
  [[nodiscard]] const char* lasting_name(FolderId id) const;

  // The root as given, '/', the names below it. A root that ends in '/' gets no second one.
  [[nodiscard]] std::string path(FolderId id) const;
  [[nodiscard]] std::string path(FolderId id, std::string_view file) const;
  [[nodiscard]] std::string path_below_root(FolderId id) const;  // empty for a root

  // O_RDONLY | O_DIRECTORY | O_CLOEXEC.
  [[nodiscard]] OpenedFolder open(FolderId id) const;

 private:
  struct Folder {
    FolderId parent = kNoFolder;
    std::uint32_t size = 0;  // of the name
    const char* name = nullptr;
    [[nodiscard]] std::string_view view() const { return {name, size}; }
  };
  struct Root {
    FolderId id = kNoFolder;
    std::shared_ptr<const Descriptor> folder{};  // null: opened by its path
    bool follows_links = false;
  };

  // Names are stored in blocks that never move.
  struct Folders {
    std::deque<Folder> all{};
    std::vector<Root> roots{};  // by id
    std::vector<std::unique_ptr<char[]>> blocks{};
    char* free = nullptr;
    std::size_t room = 0;

    FolderId add(FolderId parent, std::string_view name);
    [[nodiscard]] FolderId root_of(FolderId id) const;
    [[nodiscard]] const Root& root(FolderId id) const;
    [[nodiscard]] std::string below_root(FolderId id) const;
    [[nodiscard]] std::string path(FolderId id, std::string_view file) const;
  };

  mutable Guarded<Folders> folders_;
};

}  // namespace tidemill::walk
