#include "tidemill/jobs/dupes/report/keep.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace tidemill::dupes {
namespace {

constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

Result<walk::Glob> compiled(const std::string& pattern) {
  auto glob = walk::Glob::compile(pattern);
  if (!glob) {
    Failure wrong = std::move(glob).error();
    wrong.kind = FailureKind::usage;
    wrong.step = "usage";
    return std::unexpected(std::move(wrong));
  }
  if (glob->wants_folder()) {
    return std::unexpected(
        Failure{.kind = FailureKind::usage,
                .step = "usage",
                .reason = "--keep: the pattern '" + pattern + "' matches folders, not files",
                .hint = "use " + pattern + "** for everything in the folder"});
  }
  return glob;
}

std::int64_t lowest_root(const Copy& copy) {
  std::int64_t lowest = kLast;
  for (const FileName& name : copy.names) {
    lowest = std::min(lowest, static_cast<std::int64_t>(name.root));
  }
  return lowest;
}

std::int64_t shortest_path(const Copy& copy) {
  std::int64_t shortest = kLast;
  for (const FileName& name : copy.names) shortest = std::min(shortest, std::ssize(name.path));
  return shortest;
}

// The order that no rule can override.
std::int64_t standing(const Copy& copy) {
  const bool is_reference = std::ranges::any_of(copy.names, &FileName::is_reference);
  return (copy.host.empty() ? 0 : 2) + (is_reference ? 0 : 1);
}

// The order of copies that are equal by all rules.
auto last_word(const Copy& copy) {
  const std::string_view path = copy.names.empty() ? "" : std::string_view(copy.names.front().path);
  return std::tuple(std::string_view(copy.host), lowest_root(copy), path, copy.stamp.device,
                    copy.stamp.inode);
}

}  // namespace

Result<KeepSelector> KeepSelector::make(std::span<const KeepRule> rules,
                                        std::span<const std::string> roots) {
  KeepSelector selector;
  selector.roots_.assign(roots.begin(), roots.end());
  for (const KeepRule& asked : rules) {
    Rule rule{.by = asked.by};
    if (asked.by == KeepBy::path) {
      auto glob = compiled(asked.glob);
      if (!glob) return std::unexpected(std::move(glob).error());
      rule.glob.push_back(*std::move(glob));
    }
    selector.rules_.push_back(std::move(rule));
  }
  return selector;
}

bool KeepSelector::matches(const walk::Glob& glob, const FileName& name) const {
  std::string_view path = name.path;
  const std::string_view last = path.substr(path.rfind('/') + 1);
  if (name.root < roots_.size()) {
    std::string_view root = roots_[name.root];
    while (root.ends_with('/')) root.remove_suffix(1);
    if (path.starts_with(root) && path.size() > root.size() && path[root.size()] == '/') {
      std::string_view below = path.substr(root.size());
      below.remove_prefix(std::min(below.find_first_not_of('/'), below.size()));
      if (glob.matches(below, last, false)) return true;
    }
  }
  // A compiled glob has no leading '/'.
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  return glob.matches(path, last, false);
}

std::int64_t KeepSelector::rank(const Rule& rule, const Copy& copy) const {
  switch (rule.by) {
    case KeepBy::oldest:
      return copy.stamp.mtime_ns;
    case KeepBy::newest:
      return ~copy.stamp.mtime_ns;  // reverses the order; a minus could overflow
    case KeepBy::first_root:
      return lowest_root(copy);
    case KeepBy::shortest:
      return shortest_path(copy);
    case KeepBy::path:
      return std::ranges::any_of(
                 copy.names, [&](const FileName& name) { return matches(rule.glob.front(), name); })
                 ? 0
                 : 1;
  }
  return 0;
}

void KeepSelector::order(std::vector<Copy>& copies) const {
  // Ranks are computed first: a group may have a million copies, and a glob is matched once each.
  const std::size_t width = rules_.size() + 1;
  std::vector<std::int64_t> ranks;
  ranks.reserve(copies.size() * width);
  for (const Copy& copy : copies) {
    ranks.push_back(standing(copy));
    for (const Rule& rule : rules_) ranks.push_back(rank(rule, copy));
  }
  std::vector<std::size_t> order(copies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto ranks_of = [&](std::size_t copy) {
    return std::span(ranks).subspan(copy * width, width);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto [one, other] = std::ranges::mismatch(ranks_of(a), ranks_of(b));
    if (one != ranks_of(a).end()) return *one < *other;
    return last_word(copies[a]) < last_word(copies[b]);
  });
  std::vector<Copy> ordered;
  ordered.reserve(copies.size());
  for (const std::size_t copy : order) ordered.push_back(std::move(copies[copy]));
  copies = std::move(ordered);
}

}  // namespace tidemill::dupes
