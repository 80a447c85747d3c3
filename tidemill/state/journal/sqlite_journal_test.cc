#include "tidemill/state/journal/sqlite_journal.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tidemill/state/journal/sqlite_journal_rig.h"
#include "tidemill/testing/journal_contract.h"
#include "tidemill/testing/journal_model.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::testing {
namespace {

using namespace engine;
using journal::Access;
using journal::FailureGroup;
using journal::ListOrder;
using journal::Note;
using journal::SqliteJournal;
using journal::Synchronous;

std::unique_ptr<Journal> fresh(Synchronous synchronous) {
  static const OwnFolder folder;
  static std::atomic<int> count = 0;
  return open(folder / std::to_string(++count), Access::create, synchronous);
}

INSTANTIATE_TEST_SUITE_P(
    Sqlite, JournalContract,
    ::testing::Values(JournalMaker{
        .name = "sqlite", .make = [] { return fresh(Synchronous::off); }, .raced_letters = 100}));

TEST(SqliteJournal, EverythingSurvivesCloseAndReopen) {
  const OwnFolder folder;
  JournalModel model;
  const auto entries = varied_entries();
  ASSERT_TRUE(model.commit(entries));
  {
    const auto journal = open(folder / "j");
    const Note note{.key = "job", .value = std::string("\0\xff", 2)};
    ASSERT_TRUE(journal->commit(entries, {&note, 1}));
    EXPECT_EQ(model.difference(*journal), "");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "j-wal"));
  for (const Access access : {Access::own, Access::read}) {
    const auto journal = open(folder / "j", access);
    EXPECT_EQ(model.difference(*journal), "");
    EXPECT_EQ(journal->note("job").value(), std::string("\0\xff", 2));
    EXPECT_EQ(journal->note("none").value(), std::nullopt);
    EXPECT_EQ(findings(*journal), std::vector<std::string>{});
  }
}

TEST(SqliteJournal, ARandomHistoryOverSeveralReopensAgreesWithTheModel) {
  EXPECT_TRUE(rc::check("reopened journal and model agree", [](const std::vector<Draw>& draws) {
    const OwnFolder folder;
    auto journal = open(folder / "j", Access::create, Synchronous::off);
    JournalModel model;
    std::vector<Entry> batch;
    for (const Draw& draw : draws) {
      batch.push_back(next_entry(draw, model, batch));
      if (!std::get<bool>(draw)) continue;
      RC_ASSERT(journal->commit(batch).has_value() == model.commit(batch));
      if (std::get<2>(draw) % 4 == 0) {
        journal.reset();
        journal = open(folder / "j", Access::own, Synchronous::off);
      }
      RC_ASSERT(model.difference(*journal) == "");
      RC_ASSERT(findings(*journal).empty());
      batch.clear();
    }
  }));
}

TEST(SqliteJournal, NewOwnerFencesOffTheOldOwner) {
  const OwnFolder folder;
  const auto first = open(folder / "j");
  ASSERT_TRUE(first->commit_one(Found{.id = 1}));
  const auto second = open(folder / "j", Access::own);
  EXPECT_EQ(second->epoch(), first->epoch() + 1);
  const Note note{.key = "k", .value = "v"};
  const Entry entries[] = {Done{.id = 1}, Found{.id = 2}};
  const auto refused = first->commit(entries, {&note, 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, Cure::give_up);
  EXPECT_EQ(refused.error().reason, "another process has taken over this run");
  EXPECT_EQ(second->tally(), (Tally{.counts = {1}}));
  EXPECT_EQ(second->note("k").value(), std::nullopt);
  EXPECT_TRUE(second->commit(entries));
  const auto reader = open(folder / "j", Access::read);
  EXPECT_EQ(reader->epoch(), second->epoch());
  EXPECT_TRUE(second->commit_one(Found{.id = 3}));
}

TEST(SqliteJournal, ReaderSeesCommitsButCannotCommit) {
  const OwnFolder folder;
  const auto owner = open(folder / "j");
  const auto reader = open(folder / "j", Access::read);
  ASSERT_TRUE(owner->commit_one(Found{.id = 1, .subject = "a"}));
  EXPECT_EQ(reader->task(1), owner->task(1));
  EXPECT_EQ(reader->commit_one(Done{.id = 1}).error().cure, Cure::give_up);
  EXPECT_EQ(reader->tally(), (Tally{.counts = {1}}));
}

TEST(SqliteJournal, RefusesMissingEmptyForeignAndNewerFiles) {
  const OwnFolder folder;
  EXPECT_FALSE(SqliteJournal::open({.path = folder / "none", .access = Access::own}));
  EXPECT_FALSE(SqliteJournal::open({.path = folder / "none", .access = Access::read}));
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
  std::ofstream(folder / "empty").close();
  EXPECT_FALSE(SqliteJournal::open({.path = folder / "empty", .access = Access::own}));
  EXPECT_EQ(std::filesystem::file_size(folder / "empty"), 0U);
  ASSERT_TRUE(store::Db::open(folder / "other")->exec("create table t(n)"));
  EXPECT_FALSE(SqliteJournal::open({.path = folder / "other", .access = Access::create}));
  EXPECT_FALSE(std::filesystem::exists(folder / "other-wal"));
  open(folder / "newer").reset();
  ASSERT_TRUE(store::Db::open(folder / "newer")->exec("pragma user_version = 9"));
  const auto newer = SqliteJournal::open({.path = folder / "newer", .access = Access::own});
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().reason.find("has version 9"), std::string::npos);
}

TEST(SqliteJournal, PreservesSubjectsByteForByte) {
  const OwnFolder folder;
  const auto journal = open(folder / "j", Access::create, Synchronous::off);
  const std::vector<std::string> subjects = {
      "", "/", "//", "a", "a/", "/a", "a/b", "a//b", "\n/\xff", std::string("\0/\0", 3), "a/b/"};
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    ASSERT_TRUE(journal->commit_one(Found{.id = i + 1, .subject = subjects[i]}));
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    EXPECT_EQ(journal->task(i + 1).value()->subject, subjects[i]);
  }
  EXPECT_EQ(findings(*journal), std::vector<std::string>{});
}

TEST(SqliteJournal, DoesNotCacheFoldersFromARefusedBatch) {
  const OwnFolder folder;
  const auto journal = open(folder / "j", Access::create, Synchronous::off);
  const Entry wrong[] = {Found{.id = 1, .type = "t", .subject = "x/1"}, Done{.id = 9}};
  ASSERT_FALSE(journal->commit(wrong));
  ASSERT_TRUE(journal->commit_one(Found{.id = 1, .type = "u", .subject = "y/1"}));
  ASSERT_TRUE(journal->commit_one(Found{.id = 2, .type = "t", .subject = "x/2"}));
  EXPECT_EQ(journal->task(1).value()->subject, "y/1");
  EXPECT_EQ(journal->task(2).value()->subject, "x/2");
  EXPECT_EQ(journal->task(2).value()->type, "t");
  EXPECT_EQ(findings(*journal), std::vector<std::string>{});
}

TEST(SqliteJournal, AFullDiskRefusesACommitUntilThereIsRoom) {
  const OwnFolder folder;
  const auto journal = open(folder / "j");
  ASSERT_TRUE(journal->commit_one(Found{.id = 1, .subject = "a/1"}));
  JournalModel model;
  ASSERT_TRUE(model.commit(std::vector<Entry>{Found{.id = 1, .subject = "a/1"}}));
  std::vector<Entry> batch;
  for (TaskId id = 2; id <= 3'000; ++id) {
    batch.push_back(Found{.id = id, .subject = "b/" + std::string(20, 'x')});
  }
  ASSERT_TRUE(journal->limit_size(kib(100)));
  for (int i = 0; i < 2; ++i) {
    const auto full = journal->commit(batch);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().cure, Cure::retry);
    EXPECT_EQ(full.error().step, "disk full");
    EXPECT_EQ(model.difference(*journal), "");
  }
  ASSERT_TRUE(journal->limit_size(mib(100)));
  ASSERT_TRUE(journal->commit(batch));
  EXPECT_EQ(journal->tally(), (Tally{.counts = {3'000}}));
  EXPECT_EQ(journal->task(3'000).value()->subject, "b/" + std::string(20, 'x'));
  EXPECT_EQ(findings(*journal), std::vector<std::string>{});
}

TEST(SqliteJournal, ReturnsPendingIdsInTheRequestedOrder) {
  const OwnFolder folder;
  const auto journal = open(folder / "j", Access::create, Synchronous::off);
  const Entry entries[] = {Found{.id = 1, .subject = "b/1", .weight = 5},
                           Found{.id = 2, .subject = "a/9", .weight = UINT64_MAX},
                           Found{.id = 3, .subject = "z", .weight = 7},
                           Found{.id = 4, .subject = "a/8", .weight = 5},
                           Found{.id = 5, .subject = "a/0", .weight = 0},
                           Done{.id = 5}};
  ASSERT_TRUE(journal->commit(entries));
  using Ids = std::vector<TaskId>;
  EXPECT_EQ(journal->pending_ids(ListOrder::by_id), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(journal->pending_ids(ListOrder::by_weight), (Ids{1, 4, 3, 2}));
  EXPECT_EQ(journal->pending_ids(ListOrder::by_name), (Ids{3, 4, 2, 1}));
}

TEST(SqliteJournal, TasksCanBePagedByState) {
  const OwnFolder folder;
  const auto journal = open(folder / "j", Access::create, Synchronous::off);
  ASSERT_TRUE(journal->commit(varied_entries()));
  const auto tally = journal->tally().value();
  for (std::size_t s = 0; s < kTaskStates; ++s) {
    const auto state = static_cast<TaskState>(s);
    std::size_t seen = 0;
    for (TaskId after = 0;;) {
      const auto page = journal->tasks(after, 3, state).value();
      for (const TaskRecord& record : page) EXPECT_EQ(record.state, state);
      seen += page.size();
      if (page.size() < 3) break;
      after = page.back().id;
    }
    EXPECT_EQ(seen, tally.of(state)) << name_of(state);
  }
  EXPECT_EQ(journal->tasks(0, 99)->size(), 40U);
}

TEST(SqliteJournal, GroupsFailuresMostFrequentFirst) {
  const OwnFolder folder;
  const auto journal = open(folder / "j", Access::create, Synchronous::off);
  const Failure gone{.step = "open", .reason = "gone"};
  const Failure slow{.step = "read", .reason = "timed out"};
  for (TaskId id = 1; id <= 6; ++id) {
    ASSERT_TRUE(journal->commit_one(Found{.id = id, .subject = "d/" + std::to_string(id)}));
    ASSERT_TRUE(journal->commit_one(Died{.id = id, .failure = id % 3 == 1 ? gone : slow}));
  }
  ASSERT_TRUE(journal->commit_one(Abandoned{.id = 2}));
  const FailureGroup slowly{
      .id = 2, .step = "read", .reason = "timed out", .count = 3, .first = 3, .example = "d/3"};
  const FailureGroup lost{
      .id = 1, .step = "open", .reason = "gone", .count = 2, .first = 1, .example = "d/1"};
  EXPECT_EQ(journal->failure_groups(9), (std::vector{slowly, lost}));
  EXPECT_EQ(journal->failure_groups(1), (std::vector{slowly}));
}

TEST(SqliteJournal, ClearsTheRetryDelayWhenTheTaskFails) {
  const OwnFolder folder;
  const auto journal = open(folder / "j", Access::create, Synchronous::off);
  const Entry attempted = make_entry(1, 1, 1);
  ASSERT_TRUE(journal->commit(std::vector<Entry>{Found{.id = 1}, attempted, Found{.id = 2}}));
  EXPECT_NE(journal->task(1).value()->not_before, WallTime{});
  ASSERT_TRUE(journal->commit_one(Died{.id = 1}));
  ASSERT_TRUE(journal->commit_one(Revived{.id = 1}));
  EXPECT_EQ(journal->task(1).value()->not_before, WallTime{});
  EXPECT_EQ(findings(*journal), std::vector<std::string>{});
}

}  // namespace
}  // namespace tidemill::testing
