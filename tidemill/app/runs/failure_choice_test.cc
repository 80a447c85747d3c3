#include "tidemill/app/runs/failure_choice.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "tidemill/engine/memory_journal.h"

namespace tidemill::app {
namespace {

// Dead letters 1 … 2,500, the odd ones because of a timeout; 2,501 is done.
void fill(engine::MemoryJournal& journal) {
  for (engine::TaskId id = 1; id <= 2'501; ++id) {
    ASSERT_TRUE(journal.commit_one(engine::Found{.id = id, .type = "command"}));
    if (id > 2'500) continue;
    const std::string reason = id % 2 == 1 ? "timeout" : "exit status 1";
    ASSERT_TRUE(
        journal.commit_one(engine::Died{.id = id, .failure = {.step = "run", .reason = reason}}));
  }
  ASSERT_TRUE(journal.commit_one(engine::Done{.id = 2'501}));
}

TEST(FailureChoice, FindsAllFailuresAcrossPages) {
  engine::MemoryJournal journal;
  fill(journal);
  const auto all = chosen_letters({.is_all = true}, journal);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 2'500U);
  EXPECT_TRUE(std::ranges::is_sorted(*all));
}

TEST(FailureChoice, ChoosesFailuresWhoseReasonContainsTheText) {
  engine::MemoryJournal journal;
  fill(journal);
  EXPECT_EQ(chosen_letters({.reason = "timeo"}, journal)->size(), 1'250U);
  EXPECT_EQ(chosen_letters({.reason = "run: exit"}, journal)->size(), 1'250U);
  EXPECT_TRUE(chosen_letters({.reason = "nothing"}, journal)->empty());
}

TEST(FailureChoice, NamesATaskThatHasNotFailed) {
  engine::MemoryJournal journal;
  fill(journal);
  const auto done = chosen_letters({.tasks = {1, 2'501}}, journal);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().step, "task 2501");
  EXPECT_EQ(done.error().reason, "not a failed task: it is done; nothing was changed");
  const auto unknown = chosen_letters({.tasks = {9'999, 1}}, journal);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().step, "task 9999");
  EXPECT_EQ(unknown.error().reason, "no such task; nothing was changed");
}

command::Values values_of(std::vector<std::string> tasks, bool is_all, const std::string& reason) {
  command::Values values;
  values.arguments["TASK"] = std::move(tasks);
  if (is_all) values.flags["all"] = {.texts = {"true"}};
  if (!reason.empty()) values.flags["reason"] = {.texts = {reason}};
  return values;
}

TEST(FailureChoice, ATaskNamedTwiceIsChosenOnce) {
  EXPECT_EQ(choice_of(values_of({"3", "1", "3"}, false, ""))->tasks,
            (std::vector<engine::TaskId>{3, 1}));
}

TEST(FailureChoice, RejectsMoreThanOneWayToChoose) {
  EXPECT_EQ(choice_of(values_of({"3"}, true, "")).error().step, "usage");
  EXPECT_EQ(choice_of(values_of({"3"}, false, "x")).error().step, "usage");
  EXPECT_EQ(choice_of(values_of({}, true, "x")).error().step, "usage");
  EXPECT_TRUE(choice_of(values_of({}, false, ""))->is_empty());
}

}  // namespace
}  // namespace tidemill::app
