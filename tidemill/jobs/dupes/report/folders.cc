#include "tidemill/jobs/dupes/report/folders.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace tidemill::dupes {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  // The finaliser of SplitMix64: every input bit affects every bit of the result.
  std::uint64_t z = hash + 0x9e3779b97f4a7c15U + value;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::uint64_t mixed(std::uint64_t hash, std::string_view name) {
  return mixed(hash, std::hash<std::string_view>{}(name));
}

bool is_known(const FolderFile& file) { return file.content != 0 || file.size == 0; }

bool is_same_file(const FolderFile& one, const FolderFile& other) {
  if (one.name != other.name || one.size != other.size) return false;
  return one.size == 0 || one.content == other.content;
}

}  // namespace

Folders::Folders(std::vector<ReportFolder> all) : all_(std::move(all)), marks_(all_.size()) {
  prepare();
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < size(); ++i) {
    if (marks_[i].waiting == 0) ready.push_back(i);
  }
  Kinds kinds;
  while (!ready.empty()) {
    const std::size_t folder = ready.back();
    ready.pop_back();
    settle(folder, kinds);
    const std::size_t parent = all_[folder].parent;
    if (parent < size() && --marks_[parent].waiting == 0) ready.push_back(parent);
  }
}

void Folders::prepare() {
  for (std::size_t i = 0; i < size(); ++i) {
    std::ranges::sort(all_[i].files, {}, &FolderFile::name);
    marks_[i].is_known = all_[i].is_whole && std::ranges::all_of(all_[i].files, is_known);
    if (const std::size_t parent = all_[i].parent; parent < size()) {
      marks_[parent].children.push_back(i);
      ++marks_[parent].waiting;
    }
  }
  for (Mark& mark : marks_) {
    std::ranges::sort(mark.children, {},
                      [&](std::size_t child) -> const std::string& { return all_[child].name; });
  }
}

// Called after its children are settled.
void Folders::settle(std::size_t folder, Kinds& kinds) {
  Mark& mark = marks_[folder];
  mark.files = all_[folder].files.size();
  for (const FolderFile& file : all_[folder].files) mark.bytes += file.size;
  for (const std::size_t child : mark.children) {
    mark.is_known = mark.is_known && marks_[child].kind != kNoKind;
    mark.files += marks_[child].files;
    mark.bytes += marks_[child].bytes;
  }
  if (!mark.is_known) return;
  const std::uint64_t hash = hash_of(folder);
  const auto [first, last] = kinds.equal_range(hash);
  const auto known = std::find_if(
      first, last, [&](const auto& entry) { return has_same_entries(entry.second, folder); });
  if (known != last) {
    mark.kind = marks_[known->second].kind;
    return;
  }
  mark.kind = ++last_kind_;
  kinds.emplace(hash, folder);
}

std::uint64_t Folders::hash_of(std::size_t folder) const {
  std::uint64_t hash = all_[folder].files.size();
  for (const FolderFile& file : all_[folder].files) {
    hash = mixed(mixed(hash, file.name), file.size == 0 ? 0 : file.content);
  }
  for (const std::size_t child : marks_[folder].children) {
    hash = mixed(mixed(hash, all_[child].name), marks_[child].kind);
  }
  return hash;
}

bool Folders::has_same_entries(std::size_t one, std::size_t other) const {
  return std::ranges::equal(all_[one].files, all_[other].files, is_same_file) &&
         std::ranges::equal(
             marks_[one].children, marks_[other].children, [&](std::size_t a, std::size_t b) {
               return marks_[a].kind == marks_[b].kind && all_[a].name == all_[b].name;
             });
}

bool Folders::is_inside_same(std::size_t folder, const std::vector<std::size_t>& counts) const {
  const std::size_t parent = all_[folder].parent;
  return parent < size() && counts[marks_[parent].kind] > 1;
}

std::vector<SameFolders> Folders::same() const {
  std::vector<std::size_t> counts(std::size_t{last_kind_} + 1);
  for (const Mark& mark : marks_) counts[mark.kind] += mark.kind == kNoKind ? 0 : 1;

  std::vector<SameFolders> by_kind(counts.size());
  std::vector<bool> is_listed(counts.size());
  for (std::size_t i = 0; i < size(); ++i) {
    const Kind kind = marks_[i].kind;
    if (counts[kind] < 2 || marks_[i].files == 0) continue;
    by_kind[kind].members.push_back(i);
    by_kind[kind].files = marks_[i].files;
    by_kind[kind].bytes = marks_[i].bytes;
    if (!is_inside_same(i, counts)) is_listed[kind] = true;
  }

  std::vector<SameFolders> found;
  for (std::size_t kind = 0; kind < by_kind.size(); ++kind) {
    if (!is_listed[kind]) continue;
    std::ranges::sort(by_kind[kind].members, {}, [&](std::size_t folder) {
      return std::pair(std::string_view(all_[folder].path), folder);
    });
    found.push_back(std::move(by_kind[kind]));
  }
  std::ranges::sort(found, [&](const SameFolders& a, const SameFolders& b) {
    const auto redundant = [](const SameFolders& same) {
      return same.bytes * (same.members.size() - 1);
    };
    const std::uint64_t most = redundant(a);
    const std::uint64_t other = redundant(b);
    if (most != other) return most > other;
    return all_[a.members.front()].path < all_[b.members.front()].path;
  });
  return found;
}

}  // namespace tidemill::dupes
