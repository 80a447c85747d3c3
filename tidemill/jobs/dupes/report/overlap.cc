#include "tidemill/jobs/dupes/report/overlap.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tidemill::dupes {
namespace {

// The files of one folder with the same contents.
struct Share {
  std::uint64_t content = 0;
  std::uint64_t size = 0;
  std::uint64_t count = 0;
};

// A folder that is compared.
struct Member {
  std::size_t folder = 0;
  std::uint64_t files = 0;       // without the empty ones
  std::uint64_t everywhere = 0;  // of these, with contents that are in too many folders
  std::vector<Share> shares{};   // by content; without files that have no copy
};

struct Place {
  std::size_t member = 0;
  std::uint64_t count = 0;
};

std::vector<Share> shares_of(const ReportFolder& folder) {
  std::vector<Share> shares;
  for (const FolderFile& file : folder.files) {
    if (file.size == 0 || file.content == 0) continue;
    shares.push_back({.content = file.content, .size = file.size, .count = 1});
  }
  std::ranges::sort(shares, {}, &Share::content);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (kept > 0 && shares[kept - 1].content == shares[i].content) {
      ++shares[kept - 1].count;
    } else {
      shares[kept++] = shares[i];
    }
  }
  shares.resize(kept);
  return shares;
}

// One pass over both, by content.
Overlap measured(const Member& one, const Member& other) {
  Overlap overlap{.one = one.folder, .other = other.folder};
  auto at = other.shares.begin();
  for (const Share& share : one.shares) {
    while (at != other.shares.end() && at->content < share.content) ++at;
    if (at == other.shares.end()) break;
    if (at->content != share.content) continue;
    const std::uint64_t count = std::min(share.count, at->count);
    overlap.matching += count;
    overlap.bytes += count * share.size;
  }
  overlap.all = one.files + other.files - overlap.matching;
  return overlap;
}

// One thread, for one call.
class OverlapFinder {
 public:
  OverlapFinder(const Folders& folders, double least) : folders_(folders), least_(least) {}

  Overlaps find() {
    gather_members();
    gather_places();
    std::vector<std::uint64_t> common(members_.size());  // with each other member; reset each time
    std::vector<std::size_t> met;
    for (std::size_t one = 0; one < members_.size(); ++one) {
      for (const Share& share : members_[one].shares) meet(one, share, common, met);
      for (const std::size_t other : met) {
        if (may_reach(one, other, common[other])) take(measured(members_[one], members_[other]));
        common[other] = 0;
      }
      met.clear();
    }
    trim(kMostPairs);
    return std::move(found_);
  }

 private:
  void gather_members() {
    std::vector<std::size_t> by_path(folders_.size());
    for (std::size_t i = 0; i < by_path.size(); ++i) by_path[i] = i;
    std::ranges::sort(by_path, {}, [&](std::size_t i) {
      return std::pair(std::string_view(folders_[i].path), i);
    });
    std::unordered_set<Folders::Kind> kinds;
    for (const std::size_t i : by_path) {
      const Folders::Kind kind = folders_.kind_of(i);
      if (kind != Folders::kNoKind && !kinds.insert(kind).second) continue;
      Member member{.folder = i, .shares = shares_of(folders_[i])};
      if (member.shares.empty()) continue;
      for (const FolderFile& file : folders_[i].files) member.files += file.size > 0 ? 1 : 0;
      members_.push_back(std::move(member));
    }
  }

  void gather_places() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const Share& share : members_[i].shares) {
        auto& places = places_[share.content];
        if (places.size() <= kMostFolders) places.push_back({.member = i, .count = share.count});
      }
    }
    for (Member& member : members_) {
      for (const Share& share : member.shares) {
        if (is_everywhere(places_[share.content])) member.everywhere += share.count;
      }
    }
  }

  static bool is_everywhere(const std::vector<Place>& places) {
    return places.size() > kMostFolders;
  }

  // Counts the later members that have this content, so that each pair is found once.
  void meet(std::size_t one, const Share& share, std::vector<std::uint64_t>& common,
            std::vector<std::size_t>& met) const {
    const auto& places = places_.at(share.content);
    if (is_everywhere(places)) return;
    for (const Place& place : places) {
      if (place.member <= one) continue;
      if (common[place.member] == 0) met.push_back(place.member);
      common[place.member] += std::min(share.count, place.count);
    }
  }

  // Measuring takes a pass over all files of both, so pairs that cannot be similar enough are
  // excluded first.
  [[nodiscard]] bool may_reach(std::size_t one, std::size_t other, std::uint64_t common) const {
    const Member& a = members_[one];
    const Member& b = members_[other];
    const std::uint64_t matching = common + std::min(a.everywhere, b.everywhere);
    return is_enough({.matching = matching, .all = a.files + b.files - matching});
  }

  [[nodiscard]] bool is_enough(const Overlap& overlap) const {
    return overlap.similarity() >= least_;
  }

  void take(const Overlap& overlap) {
    if (!is_enough(overlap)) return;
    found_.pairs.push_back(overlap);
    if (found_.pairs.size() >= 2 * kMostPairs) trim(kMostPairs);
  }

  // Sorts the pairs and keeps at most this many.
  void trim(std::size_t most) {
    std::ranges::sort(found_.pairs, [&](const Overlap& a, const Overlap& b) {
      if (a.bytes != b.bytes) return a.bytes > b.bytes;
      if (a.matching != b.matching) return a.matching > b.matching;
      if (a.one != b.one) return is_before(a.one, b.one);
      return is_before(a.other, b.other);
    });
    if (found_.pairs.size() <= most) return;
    found_.left_out += found_.pairs.size() - most;
    found_.pairs.resize(most);
  }

  [[nodiscard]] bool is_before(std::size_t a, std::size_t b) const {
    return std::pair(std::string_view(folders_[a].path), a) <
           std::pair(std::string_view(folders_[b].path), b);
  }

  const Folders& folders_;
  const double least_;
  std::vector<Member> members_;  // by path
  std::unordered_map<std::uint64_t, std::vector<Place>> places_;
  Overlaps found_;
};

using Indexes = std::vector<std::size_t>;

// Files that can match, in the order of content, then of name.
Indexes by_content(const ReportFolder& folder) {
  Indexes files;
  for (std::size_t i = 0; i < folder.files.size(); ++i) {
    if (folder.files[i].size > 0 && folder.files[i].content != 0) files.push_back(i);
  }
  std::ranges::sort(files, {},
                    [&](std::size_t i) { return std::pair(folder.files[i].content, i); });
  return files;
}

// Matches the files of both folders. Files with the same name are matched first, so that the
// reported differences are those that a person would see.
class Matching {
 public:
  Matching(const ReportFolder& one, const ReportFolder& other)
      : one_(one),
        other_(other),
        is_matched_(one.files.size()),
        is_matched_there_(other.files.size()) {
    match_names();
    match_rest();
  }

  [[nodiscard]] bool has(std::size_t file) const { return is_matched_[file]; }
  [[nodiscard]] bool has_there(std::size_t file) const { return is_matched_there_[file]; }

 private:
  void match_names() {
    std::size_t there = 0;
    for (std::size_t here = 0; here < one_.files.size(); ++here) {
      const FolderFile& file = one_.files[here];
      while (there < other_.files.size() && other_.files[there].name < file.name) ++there;
      if (there == other_.files.size()) return;
      const FolderFile& match = other_.files[there];
      if (match.name != file.name || file.content == 0 || match.content != file.content) continue;
      is_matched_[here] = is_matched_there_[there] = true;
    }
  }

  void match_rest() {
    const Indexes there = by_content(other_);
    auto at = there.begin();
    for (const std::size_t here : by_content(one_)) {
      if (is_matched_[here]) continue;
      const std::uint64_t content = one_.files[here].content;
      while (at != there.end() && (is_matched_there_[*at] || other_.files[*at].content < content)) {
        ++at;
      }
      if (at == there.end()) return;
      if (other_.files[*at].content != content) continue;
      is_matched_[here] = is_matched_there_[*at++] = true;
    }
  }

  const ReportFolder& one_;
  const ReportFolder& other_;
  std::vector<bool> is_matched_;
  std::vector<bool> is_matched_there_;
};

}  // namespace

Overlaps overlaps_of(const Folders& folders, double least) {
  return OverlapFinder(folders, least).find();
}

Difference difference_of(const Folders& folders, const Overlap& overlap) {
  const ReportFolder& one = folders[overlap.one];
  const ReportFolder& other = folders[overlap.other];
  const Matching matching(one, other);
  Difference difference;
  std::size_t there = 0;
  const auto pass_those_before = [&](const std::string* name) {
    for (; there < other.files.size() && (name == nullptr || other.files[there].name < *name);
         ++there) {
      if (other.files[there].size > 0 && !matching.has_there(there)) {
        difference.only_other.push_back(there);
      }
    }
  };
  for (std::size_t here = 0; here < one.files.size(); ++here) {
    const FolderFile& file = one.files[here];
    if (file.size == 0 || matching.has(here)) continue;
    pass_those_before(&file.name);
    const bool is_changed = there < other.files.size() && other.files[there].name == file.name &&
                            other.files[there].size > 0 && !matching.has_there(there);
    if (is_changed) {
      difference.changed.emplace_back(here, there++);
    } else {
      difference.only_one.push_back(here);
    }
  }
  pass_those_before(nullptr);
  return difference;
}

}  // namespace tidemill::dupes
