#include "tidemill/jobs/dupes/report/parts.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/report/freed.h"

namespace tidemill::dupes {
namespace {

using history::HistoryPart;
using history::HistoryUnit;
using history::PartForm;

constexpr std::array kSizeNames = {
    "below 1 kB",   "1 to 10 kB",     "10 to 100 kB",   "100 kB to 1 MB",
    "1 to 10 MB",   "10 to 100 MB",   "100 MB to 1 GB", "1 to 10 GB",
    "10 to 100 GB", "100 GB to 1 TB", "1 TB and more",
};
static_assert(kSizeNames.size() == std::tuple_size_v<decltype(SizeClasses::classes)>);

HistoryPart folders_part() {
  return {.name = "duplicates_by_folder",
          .title = "Duplicates by folder",
          .label = "folder",
          .form = PartForm::treemap,
          .columns = {{.name = "reclaimable", .unit = HistoryUnit::bytes},
                      {.name = "redundant files"}}};
}

bool is_removable(const Copy& copy) {
  return copy.host.empty() && !copy.names.empty() &&
         std::ranges::none_of(copy.names, &FileName::is_reference);
}

}  // namespace

HistoryPart part_by_size(const SizeClasses& sizes) {
  HistoryPart part{.name = "duplicates_by_size",
                   .title = "Duplicates by size",
                   .label = "size of a file",
                   .form = PartForm::bars,
                   .columns = {{.name = "reclaimable", .unit = HistoryUnit::bytes},
                               {.name = "groups"},
                               {.name = "redundant files"}}};
  const auto has_groups = [](const SizeClass& one) { return one.groups > 0; };
  const auto& all = sizes.classes;
  const auto first = std::ranges::find_if(all, has_groups);
  const auto end = std::find_if(all.rbegin(), all.rend(), has_groups).base();
  for (auto at = first; at < end; ++at) {
    part.rows.push_back({.label = kSizeNames.at(static_cast<std::size_t>(at - all.begin())),
                         .numbers = {static_cast<std::int64_t>(at->reclaimable),
                                     static_cast<std::int64_t>(at->groups),
                                     static_cast<std::int64_t>(at->redundant)}});
  }
  return part;
}

std::string_view folder_at(std::string_view path, std::size_t root, std::size_t depth) {
  std::size_t end = root;
  for (; depth > 0; --depth) {
    const std::size_t next = path.find('/', end + 1);
    if (next == std::string_view::npos) break;
    end = next;
  }
  if (end == 0) return path.starts_with('/') ? "/" : ".";
  return path.substr(0, end);
}

FolderShares::FolderShares(std::vector<std::string> roots) : roots_(std::move(roots)) {
  for (std::size_t i = 0; i < kMostDepth; ++i) depths_.emplace_back(folders_part());
}

bool FolderShares::add(const Group& group) {
  if (groups_ == kMostGroups) {
    has_more_ = true;
    return false;
  }
  ++groups_;
  for (const Copy& copy : std::span(group.copies).subspan(group.copies.empty() ? 0 : 1)) {
    if (!is_removable(copy)) continue;
    const FileName& name = copy.names.front();
    std::string_view root;
    if (name.root < roots_.size()) root = roots_[name.root];
    const std::size_t below = name.path.starts_with(root) ? root.size() : 0;
    for (std::size_t i = 0; i < depths_.size(); ++i) {
      depths_[i].add(folder_at(name.path, below, i + 1), {freed_bytes(copy), 1});
    }
  }
  return true;
}

HistoryPart FolderShares::part() const {
  const history::PartBuilder* best = &depths_.front();
  for (const history::PartBuilder& depth : depths_) {
    if (best->size() < kFewFolders && depth.size() > best->size()) best = &depth;
  }
  HistoryPart part = best->largest(kMostFolders);
  if (has_more_) {
    part.title += ": the " + text::count_text(groups_) + " groups with the most reclaimable bytes";
  }
  return part;
}

}  // namespace tidemill::dupes
