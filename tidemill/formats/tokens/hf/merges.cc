#include "tidemill/formats/tokens/hf/merges.h"

#include <algorithm>
#include <array>
#include <compare>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/formats/tokens/vocabulary/image_layout.h"

namespace tidemill::tokens {
namespace {

using Place = std::uint32_t;  // the index of a merge in the list
constexpr Place kNever = std::numeric_limits<Place>::max();

// Simulates the merging of each token from its bytes, with all merges of the file. One thread.
class Rehearsal {
 public:
  explicit Rehearsal(const HfFile& file) : file_(file) {
    bytes_.fill(kNoToken);
    for (std::uint32_t i = 0; i < file.tokens.size(); ++i) {
      if (file.tokens[i].size() == 1) bytes_[static_cast<unsigned char>(file.tokens[i][0])] = i;
    }
    places_.reserve(file.merges.size());
    for (Place i = 0; i < file.merges.size(); ++i) {
      places_.emplace(key_of(file.merges[i].left, file.merges[i].right), i);
    }
  }

  // The merge that completes the token; kNever: none does.
  [[nodiscard]] Place last_merge(std::uint32_t token) {
    parts_.clear();
    for (const char byte : file_.tokens[token]) {
      const auto at = static_cast<std::uint32_t>(parts_.size());
      parts_.push_back(
          {.token = bytes_[static_cast<unsigned char>(byte)], .before = at - 1, .next = at + 1});
    }
    for (std::uint32_t at = 0; at < parts_.size(); ++at) offer(at);
    Place last = kNever;
    std::size_t left = parts_.size();
    while (!offers_.empty()) {
      const auto [place, at] = offers_.top();
      offers_.pop();
      if (place_at(at) != place) continue;
      take(at, place);
      last = place;
      --left;
    }
    return left == 1 ? last : kNever;
  }

 private:
  struct Part {
    std::uint32_t token = 0;
    std::uint32_t before = 0;
    std::uint32_t next = 0;
    bool is_gone = false;
  };
  using Offer = std::pair<Place, std::uint32_t>;  // a merge, and the part on its left side

  [[nodiscard]] static std::uint64_t key_of(std::uint32_t left, std::uint32_t right) {
    return std::uint64_t{left} << 32U | right;
  }
  // The merge of a part with the next part.
  [[nodiscard]] Place place_at(std::uint32_t at) const {
    if (at >= parts_.size() || parts_[at].is_gone || parts_[at].next >= parts_.size())
      return kNever;
    const auto found = places_.find(key_of(parts_[at].token, parts_[parts_[at].next].token));
    return found == places_.end() ? kNever : found->second;
  }
  void offer(std::uint32_t at) {
    if (const Place place = place_at(at); place != kNever) offers_.emplace(place, at);
  }
  void take(std::uint32_t at, Place place) {
    Part& right = parts_[parts_[at].next];
    right.is_gone = true;
    parts_[at].token = file_.merges[place].product;
    parts_[at].next = right.next;
    if (right.next < parts_.size()) parts_[right.next].before = at;
    offer(at);
    offer(parts_[at].before);
  }

  const HfFile& file_;
  std::array<std::uint32_t, 0x100> bytes_{};
  std::unordered_map<std::uint64_t, Place> places_{};
  std::vector<Part> parts_{};
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers_{};
};

// For each token, the merge that completes it.
std::vector<Place> makers_of(const HfFile& file) {
  Rehearsal rehearsal(file);
  std::vector<Place> makers(file.tokens.size());
  for (std::uint32_t token = 0; token < makers.size(); ++token) {
    makers[token] = rehearsal.last_merge(token);
  }
  return makers;
}

// When a token is made. A merge that is listed before one that it needs is done as soon as
// possible: `late` steps after the merge `after`, which made the missing token.
struct MergeMoment {
  std::uint32_t after = 0;  // the index of that merge, plus one; 0: a byte
  std::uint32_t late = 0;
  Place place = 0;
  auto operator<=>(const MergeMoment&) const = default;
};

std::vector<MergeMoment> moments_of(const HfFile& file, const std::vector<Place>& makers) {
  std::vector<std::uint32_t> by_length(file.tokens.size());
  std::iota(by_length.begin(), by_length.end(), 0U);
  std::ranges::sort(by_length, {}, [&](std::uint32_t token) { return file.tokens[token].size(); });
  std::vector<MergeMoment> moments(file.tokens.size());
  for (const std::uint32_t token : by_length) {
    const Place place = makers[token];
    if (place == kNever) continue;
    const HfMerge& merge = file.merges[place];
    const MergeMoment& sides = std::max(moments[merge.left], moments[merge.right]);
    moments[token] =
        place + 1 > sides.after
            ? MergeMoment{.after = place + 1, .late = 0, .place = place}
            : MergeMoment{.after = sides.after, .late = sides.late + 1, .place = place};
  }
  return moments;
}

// In the file's algorithm, a late merge is done directly after the merge that it waited for, before
// that one is done again further right; in a vocabulary, only after it has been done everywhere.
// The result is the same unless two such positions compete for the same neighbour.
bool may_wait(const HfFile& file, Place awaited, std::span<const std::uint32_t> late,
              const std::vector<Place>& makers) {
  std::set<std::uint32_t> own(late.begin(), late.end());
  own.insert(file.merges[awaited].product);
  std::set<std::uint32_t> from_left{};
  std::set<std::uint32_t> from_right{file.merges[awaited].left};
  for (const std::uint32_t token : late) {
    const HfMerge& merge = file.merges[makers[token]];
    if (own.contains(merge.left) && own.contains(merge.right)) return false;
    if (own.contains(merge.left)) from_left.insert(merge.right);
    if (own.contains(merge.right)) from_right.insert(merge.left);
  }
  return std::ranges::none_of(from_left, [&](std::uint32_t it) { return from_right.contains(it); });
}

// The tokens that can be made, in the order in which they are made.
Result<std::vector<std::uint32_t>> order_of(const HfFile& file, const std::vector<Place>& makers) {
  const std::vector<MergeMoment> moments = moments_of(file, makers);
  std::vector<std::uint32_t> order;
  std::map<Place, std::vector<std::uint32_t>> late;
  for (std::uint32_t token = 0; token < makers.size(); ++token) {
    if (makers[token] == kNever) continue;
    order.push_back(token);
    if (moments[token].late > 0) late[moments[token].after - 1].push_back(token);
  }
  for (const auto& [awaited, tokens] : late) {
    if (may_wait(file, awaited, tokens, makers)) continue;
    return fail(Cure::give_up, "tokenizer",
                "merge " + std::to_string(awaited + 1) + " comes after a merge that needs it");
  }
  std::ranges::sort(order, {}, [&](std::uint32_t token) { return moments[token]; });
  return order;
}

}  // namespace

Result<VocabularyPlan> plan_of(HfFile file) {
  const std::vector<Place> makers = makers_of(file);
  LET(const auto order, order_of(file, makers));
  VocabularyPlan plan;
  plan.merges.reserve(order.size());
  for (const std::uint32_t token : order) {
    const HfMerge& merge = file.merges[makers[token]];
    plan.merges.push_back({.left = file.tokens[merge.left], .right = file.tokens[merge.right]});
  }
  if (file.ignores_merges) plan.whole_pieces = std::move(file.tokens);
  return plan;
}

}  // namespace tidemill::tokens
