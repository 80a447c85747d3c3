#include "tidemill/jobs/import/target/target.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tidemill/testing/own_folder.h"

namespace tidemill::import {
namespace {

namespace fs = std::filesystem;

class ImportTargetTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string in(std::string_view name) const {
    return folder_ + "/" + std::string(name);
  }
  [[nodiscard]] ImportOptions into(std::string_view name, Mode mode = Mode::fresh,
                                   bool may_replace = false) const {
    return {.into = in(name), .mode = mode, .may_replace = may_replace, .page_size = 32 * 1024};
  }

  static void make(const std::string& path, std::string_view mark, std::string_view first = "") {
    auto db = store::Db::open(path);
    ASSERT_TRUE(db);
    ASSERT_TRUE(db->exec(std::string(first) + "CREATE TABLE mark (m); INSERT INTO mark VALUES ('" +
                         std::string(mark) + "')"));
  }
  static std::string mark(const std::string& path) {
    auto db = store::Db::open(path, {.mode = store::Open::read});
    if (!db) return db.error().reason;
    auto select = db->prepare("SELECT m FROM mark");
    return select ? select->one<std::string>().value().value_or("-") : select.error().reason;
  }
  static void fill(ImportTarget& target, std::string_view what) {
    auto db = target.open();
    ASSERT_TRUE(db) << db.error().reason;
    ASSERT_TRUE(
        db->exec("CREATE TABLE mark (m); INSERT INTO mark VALUES ('" + std::string(what) + "')"));
  }

  // The existing files, in order.
  [[nodiscard]] std::string files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
    return all;
  }

  testing::OwnFolder own_;
  const std::string& folder_ = own_.path();
};

TEST_F(ImportTargetTest, KeepsTheOldDatabaseUntilTheNewDatabaseIsComplete) {
  make(in("db"), "old");
  ::chmod(in("db").c_str(), 0640);
  EXPECT_EQ(ImportTarget::take(into("db")).error().step, "--into");
  {
    auto target = ImportTarget::take(into("db", Mode::fresh, true));
    ASSERT_TRUE(target) << target.error().reason;
    EXPECT_EQ((*target)->path(), in("db.tidemill.part"));
    fill(**target, "new");
    EXPECT_EQ(mark(in("db")), "old");
    const auto second = ImportTarget::take(into("db", Mode::fresh, true));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().step, "lock");
    EXPECT_EQ(second.error().kind, FailureKind::held);
    EXPECT_EQ(second.error().cure, Cure::retry);
    EXPECT_EQ(ImportTarget::take(into("db", Mode::append)).error().step, "lock");
  }
  EXPECT_EQ(files(), "db");  // not placed: nothing is left of it
  EXPECT_EQ(mark(in("db")), "old");
  auto target = ImportTarget::take(into("db", Mode::fresh, true));
  fill(**target, "new");
  ASSERT_TRUE((*target)->place());
  target->reset();
  EXPECT_EQ(files(), "db");
  EXPECT_EQ(mark(in("db")), "new");
  struct stat seen{};
  ASSERT_EQ(::stat(in("db").c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & 0777U, 0640U);
}

TEST_F(ImportTargetTest, ReplacesTheLeftoversOfAKilledImport) {
  std::ofstream(in("db.tidemill.part")) << std::string(100'000, 'x');
  std::ofstream(in("db.tidemill.part-journal")) << "x";
  std::ofstream(in("db.tidemill.part-wal")) << "x";
  auto target = ImportTarget::take(into("db"));
  ASSERT_TRUE(target) << target.error().reason;
  EXPECT_EQ(files(), "db.tidemill.part");
  EXPECT_EQ(fs::file_size(in("db.tidemill.part")), 0U);
  fill(**target, "new");
  ASSERT_TRUE((*target)->place());
  EXPECT_EQ(mark(in("db")), "new");
}

// A log that was left next to the old database would be read as that of the new one.
TEST_F(ImportTargetTest, DoesNotApplyTheOldDatabasesWalToTheNewDatabase) {
  {
    auto db = store::Db::open(in("live"));
    ASSERT_TRUE(
        db->exec("PRAGMA journal_mode = WAL; CREATE TABLE mark (m);"
                 "INSERT INTO mark VALUES ('logged')"));
    for (const char* end : {"", "-wal"}) {
      fs::copy_file(in("live") + end, in("db") + end);  // as after a kill
    }
  }
  ASSERT_NE(files().find("db-wal"), std::string::npos);
  {
    auto target = ImportTarget::take(into("db", Mode::fresh, true));
    ASSERT_TRUE(target) << target.error().reason;
    EXPECT_EQ(mark(in("db")), "logged");
  }
  EXPECT_EQ(mark(in("db")), "logged");
  auto target = ImportTarget::take(into("db", Mode::fresh, true));
  fill(**target, "new");
  {
    auto late = store::Db::open(in("db"));  // another connection during the import
    ASSERT_TRUE(late->exec("UPDATE mark SET m = 'later'"));
    EXPECT_EQ((*target)->place().error().step, "lock");
    EXPECT_EQ((*target)->place().error().kind, FailureKind::held);
    EXPECT_EQ(mark(in("db")), "later");
  }
  ASSERT_TRUE((*target)->place());
  EXPECT_FALSE(fs::exists(in("db-wal")));
  EXPECT_EQ(mark(in("db")), "new");
}

TEST_F(ImportTargetTest, DoesNotReplaceADatabaseInUse) {
  make(in("db"), "old");
  auto target = ImportTarget::take(into("db", Mode::fresh, true));
  fill(**target, "new");
  auto user = store::Db::open(in("db"));
  ASSERT_TRUE(user->exec("BEGIN IMMEDIATE; UPDATE mark SET m = 'theirs'"));
  const auto refused = (*target)->place();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "lock");
  EXPECT_EQ(refused.error().kind, FailureKind::held);
  ASSERT_TRUE(user->exec("COMMIT"));
  EXPECT_EQ(mark(in("db")), "theirs");
}

TEST_F(ImportTargetTest, APersistentEmptyJournalDoesNotCountAsUse) {
  make(in("db"), "old", "PRAGMA journal_mode = PERSIST;");
  ASSERT_TRUE(fs::exists(in("db-journal")));
  auto target = ImportTarget::take(into("db", Mode::fresh, true));
  ASSERT_TRUE(target) << target.error().reason;
  fill(**target, "new");
  const auto placed = (*target)->place();
  ASSERT_TRUE(placed) << placed.error().reason;
  EXPECT_EQ(files(), "db");
  EXPECT_EQ(mark(in("db")), "new");
}

TEST_F(ImportTargetTest, ReportsADatabaseInUseImmediately) {
  make(in("db"), "old");
  auto user = store::Db::open(in("db"));
  ASSERT_TRUE(user->exec("BEGIN IMMEDIATE"));
  for (const Mode mode : {Mode::append, Mode::fresh}) {
    const auto refused = ImportTarget::take(into("db", mode, true));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().step, "lock");
    EXPECT_EQ(refused.error().kind, FailureKind::held);
    EXPECT_EQ(refused.error().cure, Cure::retry);
  }
  ASSERT_TRUE(user->exec("ROLLBACK"));
  auto target = ImportTarget::take(into("db", Mode::append));
  ASSERT_TRUE(target);
  EXPECT_EQ((*target)->path(), in("db"));
  auto db = (*target)->open();
  ASSERT_TRUE(db->exec("UPDATE mark SET m = tidemill_text(0.1)"));
  ASSERT_TRUE((*target)->place());
  target->reset();
  EXPECT_EQ(files(), "db");
  EXPECT_EQ(mark(in("db")), "0.1");
}

TEST_F(ImportTargetTest, OnlyADatabaseIsReplacedOrFilled) {
  std::ofstream(in("prose")) << std::string(5'000, 'x');
  fs::create_directory(in("folder"));
  ASSERT_EQ(::mkfifo(in("fifo").c_str(), 0600), 0);
  fs::create_symlink("loop", in("loop"));
  const std::string before = files();
  for (const Mode mode : {Mode::fresh, Mode::append}) {
    for (const char* name : {"prose", "folder", "fifo", "loop", "none/db"}) {
      const auto refused = ImportTarget::take(into(name, mode, true));
      ASSERT_FALSE(refused) << name;
      EXPECT_EQ(refused.error().step, "--into") << name;
      EXPECT_EQ(refused.error().cure, Cure::give_up) << name;
    }
  }
  EXPECT_EQ(files(), before);
  std::ofstream(in("empty")).close();  // an empty database
  EXPECT_TRUE(ImportTarget::take(into("empty", Mode::append)));
}

TEST_F(ImportTargetTest, KeepsASymlinkAndReplacesItsTarget) {
  fs::create_directory(in("far"));
  fs::create_symlink("far/db", in("link"));
  for (const bool is_there : {false, true}) {
    auto target = ImportTarget::take(into("link", Mode::fresh, is_there));
    ASSERT_TRUE(target) << target.error().reason;
    EXPECT_EQ((*target)->path(), in("far/db.tidemill.part"));
    fill(**target, is_there ? "second" : "first");
    ASSERT_TRUE((*target)->place());
    EXPECT_TRUE(fs::is_symlink(in("link")));
    EXPECT_EQ(mark(in("far/db")), is_there ? "second" : "first");
  }
}

TEST_F(ImportTargetTest, AFreshDatabaseIsTuned) {
  ImportOptions options = into("db");
  options.page_size = 8192;
  auto target = ImportTarget::take(options);
  auto db = (*target)->open();
  ASSERT_TRUE(db->exec("CREATE TABLE t (a)"));
  EXPECT_EQ(db->prepare("PRAGMA page_size")->one<std::int64_t>().value(), 8192);
  EXPECT_EQ(db->prepare("PRAGMA journal_mode")->one<std::string>().value(), "off");
}

}  // namespace
}  // namespace tidemill::import
