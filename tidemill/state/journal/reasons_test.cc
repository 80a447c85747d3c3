#include "tidemill/state/journal/reasons.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/state/journal/sqlite_journal_rig.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::testing {
namespace {

using namespace engine;
using journal::Access;
using journal::FailureGroup;
using journal::Synchronous;
using std::chrono::seconds;

Died died(TaskId id, const std::string& reason, int at = 0) {
  return {.id = id,
          .failure = {.step = "run", .reason = reason},
          .at = WallTime(std::chrono::hours(400'000)) + seconds(at)};
}

std::vector<std::string> texts(const std::vector<FailureGroup>& groups) {
  std::vector<std::string> all;
  for (const FailureGroup& one : groups)
    all.push_back(std::to_string(one.count) + " " + one.reason);
  return all;
}

class ReasonsTest : public ::testing::Test {
 protected:
  void commit(std::vector<Entry> entries) { ASSERT_TRUE(journal_->commit(entries)); }
  void find(TaskId last) {
    std::vector<Entry> entries;
    for (TaskId id = 1; id <= last; ++id) entries.emplace_back(Found{.id = id});
    commit(std::move(entries));
  }
  [[nodiscard]] std::vector<std::string> groups() const {
    return texts(journal_->failure_groups(10'000).value());
  }

  const OwnFolder folder_;
  JournalPtr journal_ = open(folder_ / "j", Access::create, Synchronous::off);
};

TEST_F(ReasonsTest, FollowTasksThatAreRetriedDroppedAndFailAgain) {
  find(6);
  commit({died(1, "a"), died(2, "a"), died(3, "b"), died(4, "b"), died(5, "b")});
  EXPECT_EQ(groups(), (std::vector<std::string>{"3 b", "2 a"}));
  commit({Revived{.id = 3}, Abandoned{.id = 4}, Abandoned{.id = 4}, died(5, "a")});
  EXPECT_EQ(groups(), (std::vector<std::string>{"2 a", "1 b"}));  // the first reason of 5 stays
  commit({Revived{.id = 5}, died(3, "c")});
  EXPECT_EQ(groups(), (std::vector<std::string>{"2 a", "1 c"}));  // b has none left
  commit({died(5, "b"), Done{.id = 6}});
  EXPECT_EQ(groups(), (std::vector<std::string>{"2 a", "1 c", "1 b"}));
  EXPECT_EQ(findings(*journal_), std::vector<std::string>{});
}

TEST_F(ReasonsTest, HaveTheTimesOfTheirFirstAndLastFailure) {
  find(3);
  commit({died(1, "a", 5), died(2, "a", 2), died(3, "a", 9)});
  const auto groups = journal_->failure_groups(1).value();
  EXPECT_EQ(groups.at(0).first_at, died(0, "", 2).at);
  EXPECT_EQ(groups.at(0).last_at, died(0, "", 9).at);
}

TEST_F(ReasonsTest, ThoseBeyondTheLimitShareOneRow) {
  constexpr TaskId kTasks = journal::kMostReasons + 20;
  find(kTasks);
  std::vector<Entry> entries;
  for (TaskId id = 1; id <= kTasks; ++id) entries.push_back(died(id, "r" + std::to_string(id)));
  commit(std::move(entries));
  const auto all = journal_->failure_groups(10'000).value();
  ASSERT_EQ(all.size(), journal::kMostReasons + 1U);
  EXPECT_EQ(all.front().count, 20U);
  EXPECT_EQ(all.front().reason, "other reasons, too many to count apart");
  EXPECT_EQ(all.front().first, journal::kMostReasons + 1U);
  EXPECT_EQ(findings(*journal_), std::vector<std::string>{});
  // A reason whose last task is retried makes room for a new one.
  commit({Revived{.id = 7}, Revived{.id = kTasks}, died(7, "new"), died(kTasks, "newer")});
  EXPECT_EQ(journal_->failure_groups(10'000).value().size(), journal::kMostReasons + 1U);
  EXPECT_EQ(findings(*journal_), std::vector<std::string>{});
  auto db = store::Db::open(folder_ / "j", {.mode = store::Open::read}).value();
  auto rows = db.prepare("select count(*) from reason").value();
  EXPECT_EQ(rows.one<std::int64_t>().value(), journal::kMostReasons + 1);  // no empty ones
}

TEST_F(ReasonsTest, TheTasksOfOneAreListedInPages) {
  find(9);
  commit({died(2, "a"), died(3, "b"), died(5, "a"), died(7, "a"), died(8, "a"), Revived{.id = 5}});
  const std::int64_t reason = journal_->failure_groups(1).value().front().id;
  const auto ids = [&](TaskId after, std::size_t limit) {
    std::vector<TaskId> all;
    const auto page = journal_->failed_tasks(reason, after, limit).value();
    for (const TaskRecord& one : page) {
      EXPECT_EQ(one.state, TaskState::dead);
      EXPECT_EQ(one.failures->failure.reason, "a");
      all.push_back(one.id);
    }
    return all;
  };
  EXPECT_EQ(ids(0, 2), (std::vector<TaskId>{2, 7}));
  EXPECT_EQ(ids(7, 2), (std::vector<TaskId>{8}));
  EXPECT_EQ(ids(8, 2), std::vector<TaskId>{});
  EXPECT_TRUE(journal_->failed_tasks(reason + 100, 0, 9).value().empty());
  EXPECT_TRUE(journal_->has_reasons());
}

TEST_F(ReasonsTest, AreNotCountedByABatchThatIsRolledBack) {
  find(2);
  ASSERT_FALSE(journal_->commit(std::vector<Entry>{died(1, "a"), Done{.id = 99}}));
  EXPECT_EQ(groups(), std::vector<std::string>{});
  commit({died(1, "a"), died(2, "a")});
  EXPECT_EQ(groups(), (std::vector<std::string>{"2 a"}));
  EXPECT_EQ(findings(*journal_), std::vector<std::string>{});
}

TEST_F(ReasonsTest, AJournalOfTheVersionBeforeIsCountedWhenItIsOpened) {
  find(4);
  commit({died(1, "a"), died(2, "b"), died(3, "b"), died(4, "c"), Revived{.id = 4}});
  const auto before = journal_->failure_groups(9).value();
  journal_.reset();
  ASSERT_TRUE(
      store::Db::open(folder_ / "j")
          ->exec(
              "drop table reason; drop table failed_task; alter table trouble drop column counted;"
              "drop table series; drop table sample; drop table timing; drop table duration;"
              "drop table session; drop table slow; drop table part; drop table part_column; drop "
              "table part_row;"
              "pragma user_version = 2"));
  const auto old = open(folder_ / "j", Access::read)->failure_groups(9).value();
  EXPECT_EQ(texts(old), texts(before));
  EXPECT_FALSE(open(folder_ / "j", Access::read)->has_reasons());
  EXPECT_TRUE(open(folder_ / "j", Access::read)->failed_tasks(1, 0, 9).value().empty());
  EXPECT_EQ(open(folder_ / "j", Access::read)->history().value(), history::RunHistory{});
  journal_ = open(folder_ / "j", Access::own, Synchronous::off);
  const auto after = journal_->failure_groups(9).value();
  EXPECT_EQ(texts(after), texts(before));
  EXPECT_EQ(findings(*journal_), std::vector<std::string>{});
}

}  // namespace
}  // namespace tidemill::testing
