#include "tidemill/engine/pool/waitlist.h"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
const Instant kStart{1000h};

std::vector<TaskId> due(Waitlist& list, Instant now) {
  std::vector<TaskId> ids;
  while (auto task = list.take_due(now)) ids.push_back(task->traits.id);
  return ids;
}

TEST(Waitlist, ReturnsTasksInDueOrderAndNotBeforeTheyAreDue) {
  Waitlist list;
  list.add(kStart + 30ms, {[] {}, {.id = 3}});
  list.add(kStart + 10ms, {[] {}, {.id = 1}});
  list.add(kStart + 20ms, {[] {}, {.id = 2}});
  list.add(kStart + 10ms, {[] {}, {.id = 4}});
  EXPECT_EQ(list.next_due(), kStart + 10ms);
  EXPECT_TRUE(due(list, kStart + 10ms - 1ns).empty());
  EXPECT_EQ(due(list, kStart + 20ms), (std::vector<TaskId>{1, 4, 2}));
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(due(list, kStart + 1h), (std::vector<TaskId>{3}));
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.next_due(), std::nullopt);
}

}  // namespace
}  // namespace tidemill::engine
