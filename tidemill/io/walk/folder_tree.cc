#include "tidemill/io/walk/folder_tree.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tidemill::walk {
namespace {

constexpr std::size_t kBlock = std::size_t{32} * 1024;

OpenedFolder open_by_path(const std::string& path, const std::string& below) {
  Descriptor root(::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) return {.error = errno};
  if (below.empty()) return {.folder = std::move(root)};
  return open_below(root.number(), below);
}

}  // namespace

FolderId FolderTree::Folders::add(FolderId parent, std::string_view name) {
  const std::size_t size = name.size() + 1;
  if (size > room) {
    room = std::max(kBlock, size);
    free = blocks.emplace_back(std::make_unique_for_overwrite<char[]>(room)).get();
  }
  *std::ranges::copy(name, free).out = '\0';
  all.push_back({.parent = parent, .size = static_cast<std::uint32_t>(name.size()), .name = free});
  free += size;
  room -= size;
  return static_cast<FolderId>(all.size() - 1);
}

FolderId FolderTree::Folders::root_of(FolderId id) const {
  while (all[id].parent != kNoFolder) id = all[id].parent;
  return id;
}

const FolderTree::Root& FolderTree::Folders::root(FolderId id) const {
  return *std::ranges::lower_bound(roots, root_of(id), {}, &Root::id);
}

std::string FolderTree::Folders::below_root(FolderId id) const {
  std::size_t size = 0;
  for (FolderId i = id; all[i].parent != kNoFolder; i = all[i].parent) size += all[i].size + 1;
  if (size == 0) return {};
  std::string path(size - 1, '/');
  auto end = path.end();
  for (FolderId i = id; all[i].parent != kNoFolder; i = all[i].parent) {
    end = std::ranges::copy_backward(all[i].view(), end).out;
    if (end != path.begin()) --end;
  }
  return path;
}

std::string FolderTree::Folders::path(FolderId id, std::string_view file) const {
  std::string path(all[root_of(id)].view());
  const std::string below = below_root(id);
  for (const std::string_view part : {std::string_view(below), file}) {
    if (part.empty()) continue;
    if (!path.empty() && !path.ends_with('/')) path += '/';
    path += part;
  }
  return path;
}

FolderId FolderTree::add_root(std::string_view path, Descriptor folder, bool follows_links) {
  auto kept = std::make_shared<const Descriptor>(std::move(folder));
  const auto folders = folders_.lock();
  const FolderId id = folders->add(kNoFolder, path);
  folders->roots.push_back({.id = id, .folder = std::move(kept), .follows_links = follows_links});
  return id;
}

FolderId FolderTree::add_root(std::string_view path, FolderId same) {
  const auto folders = folders_.lock();
  Root root = folders->root(same);
  root.id = folders->add(kNoFolder, path);
  folders->roots.push_back(root);
  return root.id;
}

FolderId FolderTree::add_root(std::string_view path) {
  const auto folders = folders_.lock();
  const FolderId id = folders->add(kNoFolder, path);
  folders->roots.push_back({.id = id});
  return id;
}

FolderId FolderTree::add(FolderId parent, std::string_view name) {
  return folders_.lock()->add(parent, name);
}

std::size_t FolderTree::size() const { return folders_.lock()->all.size(); }

FolderId FolderTree::parent(FolderId id) const { return folders_.lock()->all[id].parent; }

FolderId FolderTree::root(FolderId id) const { return folders_.lock()->root_of(id); }

std::string FolderTree::name(FolderId id) const {
  return std::string(folders_.lock()->all[id].view());
}

const char* FolderTree::lasting_name(FolderId id) const { return folders_.lock()->all[id].name; }

std::string FolderTree::path(FolderId id) const { return path(id, {}); }

std::string FolderTree::path(FolderId id, std::string_view file) const {
  return folders_.lock()->path(id, file);
}

std::string FolderTree::path_below_root(FolderId id) const {
  return folders_.lock()->below_root(id);
}

OpenedFolder FolderTree::open(FolderId id) const {
  Root root;
  std::string path;
  std::string below;
  {
    const auto folders = folders_.lock();
    root = folders->root(id);
    path = folders->all[root.id].view();
    below = folders->below_root(id);
  }
  if (root.folder == nullptr) return open_by_path(path, below);
  return open_below(root.folder->number(), below, root.follows_links);
}

}  // namespace tidemill::walk
