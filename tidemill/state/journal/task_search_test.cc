#include "tidemill/state/journal/task_search.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/state/journal/sqlite_journal_rig.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::testing {
namespace {

using namespace engine;
using journal::Access;
using journal::FoundTasks;
using journal::Synchronous;
using journal::TaskSearch;

class TaskSearchTest : public ::testing::Test {
 protected:
  static constexpr TaskId kTasks = 1'000;

  void SetUp() override {
    std::vector<Entry> entries;
    for (TaskId id = 1; id <= kTasks; ++id) {
      entries.emplace_back(
          Found{.id = id, .subject = "/Photos/year-" + std::to_string(id) + ".JPG"});
    }
    entries.emplace_back(Done{.id = 40});
    entries.emplace_back(Done{.id = 900});
    entries.emplace_back(Died{.id = 41, .failure = {.step = "run", .reason = "x"}});
    ASSERT_TRUE(journal_->commit(entries));
  }

  [[nodiscard]] FoundTasks found(const TaskSearch& search) const {
    return journal_->search(search, [] { return true; }).value();
  }
  static std::vector<TaskId> ids(const FoundTasks& found) {
    std::vector<TaskId> all;
    for (const TaskRecord& one : found.tasks) all.push_back(one.id);
    return all;
  }

  const OwnFolder folder_;
  JournalPtr journal_ = open(folder_ / "j", Access::create, Synchronous::off);
};

TEST_F(TaskSearchTest, FindsPartsOfSubjectsInEitherCase) {
  const auto result = found({.text = "photos/YEAR-77"});
  EXPECT_EQ(ids(result),
            (std::vector<TaskId>{77, 770, 771, 772, 773, 774, 775, 776, 777, 778, 779}));
  EXPECT_TRUE(result.is_over);
  EXPECT_EQ(result.searched_to, kTasks);
  EXPECT_EQ(ids(found({.text = "nothing"})), std::vector<TaskId>{});
}

TEST_F(TaskSearchTest, TakesTasksInOneStateOnly) {
  EXPECT_EQ(ids(found({.state = TaskState::done})), (std::vector<TaskId>{40, 900}));
  EXPECT_EQ(ids(found({.state = TaskState::dead, .text = ".jpg"})), (std::vector<TaskId>{41}));
  EXPECT_EQ(ids(found({.limit = 200, .state = TaskState::pending, .text = "year-4"})).size(), 109U);
  EXPECT_EQ(ids(found({.state = TaskState::skipped})), std::vector<TaskId>{});
}

TEST_F(TaskSearchTest, GoesOnBehindThePageBefore) {
  const auto first = found({.limit = 3, .text = "year-77"});
  EXPECT_EQ(ids(first), (std::vector<TaskId>{77, 770, 771}));
  EXPECT_FALSE(first.is_over);
  const auto second = found({.after = first.searched_to, .limit = 3, .text = "year-77"});
  EXPECT_EQ(ids(second), (std::vector<TaskId>{772, 773, 774}));
}

TEST_F(TaskSearchTest, APageThatEndsWithTheLastTaskIsOver) {
  const auto last = found({.after = 998, .limit = 2, .text = "year"});
  EXPECT_EQ(ids(last), (std::vector<TaskId>{999, 1'000}));
  EXPECT_TRUE(last.is_over);
}

TEST_F(TaskSearchTest, SaysHowFarItCameWhenItsTimeIsUp) {
  TaskId after = 0;
  std::vector<TaskId> all;
  int slices = 0;
  for (bool is_over = false; !is_over; ++slices) {
    ASSERT_LT(slices, 100);
    const auto slice =
        journal_->search({.after = after, .state = TaskState::done}, [] { return false; }).value();
    for (const TaskId id : ids(slice)) all.push_back(id);
    EXPECT_GT(slice.searched_to, after);  // each slice comes further
    after = slice.searched_to;
    is_over = slice.is_over;
  }
  EXPECT_EQ(all, (std::vector<TaskId>{40, 900}));
  EXPECT_GT(slices, 1);
}

}  // namespace
}  // namespace tidemill::testing
