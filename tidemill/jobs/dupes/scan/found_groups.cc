#include "tidemill/jobs/dupes/scan/found_groups.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "tidemill/jobs/dupes/act/extents.h"
#include "tidemill/jobs/dupes/act/pair/places.h"
#include "tidemill/jobs/dupes/scan/foreign.h"

namespace tidemill::dupes {

FoundGroups::FoundGroups(const Context& context) : context_(context) {
  for (std::uint32_t i = 0; i < context_.built.groups.size(); ++i) {
    const auto files = context_.built.group(i);
    if (!is_of_interest(files)) continue;
    order_.push_back({.reclaimable = weigh(i), .group = i});
    redundant_ += files.size() - 1;
    reclaimable_ += order_.back().reclaimable;
    by_size_.add(context_.table.record(files.front()).size, files.size(),
                 order_.back().reclaimable);
  }
  // The hash breaks ties, so that the order does not depend on the threads.
  std::ranges::sort(order_, [&](const Entry& a, const Entry& b) {
    const FileRecord& one = context_.table.record(context_.built.group(a.group).front());
    const FileRecord& other = context_.table.record(context_.built.group(b.group).front());
    return std::tuple(b.reclaimable, other.size, context_.table.whole(one)) <
           std::tuple(a.reclaimable, one.size, context_.table.whole(other));
  });
}

const RootFacts& FoundGroups::root_of(const FileRecord& record) const {
  const walk::FolderId root = context_.tree.root(record.folder);
  return *std::ranges::lower_bound(context_.roots, root, {}, &RootFacts::folder);
}

const RootFacts& FoundGroups::root_numbered(std::size_t number) const {
  return *std::ranges::find(context_.roots, number, &RootFacts::number);
}

bool FoundGroups::is_of_interest(std::span<const FileIndex> files) const {
  if (files.size() < context_.options.least_copies) return false;
  if (!context_.options.between_roots) return true;
  std::set<std::size_t> roots;
  for (const FileIndex file : files) {
    roots.insert(root_of(context_.table.record(file)).number);
    for (const auto& [_, name] : context_.candidates.names_of(file)) {
      roots.insert(root_of(context_.table.record(name)).number);
    }
  }
  return roots.size() > 1;
}

// Builds no paths if it does not matter which file is kept.
std::uint64_t FoundGroups::weigh(std::uint32_t group) const {
  const auto files = context_.built.group(group);
  const std::uint32_t blocks = context_.table.record(files.front()).blocks;
  const bool is_plain = std::ranges::all_of(files, [&](FileIndex file) {
    const FileRecord& record = context_.table.record(file);
    return record.links == 1 && record.blocks == blocks && !record.has(kForeign) &&
           !may_share(record);
  });
  if (is_plain && context_.options.references.empty()) return (files.size() - 1) * 512 * blocks;
  return reclaimable_bytes(make(group));
}

bool FoundGroups::may_share(const FileRecord& record) const {
  if (record.has(kForeign)) return false;
  const auto known = shares_.find(record.device);
  if (known != shares_.end()) return known->second;
  const walk::OpenedFolder opened = context_.tree.open(record.folder);
  return shares_[record.device] = opened.error == 0 && can_share(opened.folder.number());
}

FileName FoundGroups::name_of(const FileRecord& record) const {
  const RootFacts& root = root_of(record);
  return {.path = context_.tree.path(record.folder, context_.table.name(record)),
          .root = root.number,
          .is_reference = root.is_reference};
}

void FoundGroups::drop_repeated(std::vector<FileName>& names) const {
  const auto real_of = [&](const FileName& name) {
    const RootFacts& root = root_numbered(name.root);
    return root.real + name.path.substr(context_.tree.name(root.folder).size());
  };
  std::ranges::sort(names, {}, [&](const FileName& name) {
    return std::tuple(real_of(name), !name.is_reference, name.root);
  });
  const auto repeated = std::ranges::unique(names, {}, real_of);
  names.erase(repeated.begin(), repeated.end());
}

Copy FoundGroups::copy_of(FileIndex file) const {
  const FileRecord& record = context_.table.record(file);
  Copy copy{.stamp = context_.table.stamp(record), .blocks = record.blocks, .links = record.links};
  copy.stamp.device = without_host(copy.stamp.device);
  copy.names.push_back(name_of(record));
  copy.host = root_of(record).host;
  for (const auto& [_, name] : context_.candidates.names_of(file)) {
    copy.names.push_back(name_of(context_.table.record(name)));
  }
  const bool may_repeat = !root_of(record).real.empty();
  if (may_repeat && copy.names.size() > 1) drop_repeated(copy.names);
  std::ranges::sort(copy.names, {},
                    [](const FileName& name) { return std::tie(name.root, name.path); });
  return copy;
}

Group FoundGroups::make(std::uint32_t index) const {
  const auto files = context_.built.group(index);
  const FileRecord& record = context_.table.record(files.front());
  Group group{.size = record.size, .algorithm = context_.table.algorithm()};
  const std::string_view digest = context_.table.whole(record);
  std::memcpy(group.digest.bytes.data(), digest.data(), digest.size());
  group.digest.size = static_cast<std::uint8_t>(digest.size());
  group.is_verified = context_.options.verify;
  for (const FileIndex file : files) {
    group.copies.push_back(copy_of(file));
    if (!group.copies.back().host.empty()) group.is_verified = false;
  }
  context_.selector.order(group.copies);
  if (std::ranges::any_of(files,
                          [&](FileIndex file) { return may_share(context_.table.record(file)); })) {
    if (auto places = PairPlaces::from({})) fill_shared(group, context_.options, *places);
  }
  return group;
}

Result<void> FoundGroups::each(const std::function<bool(const Group&)>& on_group) {
  std::uint64_t number = 0;
  for (const Entry& entry : order_) {
    Group group = make(entry.group);
    group.number = ++number;
    if (!on_group(group)) break;
  }
  return {};
}

}  // namespace tidemill::dupes
