#include "tidemill/jobs/dupes/report/folder_view.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tidemill::dupes {
namespace {

// The group of each file, by its inode: further names of a file have its contents too.
struct InodeHash {
  std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const {
    return key.first * 0x9e3779b97f4a7c15U ^ key.second;
  }
};
using Contents =
    std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t, InodeHash>;

Contents contents_of(const FileTable& table, const Sifted& sifted) {
  Contents contents;
  for (std::size_t i = 0; i < sifted.groups.size(); ++i) {
    for (const FileIndex file : sifted.group(i)) {
      const FileRecord& record = table.record(file);
      contents.emplace(std::pair(record.device, record.inode), i + 1);
    }
  }
  return contents;
}

}  // namespace

Folders folders_of(const FileTable& table, const walk::FolderTree& tree, const Sifted& sifted,
                   const std::vector<walk::FolderId>& incomplete) {
  std::vector<Folder> all(tree.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto id = static_cast<walk::FolderId>(i);
    const walk::FolderId parent = tree.parent(id);
    all[i] = {.parent = parent == walk::kNoFolder ? kNoFolder : parent,
              .name = tree.name(id),
              .path = tree.path(id)};
  }
  const Contents contents = contents_of(table, sifted);
  table.each([&](FileIndex /*file*/, const FileRecord& record) {
    if (record.has(kForeign)) return;
    Folder& folder = all[record.folder];
    const auto found = contents.find(std::pair(record.device, record.inode));
    folder.files.push_back({.name = table.name(record),
                            .content = found == contents.end() ? 0 : found->second,
                            .size = record.size});
    if (record.has(kFailed)) folder.is_whole = false;
  });
  for (const walk::FolderId id : incomplete) all[id].is_whole = false;
  return Folders(std::move(all));
}

}  // namespace tidemill::dupes
