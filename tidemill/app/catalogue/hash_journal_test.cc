#include "tidemill/app/catalogue/hash_journal.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/try.h"
#include "tidemill/state/catalogue/scan.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::app {
namespace {

namespace fs = std::filesystem;
using catalogue::Catalogue;
using engine::Entry;

// Two files of one root, without hashes; "both" is below a second root too.
class HashJournalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(tree_ + "/in");
    scan(tree_ + "/in", {});
    auto scan =
        catalogue::Scan::begin(path(), std::vector<catalogue::ScanRoot>{{.path = tree_}}, clock_);
    ASSERT_TRUE(scan) << text_of(scan.error());
    ASSERT_TRUE((*scan)->record({.key = (*scan)->root_key(0),
                                 .files = {{.name = "one", .stamp = {.inode = 1, .size = 10}}}}));
    ASSERT_TRUE((*scan)->record({.folder = 1, .name = "in", .files = {both_}}));
    ASSERT_TRUE((*scan)->finish());
    scan->reset();
    start();
  }

  void scan(const std::string& root, const std::vector<catalogue::FileNote>& more) {
    auto scan =
        catalogue::Scan::begin(path(), std::vector<catalogue::ScanRoot>{{.path = root}}, clock_);
    ASSERT_TRUE(scan) << text_of(scan.error());
    std::vector<catalogue::FileNote> files = {both_};
    files.insert(files.end(), more.begin(), more.end());
    ASSERT_TRUE((*scan)->record({.key = (*scan)->root_key(0), .files = files}));
    ASSERT_TRUE((*scan)->finish());
  }

  // As a coordinator that was just started.
  void start() {
    journal_.reset();
    catalogue_.emplace(Catalogue::open(path(), Catalogue::Access::write).value());
    const std::string host = catalogue_->about()->host;
    lines_ = {{.host = host, .algorithm = "xxh3", .path = tree_ + "/one"},
              {.host = host, .algorithm = "xxh3", .path = tree_ + "/in/both"}};
    orders_.emplace(dupes::WantedOrders::of(lines_, *catalogue_, failures_).value());
    tasks_.emplace(dupes::HashTasks::of(orders_->orders()).value());
    journal_.emplace(*catalogue_, *orders_, *tasks_);
  }

  [[nodiscard]] engine::TaskId id_of(const std::string& name) const {
    for (std::size_t i = 0; i < orders_->orders().size(); ++i) {
      if (orders_->orders()[i].file.name == name) return tasks_->id_of(i);
    }
    return 0;
  }
  [[nodiscard]] bool is_pending(engine::TaskId id) { return journal_->task(id)->has_value(); }
  Result<void> commit(const std::vector<Entry>& entries) {
    const std::vector<const engine::TaskReport*> reports(entries.size(), nullptr);
    return journal_->commit(entries, reports);
  }
  std::vector<std::string> stored(const std::string& below) {
    const auto cards = catalogue_->file(tree_ + "/" + below).value();
    std::vector<std::string> hashes;
    for (const auto& card : cards) hashes.push_back(card.hash);
    return hashes;
  }

  testing::OwnFolder own_;
  const std::string tree_ = fs::canonical(own_.path()).string() + "/tree";
  [[nodiscard]] std::string path() const { return own_.path() + "/c.db"; }
  const catalogue::FileNote both_{.name = "both", .stamp = {.inode = 2, .size = 20}};
  const std::string hash_ = std::string(16, 'h');
  testing::FakeClock clock_;
  dupes::Failures failures_;
  std::vector<dupes::WantedFile> lines_;
  std::optional<Catalogue> catalogue_;
  std::optional<dupes::WantedOrders> orders_;
  std::optional<dupes::HashTasks> tasks_;
  std::optional<HashJournal> journal_;
};

TEST_F(HashJournalTest, FileIsPendingUntilItsHashIsStored) {
  const auto one = id_of("one");
  ASSERT_NE(one, 0U);
  EXPECT_TRUE(is_pending(one));
  EXPECT_FALSE(is_pending(one + 1));
  ASSERT_TRUE(commit({engine::Done{.id = one, .result = hash_}}));
  EXPECT_EQ(stored("one"), std::vector<std::string>{hash_});
  EXPECT_FALSE(is_pending(one));
  EXPECT_EQ(orders_->counts().hashed, 1U);
  start();
  EXPECT_EQ(orders_->counts().known, 1U);
  EXPECT_FALSE(is_pending(one));
  EXPECT_TRUE(is_pending(id_of("both")));
}

TEST_F(HashJournalTest, FileBelowTwoRootsGetsItsHashInBothRows) {
  ASSERT_TRUE(commit({engine::Done{.id = id_of("both"), .result = hash_}}));
  EXPECT_EQ(stored("in/both"), (std::vector<std::string>{hash_, hash_}));
}

TEST_F(HashJournalTest, FailureStaysUntilTheNextProcess) {
  const auto one = id_of("one");
  const Failure failure{.kind = FailureKind::changed, .step = "changed", .reason = "why"};
  ASSERT_TRUE(commit({engine::Died{.id = one, .failure = failure}}));
  EXPECT_FALSE(is_pending(one));
  ASSERT_EQ(failures_.count(), 1U);
  EXPECT_EQ(text_of(failures_.list()[0].failure), "changed: why (scan its folder again)");
  EXPECT_EQ(journal_->counts().skipped, 1U);
  EXPECT_EQ(journal_->left(), 1U);
  start();
  EXPECT_TRUE(is_pending(one));
}

TEST_F(HashJournalTest, FirstOutcomeStays) {
  const auto one = id_of("one");
  const Entry done = engine::Done{.id = one, .result = hash_};
  ASSERT_TRUE(commit({done, done, engine::Died{.id = one}}));
  ASSERT_TRUE(commit({engine::Done{.id = one, .result = std::string(16, 'x')}}));
  EXPECT_EQ(stored("one"), std::vector<std::string>{hash_});
  EXPECT_EQ(orders_->counts().hashed, 1U);
  EXPECT_EQ(failures_.count(), 0U);
  EXPECT_EQ(journal_->counts().done, 1U);
  EXPECT_EQ(journal_->counts().settled_bytes, Bytes{10});
}

TEST_F(HashJournalTest, TriesAndCrashesAreCounted) {
  const auto one = id_of("one");
  ASSERT_TRUE(commit({engine::Attempted{.id = one, .attempt = 2}, engine::Crashed{.id = one}}));
  const auto task = journal_->task(one).value();
  ASSERT_TRUE(task);
  EXPECT_EQ(task->attempts, 2);
  EXPECT_EQ(task->crashes, 1);
  EXPECT_EQ(task->state, engine::TaskState::pending);
}

TEST_F(HashJournalTest, SomethingElseThanAHashIsNotStored) {
  ASSERT_TRUE(commit({engine::Done{.id = id_of("one"), .result = "short"}}));
  EXPECT_EQ(stored("one"), std::vector<std::string>{""});
  EXPECT_EQ(orders_->counts().failed, 1U);
}

// A result that waited in Redis while the folder was scanned again.
TEST_F(HashJournalTest, ResultForAnotherStampMeansNothing) {
  const auto before = id_of("one");
  journal_.reset();
  auto scan =
      catalogue::Scan::begin(path(), std::vector<catalogue::ScanRoot>{{.path = tree_}}, clock_);
  ASSERT_TRUE((*scan)->record({.key = (*scan)->root_key(0),
                               .files = {{.name = "one", .stamp = {.inode = 1, .size = 11}}}}));
  ASSERT_TRUE((*scan)->finish());
  scan->reset();
  start();
  EXPECT_FALSE(is_pending(before));
  ASSERT_TRUE(commit({engine::Done{.id = before, .result = hash_}}));
  EXPECT_EQ(stored("one"), std::vector<std::string>{""});
  EXPECT_TRUE(is_pending(id_of("one")));
}

TEST_F(HashJournalTest, EpochOutlivesTheProcessAndNeverGoesBack) {
  EXPECT_EQ(journal_->epoch(), 0U);
  ASSERT_TRUE(journal_->record(1'763'522'376'000));
  start();
  EXPECT_EQ(journal_->epoch(), 1'763'522'376'000U);
  ASSERT_TRUE(journal_->record(5));
  EXPECT_EQ(journal_->epoch(), 1'763'522'376'000U);
}

TEST_F(HashJournalTest, FilesBelowARootThatIsGoneFailAtOnce) {
  fs::remove_all(tree_);
  start();
  EXPECT_EQ(failures_.count(), 2U);
  EXPECT_EQ(journal_->left(), 0U);
}

}  // namespace
}  // namespace tidemill::app
