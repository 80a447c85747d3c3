// Journals that are inconsistent, damaged, or written by an older version.
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/dice.h"
#include "tidemill/state/journal/sqlite_journal_rig.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::testing {
namespace {

using namespace engine;
using journal::Access;
using journal::ListOrder;
using journal::SqliteJournal;
using journal::Synchronous;

// A statement that damages the journal, and part of the finding of check().
struct Wrong {
  const char* sql;
  const char* finding;
};

TEST(SqliteJournal, CheckFindsEveryKindOfInconsistency) {
  const OwnFolder folder;
  constexpr Wrong kWrongs[] = {
      {"update tally set n = n + 1 where state = 1", "tally"},
      {"delete from tally where state = 2", "without a tally"},
      {"update task set folder = 99 where id = 1", "folder"},
      {"update task set type = 99 where id = 1", "type"},
      {"update task set state = 9 where id = 1", "unknown state"},
      {"update task set name = 'text' where id = 1", "wrong type"},
      {"update task set id = -1 where id = 1", "id below 1"},
      {"delete from trouble where task = 12", "failed tasks without"},
      {"insert into trouble values (999, 0, x'', x'', x'', 0, 0, 0, null)",
       "failure records without a task"},
      {"update trouble set cure = 7 where task = 12", "cure"},
      {"insert into wait(task, not_before_us) values (1, 5)", "waits"},
      {"insert into checkpoint values (1, 0, x'', x'', x'', 0)", "checkpoints"},
      {"insert into owner values (5)", "owner"},
      {"update reason set n = n + 1", "does not match the number of failed tasks"},
      {"delete from failed_task where task = 12", "not counted by their reason"},
      {"insert into failed_task values ((select min(id) from reason), 1)", "counted in error"},
  };
  for (const Wrong& wrong : kWrongs) {
    std::filesystem::remove(folder / "j");
    ASSERT_TRUE(open(folder / "j", Access::create, Synchronous::off)->commit(varied_entries()));
    ASSERT_TRUE(store::Db::open(folder / "j")->exec(wrong.sql)) << wrong.sql;
    const auto found = journal::check_journal(folder / "j", journal::Depth::quick).value();
    ASSERT_FALSE(found.is_clean()) << wrong.sql;
    bool is_named = false;
    for (const auto& line : found.findings) is_named |= line.find(wrong.finding) != line.npos;
    EXPECT_TRUE(is_named) << wrong.sql << " gave " << found.findings.front();
  }
}

TEST(SqliteJournal, OrphanedCheckpointsAreRemovedAndOthersStay) {
  const OwnFolder folder;
  const std::string path = folder / "j";
  const auto journal = open(path, Access::create, Synchronous::off);
  const Checkpoint kept{.steps_done = 2, .last_step = "move", .data = "d"};
  ASSERT_TRUE(journal->commit(std::vector<Entry>{
      Found{.id = 1}, Found{.id = 2}, Found{.id = 3}, Checkpointed{.id = 1, .checkpoint = kept},
      Checkpointed{.id = 2, .checkpoint = kept}, Died{.id = 2}, Done{.id = 3}}));
  ASSERT_TRUE(store::Db::open(path)->exec(
      "insert into checkpoint values (3, 0, x'', x'', x'', 0), (99, 0, x'', x'', x'', 0)"));
  EXPECT_EQ(findings(*journal),
            (std::vector<std::string>{"2 checkpoints without a pending or failed task; to "
                                      "remove them, use check --remove-orphans"}));
  EXPECT_EQ(journal::remove_orphaned_checkpoints(path), 2U);
  EXPECT_EQ(findings(*journal), std::vector<std::string>{});
  EXPECT_EQ(journal->checkpoint(1).value(), kept);  // pending: it resumes from there
  EXPECT_EQ(journal->letter(2).value()->checkpoint,
            kept);  // dead: until it is revived or dropped
  EXPECT_EQ(journal::remove_orphaned_checkpoints(path), 0U);
  EXPECT_FALSE(journal->commit_one(Done{.id = 1}));  // the previous owner is refused
}

TEST(SqliteJournal, RemovesNothingFromADamagedFile) {
  const OwnFolder folder;
  const std::string path = folder / "j";
  ASSERT_TRUE(open(path, Access::create, Synchronous::off)->commit(varied_entries()));
  ASSERT_TRUE(
      store::Db::open(path)->exec("pragma writable_schema = on; update sqlite_schema set"
                                  " rootpage = 3 where name = 'note'"));
  const auto removed = journal::remove_orphaned_checkpoints(path);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().cure, Cure::give_up);
  EXPECT_NE(removed.error().reason.find("nothing was removed"), std::string::npos);
}

TEST(SqliteJournal, OnlyTheThoroughCheckFindsAnIndexThatDisagreesWithItsTable) {
  const OwnFolder folder;
  const std::string path = folder / "j";
  ASSERT_TRUE(open(path, Access::create, Synchronous::off)->commit(varied_entries()));
  // Fills the index under another definition with wrong rows, then restores its own definition.
  ASSERT_TRUE(store::Db::open(path)->exec(
      "pragma writable_schema = on; update sqlite_schema set sql ="
      " 'CREATE INDEX task_dead on task(state) where state = 2' where name = 'task_dead'"));
  ASSERT_TRUE(store::Db::open(path)->exec(
      "reindex task_dead; pragma writable_schema = on; update sqlite_schema set sql ="
      " 'CREATE INDEX task_dead on task(state) where state = 3' where name = 'task_dead'"));
  EXPECT_TRUE(journal::check_journal(path, journal::Depth::quick).value().is_clean());
  EXPECT_FALSE(journal::check_journal(path).value().is_clean());
}

TEST(SqliteJournal, RefusesAnAlteredSchema) {
  const OwnFolder folder;
  const std::string path = folder / "j";
  ASSERT_TRUE(open(path, Access::create, Synchronous::off)->commit(varied_entries()));
  ASSERT_TRUE(store::Db::open(path)->exec(
      "pragma writable_schema = on; update sqlite_schema set sql ="
      " replace(sql, 'state = 0', 'state = 4') where name = 'task_pending'"));
  for (const Access access : {Access::own, Access::read}) {
    const auto opened = SqliteJournal::open({.path = path, .access = access});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().cure, Cure::give_up);
    EXPECT_NE(opened.error().reason.find("damaged"), std::string::npos) << opened.error().reason;
  }
  EXPECT_FALSE(journal::check_journal(path));
}

// A statement that damages the journal, and the query that must notice.
struct Damage {
  const char* sql;
  std::function<bool(const SqliteJournal&)> is_refused;
};

TEST(SqliteJournal, RefusesAndReportsAlteredRows) {
  const OwnFolder folder;
  const std::string path = folder / "j";
  const auto has_no_pending = [](const SqliteJournal& j) { return !j.pending(0, 100); };
  const Damage changes[] = {
      {"update task set name = x'78' where id = 1", has_no_pending},
      {"update task set weight = weight + 1 where id = 1", has_no_pending},
      {"update task set attempts = attempts + 1 where id = 1", has_no_pending},
      {"update task set crashes = crashes + 1 where id = 1", has_no_pending},
      {"update task set id = 77 where id = 1", has_no_pending},
      {"update task set checksum = null where id = 1", has_no_pending},
      {"update folder set path = x'622f'", has_no_pending},
      {"update type set name = x'78'", has_no_pending},
      {"update wait set not_before_us = not_before_us + 1", has_no_pending},
      {"update task set name = x'78' where id = 2",
       [](const SqliteJournal& j) { return !j.letter(2) && !j.letters(0, 9); }},
      {"update checkpoint set data = x'78'",
       [](const SqliteJournal& j) { return !j.checkpoint(1); }},
      {"update note set value = x'78'", [](const SqliteJournal& j) { return !j.note("k"); }},
  };
  const std::vector<Entry> entries = {
      Found{.id = 1, .type = "t", .subject = "a/b", .weight = 5},
      Attempted{.id = 1, .attempt = 1, .not_before = WallTime(std::chrono::seconds(5))},
      Crashed{.id = 1},
      Checkpointed{.id = 1, .checkpoint = {.steps_done = 1, .data = "d"}},
      Found{.id = 2, .type = "t", .subject = "a/c"},
      Died{.id = 2, .attempts = 3}};
  for (const Damage& change : changes) {
    std::filesystem::remove(path);
    {
      const auto journal = open(path, Access::create, Synchronous::off);
      ASSERT_TRUE(journal->commit(entries, std::vector<journal::Note>{{"k", "v"}}));
      ASSERT_FALSE(change.is_refused(*journal)) << change.sql;
      EXPECT_EQ(findings(*journal), std::vector<std::string>{});
    }
    ASSERT_TRUE(store::Db::open(path)->exec(change.sql)) << change.sql;
    const auto journal = open(path, Access::own, Synchronous::off);
    EXPECT_TRUE(change.is_refused(*journal)) << change.sql;
    EXPECT_NE(findings(*journal), std::vector<std::string>{}) << change.sql;
  }
}

// Format version 1, without checksums.
TEST(SqliteJournal, ReadsAndMigratesAFirstVersionJournal) {
  const OwnFolder folder;
  const std::string path = folder / "j";
  {
    store::DbFormat old = journal::journal_format();
    old.scripts = old.scripts.first(1);
    auto db = store::Db::open(path);
    ASSERT_TRUE(store::migrate(*db, old));
    ASSERT_TRUE(
        db->exec("insert into folder values (1, x'612f'); insert into type values (1, x'74');"
                 "insert into task values (1, 0, 1, 1, 1, 1, x'62', 5, null),"
                 " (2, 1, 1, 0, 1, 1, x'63', 5, x'6f6b'), (3, 3, 2, 0, 0, 0, x'64', 0, null);"
                 "insert into trouble values (3, 2, x'', x'78', x'', 0, 1, 2);"
                 "insert into wait values (1, 7); insert into note values ('k', x'76');"
                 "insert into checkpoint values (1, 1, x'73', x'64', x'');"
                 "update tally set n = 1 where state in (0, 1, 3)"));
  }
  const auto look = [&](Access access) {
    const auto journal = open(path, access, Synchronous::off);
    EXPECT_EQ(journal->pending(0, 9)->front().subject, "a/b");
    EXPECT_EQ(journal->tasks(0, 9)->size(), 3U);
    EXPECT_EQ(journal->letters(0, 9)->size(), 1U);
    EXPECT_EQ(journal->checkpoint(1).value()->data, "d");
    EXPECT_EQ(journal->note("k"), "v");
    EXPECT_EQ(findings(*journal), std::vector<std::string>{});
    return journal->epoch();
  };
  EXPECT_EQ(look(Access::read), 0);
  EXPECT_EQ(look(Access::own), 1);
  EXPECT_EQ(look(Access::read), 1);
  const auto journal = open(path, Access::own, Synchronous::off);
  ASSERT_TRUE(journal->commit(std::vector<Entry>{Revived{.id = 3}, Done{.id = 1, .attempts = 2}}));
  EXPECT_EQ(journal->pending(0, 9)->front().subject, "d");
  EXPECT_EQ(findings(*journal), std::vector<std::string>{});
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What a flipped bit must not change unnoticed: the tasks and their outcomes.
std::string shape_of(const SqliteJournal& journal) {
  std::string shape;
  const auto tally = journal.tally();
  const auto tasks = journal.tasks(0, 1'000);
  const auto letters = journal.letters(0, 1'000);
  if (!tally || !tasks || !letters) return "unreadable";
  for (const auto count : tally->counts) shape += std::to_string(count) + " ";
  for (const auto& task : *tasks) {
    shape += std::to_string(task.id) + std::string(name_of(task.state)) + " " + task.subject + " " +
             task.outcome + " ";
  }
  return shape + std::to_string(letters->size());
}

TEST(SqliteJournal, FlippedBitsAreReportedOrHarmlessAndNeverCrash) {
  const OwnFolder folder;
  const std::string path = folder / "j";
  open(path)->commit(varied_entries()).value();
  const std::string sound = bytes_of(path);
  const std::string shape = shape_of(*open(path, Access::read));
  SeededDice dice(20);
  int reported = 0;
  for (int i = 0; i < 200; ++i) {
    std::string flipped = sound;
    const auto at = dice.next() % flipped.size();
    flipped[at] = static_cast<char>(flipped[at] ^ static_cast<char>(1U << (dice.next() % 8U)));
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(path + suffix);
    std::ofstream(path, std::ios::binary) << flipped;
    const auto report = journal::check_journal(path);
    const auto journal = SqliteJournal::open({.path = path, .access = Access::read});
    const std::string seen = journal ? shape_of(**journal) : "unreadable";
    const bool is_reported = !report || !report->is_clean();
    reported += is_reported ? 1 : 0;
    EXPECT_TRUE(is_reported || seen == shape) << "flip " << i << " at " << at;
    if (!journal) continue;
    (void)(*journal)->pending_ids(ListOrder::by_name);
    (void)(*journal)->failure_groups(5);
    (void)(*journal)->checkpoint(5);
  }
  EXPECT_GT(reported, 0);
}

}  // namespace
}  // namespace tidemill::testing
