#include "tidemill/state/catalogue/token_counts.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/io/store/db.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/state/catalogue/schema.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::catalogue {
namespace {

using namespace std::chrono_literals;

class TokenCountsTest : public ::testing::Test {
 public:
  TokenCountsTest() { std::filesystem::create_directories(folder_); }
  ~TokenCountsTest() override { std::filesystem::remove_all(folder_); }

 protected:
  [[nodiscard]] std::unique_ptr<TokenCounts> open(std::string_view fingerprint = "cl100k") const {
    auto counts = TokenCounts::open(path_, fingerprint, clock_);
    EXPECT_TRUE(counts) << text_of(counts.error());
    return *std::move(counts);
  }

  [[nodiscard]] std::int64_t now_ns() const {
    return std::chrono::nanoseconds(clock_.wall().time_since_epoch()).count();
  }

  // A file that was left alone for an hour.
  [[nodiscard]] TokenNote note(std::uint64_t inode, std::uint64_t tokens = 7) const {
    const std::int64_t hour_ago = now_ns() - 3'600'000'000'000;
    TokenNote made{.stamp = {.device = 2049,
                             .inode = inode,
                             .size = 100 + inode,
                             .mtime_ns = hour_ago,
                             .ctime_ns = hour_ago + 5},
                   .tokens = tokens,
                   .read_at_ns = now_ns()};
    made.digest.fill(static_cast<unsigned char>(inode));
    return made;
  }

  [[nodiscard]] static std::optional<TokenNote> recalled(const TokenCounts& counts,
                                                         const FileStamp& stamp) {
    auto reader = counts.reader();
    EXPECT_TRUE(reader) << text_of(reader.error());
    auto found = (*reader)->recall(stamp);
    EXPECT_TRUE(found) << text_of(found.error());
    return *found;
  }

  static void remember(TokenCounts& counts, const std::vector<TokenNote>& notes) {
    const auto done = counts.remember(notes);
    EXPECT_TRUE(done) << text_of(done.error());
  }

  [[nodiscard]] std::int64_t number(const std::string& sql) const {
    return store::Db::open(path_)->prepare(sql)->one<std::int64_t>().value().value_or(-1);
  }

  // A version 1 catalogue, without token counts, with one root.
  void make_version_1() const {
    store::DbFormat old = catalogue_format();
    old.scripts = old.scripts.first(1);
    auto db = store::Db::open(path_);
    ASSERT_TRUE(db);
    ASSERT_TRUE(store::migrate(*db, old));
    ASSERT_TRUE(
        db->exec("insert into about values ('host', 'old');"
                 "insert into roots(path, folder, added_at) values (x'2f61', 1, 5);"
                 "insert into folders(id, root, parent, name, first_seen)"
                 " values (1, 1, 0, x'2f61', 5)"));
  }

  mutable testing::FakeClock clock_;
  std::string folder_ = ::testing::TempDir() + "counts-" + std::to_string(::getpid());
  std::string path_ = folder_ + "/c.db";
};

TEST_F(TokenCountsTest, RecallsCountsAfterReopening) {
  const TokenNote text = note(1, 12'345);
  TokenNote binary = note(~std::uint64_t{0}, 0);
  binary.stamp.device = ~std::uint64_t{0};
  binary.is_binary = true;
  remember(*open(), {text, binary});
  const auto counts = open();
  const auto found = recalled(*counts, text.stamp);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stamp, text.stamp);
  EXPECT_EQ(found->tokens, 12'345U);
  EXPECT_EQ(found->digest, text.digest);
  EXPECT_FALSE(found->is_binary);
  EXPECT_FALSE(found->is_due);
  ASSERT_TRUE(recalled(*counts, binary.stamp));
  EXPECT_TRUE(recalled(*counts, binary.stamp)->is_binary);
  EXPECT_FALSE(recalled(*counts, note(2).stamp));
}

TEST_F(TokenCountsTest, IgnoresACountWithAWrongChecksum) {
  remember(*open(), {note(1, 5), note(2, 6)});
  ASSERT_TRUE(store::Db::open(path_)->exec("update token_counts set tokens = 7 where inode = 1"));
  const auto counts = open();
  EXPECT_FALSE(recalled(*counts, note(1).stamp));
  EXPECT_TRUE(recalled(*counts, note(2).stamp));
}

TEST_F(TokenCountsTest, EveryFieldOfTheStampMustBeTheSame) {
  const auto counts = open();
  const FileStamp stamp = note(1).stamp;
  remember(*counts, {note(1)});
  const std::function<void(FileStamp&)> changes[] = {
      [](FileStamp& s) { ++s.device; },   [](FileStamp& s) { ++s.inode; },
      [](FileStamp& s) { ++s.size; },     [](FileStamp& s) { ++s.mtime_ns; },
      [](FileStamp& s) { ++s.ctime_ns; },
  };
  for (const auto& change : changes) {
    FileStamp other = stamp;
    change(other);
    EXPECT_FALSE(recalled(*counts, other));
  }
  EXPECT_TRUE(recalled(*counts, stamp));
}

TEST_F(TokenCountsTest, TheLastCountOfAnInodeWins) {
  const auto counts = open();
  TokenNote changed = note(1, 8);
  ++changed.stamp.ctime_ns;
  TokenNote last = note(1, 9);
  last.stamp.ctime_ns += 2;
  remember(*counts, {note(1), changed});
  EXPECT_FALSE(recalled(*counts, note(1).stamp));
  EXPECT_EQ(recalled(*counts, changed.stamp)->tokens, 8U);
  remember(*counts, {last});
  EXPECT_FALSE(recalled(*counts, changed.stamp));
  EXPECT_EQ(recalled(*counts, last.stamp)->tokens, 9U);
  EXPECT_EQ(number("select count(*) from token_counts"), 1);
}

TEST_F(TokenCountsTest, DoesNotRememberAStampThatWasFreshWhenRead) {
  const auto counts = open();
  TokenNote young = note(1);
  young.stamp.ctime_ns = now_ns() - 1'000'000'000;
  TokenNote touched = note(2);
  touched.stamp.mtime_ns = now_ns() + 1;  // set by a user
  TokenNote at_rest = note(3);
  at_rest.stamp.ctime_ns = now_ns() - 3'000'000'000;
  TokenNote unknown = at_rest;  // unknown when it was read
  unknown.stamp.inode = 4;
  unknown.read_at_ns = 0;
  TokenNote unknown_old = note(5);
  unknown_old.read_at_ns = 0;
  clock_.advance(10s);  // the batch had to wait: the stamps are not young any more
  remember(*counts, {young, touched, at_rest, unknown, unknown_old});
  EXPECT_FALSE(recalled(*counts, young.stamp));
  EXPECT_FALSE(recalled(*counts, touched.stamp));
  EXPECT_TRUE(recalled(*counts, at_rest.stamp));
  EXPECT_FALSE(recalled(*counts, unknown.stamp));
  EXPECT_TRUE(recalled(*counts, unknown_old.stamp));
  remember(*counts, {young});
  remember(*counts, {});
  EXPECT_EQ(number("select count(*) from token_counts"), 2);
}

TEST_F(TokenCountsTest, KeepsCountsPerTokenizer) {
  const auto one = open("cl100k");
  const auto other = open("o200k");
  remember(*one, {note(1, 10)});
  remember(*other, {note(1, 20), note(2, 30)});
  EXPECT_EQ(recalled(*one, note(1).stamp)->tokens, 10U);
  EXPECT_EQ(recalled(*other, note(1).stamp)->tokens, 20U);
  EXPECT_FALSE(recalled(*one, note(2).stamp));
  EXPECT_EQ(recalled(*open("o200k"), note(2).stamp)->tokens, 30U);
  EXPECT_EQ(number("select count(*) from tokenizers"), 2);
}

TEST_F(TokenCountsTest, ReadsAnOldCatalogueAndMigratesItOnTheFirstCount) {
  make_version_1();
  {
    auto old = Catalogue::open(path_, Catalogue::Access::read);
    ASSERT_TRUE(old) << text_of(old.error());
    EXPECT_EQ(old->roots().value().at(0).path, "/a");
    EXPECT_EQ(old->about().value().version, 1);
    EXPECT_EQ(old->check().value(), std::vector<std::string>{});
  }
  EXPECT_EQ(number("pragma user_version"), 1);
  remember(*open(), {note(1)});
  EXPECT_EQ(number("pragma user_version"), 3);
  auto now = Catalogue::open(path_, Catalogue::Access::read);
  ASSERT_TRUE(now);
  EXPECT_EQ(now->about().value().host, "old");
  EXPECT_EQ(now->roots().value().at(0).path, "/a");
  EXPECT_EQ(now->check().value(), std::vector<std::string>{});
}

TEST_F(TokenCountsTest, PurgesUnusedCountsAndMarksUsedCountsDueOnceAMonth) {
  const auto counts = open();
  remember(*counts, {note(1), note(2)});
  const FileStamp used = note(1).stamp;
  const FileStamp unused = note(2).stamp;
  clock_.advance(24h * 31);
  const auto due = recalled(*counts, used);
  ASSERT_TRUE(due);
  EXPECT_TRUE(due->is_due);
  remember(*counts, {*due});
  EXPECT_FALSE(recalled(*counts, used)->is_due);
  auto catalogue = Catalogue::open(path_, Catalogue::Access::write);
  ASSERT_TRUE(catalogue);
  ASSERT_TRUE(catalogue->purge(clock_.wall() - 24h * 32, clock_));
  EXPECT_TRUE(recalled(*counts, unused));
  ASSERT_TRUE(catalogue->purge(clock_.wall() - 24h * 10, clock_));
  EXPECT_FALSE(recalled(*counts, unused));
  EXPECT_TRUE(recalled(*counts, used));
}

TEST_F(TokenCountsTest, PurgeHandlesManyRows) {
  const auto counts = open();
  std::vector<TokenNote> notes;
  for (std::uint64_t inode = 0; inode < 25'000; ++inode) notes.push_back(note(inode));
  remember(*counts, notes);
  clock_.advance(24h * 100);
  remember(*counts, {note(12'000)});
  auto catalogue = Catalogue::open(path_, Catalogue::Access::write);
  ASSERT_TRUE(catalogue->purge(clock_.wall() - 24h, clock_));
  EXPECT_EQ(number("select count(*) from token_counts"), 1);
}

TEST_F(TokenCountsTest, CheckAndExportIncludeTheCounts) {
  remember(*open(), {note(1), note(2), note(3)});
  auto catalogue = Catalogue::open(path_, Catalogue::Access::read);
  ASSERT_TRUE(catalogue);
  EXPECT_EQ(catalogue->check().value(), std::vector<std::string>{});
  ASSERT_TRUE(catalogue->export_to(folder_ + "/copy.db"));
  auto copy = TokenCounts::open(folder_ + "/copy.db", "cl100k", clock_);
  ASSERT_TRUE(copy);
  EXPECT_TRUE(recalled(**copy, note(3).stamp));
  ASSERT_TRUE(
      store::Db::open(path_)->exec("update token_counts set digest = x'00' where inode = 1;"
                                   "update token_counts set tokens = -1 where inode = 2;"
                                   "update token_counts set tokenizer = 77 where inode = 3"));
  EXPECT_EQ(catalogue->check().value(),
            (std::vector<std::string>{
                "token counts without a tokenizer: 1", "token counts with an invalid value: 2",
                "token counts with a wrong checksum, which are counted again: 3"}));
  EXPECT_FALSE(recalled(*open(), note(1).stamp));  // half a digest is invalid
}

TEST_F(TokenCountsTest, RefusesAForeignFileAndAMissingFolder) {
  std::ofstream(path_) << std::string(5'000, 'x');
  const auto stranger = TokenCounts::open(path_, "cl100k", clock_);
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().step, "catalogue");
  EXPECT_EQ(stranger.error().cure, Cure::give_up);
  EXPECT_EQ(std::filesystem::file_size(path_), 5'000U);
  EXPECT_FALSE(TokenCounts::open(folder_ + "/none/c.db", "cl100k", clock_));
}

TEST_F(TokenCountsTest, RollsBackAFailedBatchAndAcceptsTheNext) {
  const auto counts = open();
  remember(*counts, {note(1)});
  ASSERT_TRUE(store::Db::open(path_)->exec(
      "create trigger refuse before insert on token_counts when new.inode = 3"
      " begin select raise(abort, 'no room'); end"));
  const auto failed = counts->remember(std::vector<TokenNote>{note(2), note(3)});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().step, "catalogue");
  EXPECT_FALSE(recalled(*counts, note(2).stamp));
  remember(*counts, {note(4)});
  EXPECT_TRUE(recalled(*counts, note(4).stamp));
}

TEST_F(TokenCountsTest, ReaderRenewsItsSnapshotAfterARestAMissOrManyReads) {
  const auto counts = open();
  remember(*counts, {note(1)});
  auto reader = *counts->reader();
  ASSERT_TRUE(reader->recall(note(1).stamp).value());
  remember(*counts, {note(2)});
  EXPECT_FALSE(reader->recall(note(2).stamp).value());  // of the snapshot
  EXPECT_TRUE(reader->recall(note(2).stamp).value());   // a new one, because nothing was found
  remember(*counts, {note(3)});
  reader->rest();
  EXPECT_TRUE(reader->recall(note(3).stamp).value());
  for (int i = 0; i < 300; ++i) {
    if (i == 10) remember(*counts, {note(4)});
    EXPECT_TRUE(reader->recall(note(1).stamp).value());
  }
  EXPECT_TRUE(reader->recall(note(4).stamp).value());  // it was renewed meanwhile
}

TEST_F(TokenCountsTest, ReadersSeeCompleteBatchesDuringWrites) {
  const auto counts = open();
  constexpr std::uint64_t kBatches = 40;
  constexpr std::uint64_t kRows = 200;
  remember(*counts, {note(0)});
  std::atomic<bool> is_over = false;
  std::atomic<int> ready = 0;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      auto reader = *counts->reader();
      std::uint64_t seen = 0;
      ++ready;
      while (!is_over || seen < kBatches) {
        const auto last = reader->recall(note((seen + 1) * kRows, 0).stamp);
        ASSERT_TRUE(last) << text_of(last.error());
        if (!*last) continue;
        ++seen;  // so the first of its batch is there too
        const auto first = reader->recall(note((seen - 1) * kRows + 1).stamp);
        ASSERT_TRUE(first && *first);
        ASSERT_EQ((*first)->tokens, seen);
      }
    });
  }
  ASSERT_TRUE(testing::eventually([&] { return ready == 3; }));
  for (std::uint64_t batch = 1; batch <= kBatches; ++batch) {
    std::vector<TokenNote> notes;
    for (std::uint64_t i = 1; i <= kRows; ++i) {
      notes.push_back(note((batch - 1) * kRows + i, batch));
    }
    remember(*counts, notes);
  }
  is_over = true;
  readers.clear();
  EXPECT_EQ(number("select count(*) from token_counts"),
            static_cast<std::int64_t>(kBatches * kRows + 1));
}

}  // namespace
}  // namespace tidemill::catalogue
