#include "tidemill/engine/fleet/task_table.h"

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/dice.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;

constexpr ParcelId kFirst{.epoch = 1, .number = 1};
constexpr ParcelId kSecond{.epoch = 1, .number = 2};

struct TableOfTasks : ::testing::Test {
  void add(TaskId id, int crashes = 0) {
    table.add({.id = id, .crashes = crashes}, "payload " + std::to_string(id));
  }
  std::vector<TaskId> take(std::size_t limit, bool with_suspects = false) {
    taken = table.take(limit, kib(64), with_suspects);
    std::vector<TaskId> ids;
    for (const FleetTask& task : taken) ids.push_back(task.id);
    return ids;
  }
  void send(ParcelId id, std::size_t limit = 100, bool with_suspects = true) {
    (void)take(limit, with_suspects);
    table.launch(id, taken);
  }
  bool settle(ParcelId parcel, const TaskReport& report) {
    return table.settle(parcel, report, now, {}, dice, entries);
  }
  template <class Event>
  [[nodiscard]] const Event* last() const {
    return entries.empty() ? nullptr : std::get_if<Event>(&entries.back());
  }

  FleetTaskTable table{{.retry = {.max_attempts = 2, .first_delay = 1s}, .most_crashes = 2}};
  std::vector<FleetTask> taken;
  std::vector<Entry> entries;
  SeededDice dice{1};
  Instant now{1h};
};

const Failure kBusy{.cure = Cure::retry, .step = "open", .reason = "busy"};
const Failure kBroken{.cure = Cure::give_up, .step = "open", .reason = "broken"};

TEST_F(TableOfTasks, TakesTasksInOrderUpToTheLimits) {
  for (TaskId id = 1; id <= 5; ++id) add(id);
  EXPECT_EQ(take(2), (std::vector<TaskId>{1, 2}));
  EXPECT_EQ(taken[0].payload, "payload 1");
  FleetTaskTable small({});
  small.add({.id = 1}, std::string(1'000, 'x'));
  small.add({.id = 2}, std::string(1'000, 'x'));
  EXPECT_EQ(small.take(9, Bytes{1'500}, false).size(), 1U);
  EXPECT_EQ(small.take(9, Bytes{5}, false).size(), 1U);  // a large one goes alone
}

TEST_F(TableOfTasks, ALandedParcelMakesItsTasksReadyAgain) {
  add(1);
  add(2);
  send(kFirst);
  EXPECT_EQ(table.ready(), 0U);
  EXPECT_GT(table.bytes_in_flight(), Bytes{});
  table.land(kFirst);
  EXPECT_EQ(table.bytes_in_flight(), Bytes{});
  EXPECT_EQ(take(9), (std::vector<TaskId>{1, 2}));
}

TEST_F(TableOfTasks, AnOldParcelDoesNotReleaseATaskThatWasSentAgain) {
  add(1);
  send(kFirst);
  table.land(kFirst);
  send(kSecond);
  EXPECT_FALSE(settle(kFirst, {.id = 1, .end = TaskEnd::returned}));
  table.land(kFirst);
  EXPECT_EQ(table.ready(), 0U);
  EXPECT_TRUE(settle(kSecond, {.id = 1, .end = TaskEnd::returned}));
  EXPECT_EQ(table.ready(), 1U);
}

TEST_F(TableOfTasks, LandingOneParcelLeavesTheOthers) {
  add(1);
  send(kFirst);
  table.adopt_parcel({.id = kSecond, .tasks = {{.id = 1}}});  // a copy, sent earlier
  table.land(kFirst);
  EXPECT_EQ(table.ready(), 0U);
  table.land(kSecond);
  EXPECT_EQ(table.ready(), 1U);
}

TEST_F(TableOfTasks, AResultCountsFromWhicheverParcelItComes) {
  add(1);
  send(kFirst);
  table.land(kFirst);
  send(kSecond);
  EXPECT_TRUE(settle(kFirst, {.id = 1, .end = TaskEnd::done, .text = "r"}));
  ASSERT_NE(last<Done>(), nullptr);
  EXPECT_EQ(last<Done>()->result, "r");
  EXPECT_FALSE(settle(kSecond, {.id = 1, .end = TaskEnd::done, .text = "other"}));
  EXPECT_EQ(table.size(), 0U);
}

TEST_F(TableOfTasks, AFailureCountsOnceAndIsRetriedWhenItIsDue) {
  add(1);
  send(kFirst);
  const TaskReport failed{.id = 1, .attempt = 1, .end = TaskEnd::failed, .failure = kBusy};
  EXPECT_TRUE(settle(kFirst, failed));
  ASSERT_NE(last<Attempted>(), nullptr);
  EXPECT_FALSE(settle(kFirst, failed));
  EXPECT_EQ(entries.size(), 1U);
  table.land(kFirst);
  EXPECT_TRUE(take(9).empty());
  table.wake(now + 1s);
  send(kSecond);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].attempt, 2);
  EXPECT_FALSE(settle(kSecond, failed));  // the report of the first attempt, again
  EXPECT_TRUE(settle(kSecond, {.id = 1, .attempt = 2, .end = TaskEnd::failed, .failure = kBusy}));
  ASSERT_NE(last<Died>(), nullptr);
  EXPECT_EQ(last<Died>()->attempts, 2);
}

TEST_F(TableOfTasks, APermanentFailureIsNotRetried) {
  add(1);
  send(kFirst);
  EXPECT_TRUE(settle(kFirst, {.id = 1, .end = TaskEnd::failed, .failure = kBroken}));
  ASSERT_NE(last<Died>(), nullptr);
  EXPECT_EQ(table.size(), 0U);
}

TEST_F(TableOfTasks, ATaskThatWasPutOffHasNotUsedAnAttempt) {
  add(1);
  send(kFirst);
  const TaskReport later{
      .id = 1, .end = TaskEnd::failed, .failure = {.cure = Cure::later, .not_before = 5s}};
  EXPECT_TRUE(settle(kFirst, later));
  EXPECT_TRUE(entries.empty());
  table.land(kFirst);
  table.wake(now + 4s);
  EXPECT_TRUE(take(9).empty());
  table.wake(now + 5s);
  send(kSecond);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].attempt, 1);
  EXPECT_FALSE(settle(kFirst, later));  // arrives again: it is not about this parcel
}

TEST_F(TableOfTasks, ASuspectTravelsAloneAfterAllOthersAndDiesOfItsCrashes) {
  add(1);
  add(2);
  send(kFirst);
  const TaskReport crashed{.id = 1, .end = TaskEnd::crashed};
  EXPECT_TRUE(settle(kFirst, crashed));
  EXPECT_FALSE(settle(kFirst, crashed));
  EXPECT_TRUE(settle(kFirst, {.id = 2, .end = TaskEnd::returned}));
  table.land(kFirst);
  EXPECT_EQ(take(9, true), (std::vector<TaskId>{2}));
  EXPECT_TRUE(take(9, false).empty());
  send(kSecond);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].crashes, 1);
  EXPECT_TRUE(settle(kSecond, {.id = 1, .crashes = 1, .end = TaskEnd::crashed}));
  ASSERT_NE(last<Died>(), nullptr);
  EXPECT_EQ(last<Died>()->id, TaskId{1});
}

TEST_F(TableOfTasks, AnAdoptedTaskIsNotSentAgain) {
  table.adopt({.id = 1}, "payload");
  table.adopt_parcel({.id = kFirst, .tasks = {{.id = 1}}});
  add(1);
  EXPECT_TRUE(take(9).empty());
  EXPECT_TRUE(settle(kFirst, {.id = 1, .end = TaskEnd::done}));
  EXPECT_EQ(table.size(), 0U);
}

TEST_F(TableOfTasks, ATaskThatSettledBeforeItWasAddedStaysSettled) {
  table.adopt({.id = 1}, "payload");
  table.adopt_parcel({.id = kFirst, .tasks = {{.id = 1}}});
  EXPECT_TRUE(settle(kFirst, {.id = 1, .end = TaskEnd::done}));
  add(1);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_TRUE(take(9).empty());
}

TEST_F(TableOfTasks, ATaskKnownFromAReportOnlyWaitsForItsPayload) {
  table.adopt({.id = 1}, std::nullopt);
  EXPECT_TRUE(settle(kFirst, {.id = 1, .end = TaskEnd::crashed}));
  EXPECT_TRUE(take(9, true).empty());
  EXPECT_EQ(table.ahead(), 0U);  // it does not take the room of those that have one
  add(1);
  EXPECT_EQ(take(9, true), (std::vector<TaskId>{1}));
}

TEST_F(TableOfTasks, AParcelWithAnEarlierTryDoesNotHoldTheTask) {
  table.adopt({.id = 1, .attempts = 1}, "payload");
  table.adopt_parcel({.id = kFirst, .tasks = {{.id = 1, .attempt = 1}}});
  EXPECT_EQ(take(9), (std::vector<TaskId>{1}));
  EXPECT_EQ(taken[0].attempt, 2);
}

}  // namespace
}  // namespace tidemill::engine
