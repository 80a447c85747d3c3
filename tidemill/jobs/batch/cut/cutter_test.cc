#include "tidemill/jobs/batch/cut/cutter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/jobs/batch/cut/sample_weighed.h"

namespace tidemill::batch {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

// The counts of each batch, and whether it is oversize.
using Cut = std::vector<std::pair<std::vector<std::uint64_t>, bool>>;
Cut cut(BatchLimits limits, const std::vector<std::uint64_t>& tokens) {
  Cutter cutter(limits, "job");
  Cut all;
  const auto keep = [&](const std::optional<Batch>& batch) {
    if (!batch) return;
    auto& [files, is_oversize] = all.emplace_back();
    for (const Weighed& one : batch->files) files.push_back(one.tokens);
    is_oversize = batch->is_oversize;
    EXPECT_EQ(batch->tokens, std::accumulate(files.begin(), files.end(), std::uint64_t{0}));
  };
  EXPECT_TRUE(cutter.is_empty());
  for (const std::uint64_t count : tokens) keep(cutter.add(weighed("f", count)));
  keep(cutter.flush());
  EXPECT_TRUE(cutter.is_empty());
  EXPECT_FALSE(cutter.flush());
  return all;
}

TEST(Cutter, ABatchIsClosedBeforeItWouldPassTheLimit) {
  EXPECT_EQ(cut({.cost = 10}, {4, 6, 1}), (Cut{{{4, 6}, false}, {{1}, false}}));
  EXPECT_EQ(cut({.cost = 10}, {4, 7, 3}), (Cut{{{4}, false}, {{7, 3}, false}}));
  EXPECT_EQ(cut({.cost = 10}, {10, 10}), (Cut{{{10}, false}, {{10}, false}}));
  EXPECT_EQ(cut({.cost = kMax}, {kMax - 1, 1, 1}), (Cut{{{kMax - 1, 1}, false}, {{1}, false}}));
}

TEST(Cutter, AFileAboveTheLimitIsABatchOfItsOwn) {
  EXPECT_EQ(cut({.cost = 10}, {3, 11, 3}), (Cut{{{3}, false}, {{11}, true}, {{3}, false}}));
  EXPECT_EQ(cut({.cost = 10}, {kMax, kMax}), (Cut{{{kMax}, true}, {{kMax}, true}}));
}

TEST(Cutter, FlushesTheLastBatchButNoEmptyBatch) {
  EXPECT_EQ(cut({.cost = 10}, {1}), (Cut{{{1}, false}}));
  EXPECT_EQ(cut({.cost = 10}, {}), Cut{});
  EXPECT_EQ(cut({.cost = 10}, {0, 0, 0}), (Cut{{{0, 0, 0}, false}}));
}

TEST(Cutter, LimitsTheFilesPerBatch) {
  EXPECT_EQ(cut({.cost = 10, .files = 2}, {1, 1, 1, 1, 1}),
            (Cut{{{1, 1}, false}, {{1, 1}, false}, {{1}, false}}));
  EXPECT_EQ(cut({.cost = 10, .files = 1}, {0, 0}), (Cut{{{0}, false}, {{0}, false}}));
}

TEST(Cutter, PromptOverheadCountsTowardsTheLimitButNotTheTokens) {
  Cutter cutter({.cost = 10}, "job");
  EXPECT_FALSE(cutter.add({.path = "a", .tokens = 2, .cost = 5}));
  EXPECT_FALSE(cutter.add({.path = "b", .tokens = 2, .cost = 5}));
  const auto full = cutter.add({.path = "c", .tokens = 1, .cost = 1});
  ASSERT_TRUE(full);
  EXPECT_EQ(full->tokens, 4U);
  EXPECT_EQ(full->cost, 10U);
  EXPECT_FALSE(full->is_oversize);
}

RC_GTEST_PROP(Cutter, BatchesOfSeveralFilesStayWithinTheLimitAndAreMaximal, ()) {
  const auto limit = *rc::gen::inRange<std::uint64_t>(1, 50);
  const auto most = *rc::gen::inRange<std::size_t>(1, 6);
  const auto tokens =
      *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 60));
  const Cut all = cut({.cost = limit, .files = most}, tokens);
  std::vector<std::uint64_t> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& files = all[i].first;
    const auto sum = std::accumulate(files.begin(), files.end(), std::uint64_t{0});
    RC_ASSERT(!files.empty() && files.size() <= most);
    RC_ASSERT(all[i].second == (sum > limit));
    RC_ASSERT(sum <= limit || files.size() == 1);
    if (i + 1 < all.size() && files.size() < most) {
      RC_ASSERT(sum + all[i + 1].first.front() > limit);
    }
    seen.insert(seen.end(), files.begin(), files.end());
  }
  RC_ASSERT(seen == tokens);
}

TEST(Limit, IsTheRemainderTimesTheMarginAndAtLeastOne) {
  EXPECT_EQ(limit_of(65'000, 1'000, 0.98), 62'720U);
  EXPECT_EQ(limit_of(65'000, 1'000, 1), 64'000U);
  EXPECT_EQ(limit_of(10, 10, 1), 1U);
  EXPECT_EQ(limit_of(10, 11, 1), 1U);
  EXPECT_EQ(limit_of(10, 0, 0.01), 1U);
  EXPECT_EQ(limit_of(3, 0, 0.5), 1U);
  EXPECT_EQ(limit_of(kMax, 0, 1), kMax);
  EXPECT_EQ(limit_of(kMax, kMax - 1, 1), 1U);
  EXPECT_GT(limit_of(kMax, 0, std::nextafter(1.0, 0.0)), kMax - 10'000);
}

TEST(BatchId, IsDeterministicAndChangesWithTheJobOrAnyFile) {
  Weighed a = weighed("dir/a", 5);
  a.digest[15] = 1;
  const Weighed b = weighed("dir/b", 6);
  const auto changed = [&](const auto& change) {
    Weighed other = a;
    change(other);
    return id_of("job", {other, b});
  };
  const std::string id = id_of("job", {a, b});
  std::vector<std::string> ids = {
      id,
      id_of("job2", {a, b}),
      id_of("job", {b, a}),
      id_of("job", {a}),
      id_of("job", {b}),
      id_of("job", {}),
      id_of("job", {a, b, b}),
      changed([](Weighed& f) { f.path = "dir/A"; }),
      changed([](Weighed& f) { f.path += '\0'; }),
      changed([](Weighed& f) { f.tokens += std::uint64_t{1} << 56U; }),
      changed([](Weighed& f) { f.digest[15] = 2; }),
      changed([](Weighed& f) { f.digest[0] = 1; }),
      changed([](Weighed& f) { f.root = 1; }),
  };
  EXPECT_EQ(id, id_of("job", {a, b}));
  EXPECT_EQ(id, changed([](Weighed& f) { f.content = "kept by some and not by others"; }));
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

TEST(BatchId, IsAUuidOfVersion8) {
  for (int i = 0; i < 64; ++i) {
    const std::string id = id_of("job", {weighed("f", static_cast<std::uint64_t>(i))});
    ASSERT_EQ(id.size(), 36U);
    for (std::size_t at = 0; at < id.size(); ++at) {
      const bool is_dash = at == 8 || at == 13 || at == 18 || at == 23;
      EXPECT_TRUE(std::string_view(is_dash ? "-" : "0123456789abcdef").contains(id[at]));
    }
    EXPECT_EQ(id[14], '8') << "the version";
    EXPECT_TRUE(std::string_view("89ab").contains(id[19])) << "the variant";
  }
}

}  // namespace
}  // namespace tidemill::batch
