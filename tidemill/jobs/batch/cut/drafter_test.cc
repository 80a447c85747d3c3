#include "tidemill/jobs/batch/cut/drafter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/jobs/batch/cut/sample_weighed.h"

namespace tidemill::batch {
namespace {

// An input of the drafter: a file, or one that is in no batch.
struct Met {
  std::uint64_t tokens = 0;
  int kind = 0;  // 0: file, 1: skipped, 2: failed, 3: a folder that failed
};

std::vector<BatchDraft> drafts_of(const std::vector<Met>& all, std::size_t first,
                                  BatchLimits limits) {
  Drafter drafter(Cutter(limits, "job"));
  std::vector<BatchDraft> drafts;
  const auto keep = [&](std::optional<BatchDraft> draft) {
    if (draft) drafts.push_back(*std::move(draft));
  };
  for (std::size_t i = first; i < all.size(); ++i) {
    const std::string name = std::to_string(i);
    if (all[i].kind == 0) {
      keep(drafter.add(weighed(name, all[i].tokens)));
      continue;
    }
    UnbatchedFile row{.at = {.root = 0, .path = name}, .is_folder = all[i].kind == 3};
    if (all[i].kind == 1) row.reason = "binary";
    if (all[i].kind > 1) row.failure = Failure{.step = "open", .reason = name};
    keep(drafter.add_unbatched(std::move(row)));
  }
  keep(drafter.finish());
  return drafts;
}

std::string text_of(const BatchDraft& draft) {
  std::string text = "<" + std::to_string(draft.rows_before) + ">";
  for (const UnbatchedFile& row : draft.rows) {
    text += " " + row.at.path + (row.failure ? "!" + row.failure->reason : row.reason);
  }
  if (draft.batch) text += " [" + draft.batch->id + "]";
  return text + " -> " + text_of(draft.cursor);
}

void expect_drafts_hold(const std::vector<Met>& all, BatchLimits limits) {
  const std::vector<BatchDraft> drafts = drafts_of(all, 0, limits);
  std::vector<bool> seen(all.size(), false);
  std::size_t begin = 0;
  for (std::size_t d = 0; d < drafts.size(); ++d) {
    const BatchDraft& draft = drafts[d];
    RC_ASSERT(draft.rows.size() <= Drafter::kMostRows);
    RC_ASSERT(draft.rows_before <= draft.rows.size());
    RC_ASSERT(draft.batch || !draft.rows.empty());
    std::vector<std::size_t> places;
    for (const UnbatchedFile& row : draft.rows) places.push_back(std::stoul(row.at.path));
    const auto rows = places.size();
    if (draft.batch) {
      for (const Weighed& one : draft.batch->files) places.push_back(std::stoul(one.path));
      const std::size_t last = places.back();
      RC_ASSERT(std::count_if(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(rows),
                              [&](std::size_t at) { return at < last; }) ==
                static_cast<std::ptrdiff_t>(draft.rows_before));
    }
    RC_ASSERT(std::is_sorted(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(rows)));
    RC_ASSERT(std::is_sorted(places.begin() + static_cast<std::ptrdiff_t>(rows), places.end()));
    // Everything between the last cursor and this one, and nothing else.
    const std::size_t end = std::stoul(draft.cursor.path) + 1;
    std::ranges::sort(places);
    RC_ASSERT(places.size() == end - begin);
    for (std::size_t i = 0; i < places.size(); ++i) RC_ASSERT(places[i] == begin + i);
    begin = end;
    // A drafter that starts after the cursor makes the same drafts of the rest.
    const std::vector<BatchDraft> rest = drafts_of(all, end, limits);
    RC_ASSERT(rest.size() == drafts.size() - d - 1);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      RC_ASSERT(text_of(rest[i]) == text_of(drafts[d + 1 + i]));
    }
  }
  RC_ASSERT(begin == all.size());
}

RC_GTEST_PROP(Drafter, ResumingAfterAnyDraftYieldsTheSameDrafts, ()) {
  const auto all = *rc::gen::container<std::vector<Met>>(rc::gen::build<Met>(
      rc::gen::set(&Met::tokens, rc::gen::inRange<std::uint64_t>(0, 14)),
      rc::gen::set(&Met::kind, rc::gen::weightedElement<int>({{6, 0}, {2, 1}, {1, 2}, {1, 3}}))));
  const auto limit = *rc::gen::inRange<std::uint64_t>(1, 20);
  expect_drafts_hold(all, {.cost = limit, .files = *rc::gen::inRange<std::size_t>(1, 5)});
}

TEST(Drafter, LimitsTheRowsOfADraft) {
  const auto run = [](std::vector<Met> all) {
    (void)rc::check([&] { expect_drafts_hold(all, {.cost = 10, .files = 3}); });
    return drafts_of(all, 0, {.cost = 10, .files = 3});
  };
  std::vector<Met> all(2'500, Met{.kind = 1});
  EXPECT_EQ(run(all).size(), 3U);
  all[10] = {.tokens = 1};
  const auto drafts = run(all);
  ASSERT_EQ(drafts.size(), 3U);
  ASSERT_TRUE(drafts[0].batch) << "it is closed with one file";
  EXPECT_EQ(drafts[0].rows_before, 10U);
  EXPECT_EQ(drafts[0].rows.size(), 1'000U);
  EXPECT_EQ(run({}).size(), 0U);
}

TEST(Drafter, ResumesAtAnyBoundaryOfManyRows) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Met> all(3'200);
    const auto step = *rc::gen::inRange<std::size_t>(150, 1'100);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = {.tokens = i % 7, .kind = i % step == 0 ? 0 : 1};
    }
    expect_drafts_hold(all, {.cost = 10, .files = 3});
  }));
}

}  // namespace
}  // namespace tidemill::batch
