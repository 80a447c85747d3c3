#include "tidemill/engine/pool/slow_list.h"

#include <chrono>
#include <cstddef>

#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

using std::chrono::nanoseconds;

SlowAttempt attempt_of(std::size_t took) { return {.task = took, .took = nanoseconds(took)}; }

TEST(SlowList, TakesEverythingUntilItIsFull) {
  SlowList list;
  EXPECT_TRUE(list.wants(nanoseconds(0)));
  for (std::size_t i = 0; i + 1 < SlowList::kMost; ++i) list.add(attempt_of(5));
  EXPECT_TRUE(list.wants(nanoseconds(0)));
  list.add(attempt_of(5));
  EXPECT_FALSE(list.wants(nanoseconds(5)));
  EXPECT_TRUE(list.wants(nanoseconds(6)));
}

TEST(SlowList, KeepsTheSlowestAndGivesThemSlowestFirst) {
  SlowList list;
  for (std::size_t i = 1; i <= 1'000; ++i) {
    const std::size_t took = i * 7'919 % 1'009;  // every number below 1,009 at most once
    if (list.wants(nanoseconds(took))) list.add(attempt_of(took));
  }
  const auto all = list.all();
  ASSERT_EQ(all.size(), SlowList::kMost);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i].took, all[i - 1].took);
  std::size_t slower = 0;  // than the fastest of the list
  for (std::size_t i = 1; i <= 1'000; ++i) {
    if (nanoseconds(i * 7'919 % 1'009) > all.back().took) ++slower;
  }
  EXPECT_EQ(slower, SlowList::kMost - 1);
}

}  // namespace
}  // namespace tidemill::engine
