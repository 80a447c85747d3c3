#include "tidemill/engine/pool/backlog.h"

#include <algorithm>
#include <deque>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::engine {
namespace {

constexpr unsigned kNoAgeing = 60'000;

Task task(TaskId id, Priority priority = Priority::normal, std::uint64_t weight = 0) {
  return {[] {}, {.id = id, .priority = priority, .weight = weight}};
}

// From the inbox to the ready list, as a producer and a worker together do it.
void push(Backlog& backlog, Task&& a_task) {
  if (!backlog.has_slot()) backlog.make_slots();
  backlog.put(std::move(a_task));
}

Task pop(Backlog& backlog) {
  if (backlog.empty() || backlog.should_drain_inbox()) backlog.drain_inbox();
  return backlog.pop();
}

std::size_t size(const Backlog& backlog) { return backlog.in_inbox() + backlog.ready(); }

std::vector<TaskId> drain(Backlog& backlog) {
  std::vector<TaskId> ids;
  while (size(backlog) > 0) ids.push_back(pop(backlog).traits.id);
  return ids;
}

TEST(Backlog, HigherPrioritiesGoFirstAndEqualPrioritiesKeepTheirOrder) {
  Backlog backlog(TaskOrder::first_come, kNoAgeing);
  push(backlog, task(1, Priority::low));
  push(backlog, task(2, Priority::normal));
  push(backlog, task(3, Priority::urgent));
  push(backlog, task(4, Priority::normal));
  push(backlog, task(5, Priority::high));
  push(backlog, task(6, Priority::urgent));
  EXPECT_EQ(drain(backlog), (std::vector<TaskId>{3, 6, 5, 2, 4, 1}));
}

TEST(Backlog, ALowPriorityIsNotStarvedWhileHigherWorkKeepsComing) {
  constexpr unsigned kAgeing = 8;
  Backlog backlog(TaskOrder::first_come, kAgeing);
  push(backlog, task(1, Priority::low));
  push(backlog, task(2, Priority::normal));
  unsigned starts = 0;
  bool low_started = false;
  while (!low_started && starts < 1'000) {
    push(backlog, task(100 + starts, Priority::urgent));
    low_started = pop(backlog).traits.id == 1;
    ++starts;
  }
  EXPECT_TRUE(low_started);
  EXPECT_LE(starts, Backlog::kInboxCheckEvery + kAgeing * kPriorities);
  EXPECT_GT(starts, kAgeing) << "ageing must not turn priorities off";
}

TEST(Backlog, SmallestFirstTakesTheLightestAndKeepsTheOrderOfEqualWeights) {
  Backlog backlog(TaskOrder::smallest_first, kNoAgeing);
  push(backlog, task(1, Priority::normal, 500));
  push(backlog, task(2, Priority::normal, 10));
  push(backlog, task(3, Priority::normal, 70));
  push(backlog, task(4, Priority::normal, 10));
  push(backlog, task(5, Priority::urgent, 900));
  EXPECT_EQ(drain(backlog), (std::vector<TaskId>{5, 2, 4, 3, 1}));
}

TEST(Backlog, SmallestFirstDoesNotStarveALargeTask) {
  constexpr unsigned kAgeing = 8;
  Backlog backlog(TaskOrder::smallest_first, kAgeing);
  push(backlog, task(1, Priority::normal, 1'000'000));
  unsigned starts = 0;
  bool large_started = false;
  while (!large_started && starts < 1'000) {
    push(backlog, task(100 + starts, Priority::normal, 1));
    large_started = pop(backlog).traits.id == 1;
    ++starts;
  }
  EXPECT_TRUE(large_started);
  EXPECT_EQ(starts, kAgeing + 1);
}

TEST(Backlog, KeepsTheTraitsAndAttemptOfATask) {
  Backlog backlog(TaskOrder::smallest_first, kNoAgeing);
  Task in = task(9, Priority::high, 42);
  in.traits.type = 3;
  in.attempt = 5;
  push(backlog, std::move(in));
  const Task out = pop(backlog);
  EXPECT_EQ(out.traits.id, 9U);
  EXPECT_EQ(out.traits.type, 3);
  EXPECT_EQ(out.traits.priority, Priority::high);
  EXPECT_EQ(out.traits.weight, 42U);
  EXPECT_EQ(out.attempt, 5);
}

// For any order and ageing: every task comes out once, and within a priority the order is as
// promised whenever ageing does not apply.
RC_GTEST_PROP(Backlog, NeitherLosesNorDuplicatesTasksAndMatchesTheOrderOfTheModel, ()) {
  const auto order = *rc::gen::element(TaskOrder::first_come, TaskOrder::smallest_first);
  Backlog backlog(order, kNoAgeing);
  struct Waiting {
    TaskId id;
    Priority priority;
    std::uint64_t weight;
  };
  std::vector<Waiting> model;
  TaskId next = 1;
  const auto moves = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
  for (const int move : moves) {
    if (move < 60 || model.empty()) {
      const auto priority = static_cast<Priority>(*rc::gen::inRange(0, 4));
      const auto weight = *rc::gen::inRange<std::uint64_t>(0, 4);
      model.push_back({next, priority, weight});
      push(backlog, task(next++, priority, weight));
    } else {
      const auto first = std::ranges::min_element(model, [&](const auto& a, const auto& b) {
        if (a.priority != b.priority) return a.priority < b.priority;
        return order == TaskOrder::smallest_first && a.weight < b.weight;
      });
      RC_ASSERT(pop(backlog).traits.id == first->id);
      model.erase(first);
    }
    RC_ASSERT(size(backlog) == model.size());
  }
}

}  // namespace
}  // namespace tidemill::engine
