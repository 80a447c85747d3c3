#include "tidemill/state/catalogue/scan.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/io/store/db.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::catalogue {
namespace {

using testing::eventually;
using testing::FakeClock;

FileStamp stamp(std::uint64_t inode, std::uint64_t size = 100) {
  return {.device = 1, .inode = inode, .size = size, .mtime_ns = 5'000, .ctime_ns = 6'000};
}

// The views of batches in these tests point to literals, so `text` stays empty.
FileNote note(std::string_view name, FileStamp of, std::string_view hash = {}) {
  return {.name = name,
          .stamp = of,
          .blocks = 8,
          .links = 1,
          .algorithm = static_cast<std::uint8_t>(hash.empty() ? 0 : 1),
          .hash = hash};
}

constexpr std::string_view kHash = "0123456789abcdef";

class ScanTest : public ::testing::Test {
 public:
  ScanTest() {
    std::filesystem::create_directories(folder_);
    clear();
  }
  ~ScanTest() override { std::filesystem::remove_all(folder_); }

 protected:
  void clear() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      std::filesystem::remove(entry);
    }
  }

  [[nodiscard]] std::unique_ptr<Scan> begin(const std::string& root = "/data") const {
    auto scan = Scan::begin(path_, std::vector<ScanRoot>{{.path = root}}, clock_);
    EXPECT_TRUE(scan) << text_of(scan.error());
    return *std::move(scan);
  }

  // A scan that finds /data/a with the files x and y, and /data/a/deep with z.
  void scan_once(std::string_view hash = kHash) const {
    auto scan = begin();
    ASSERT_TRUE(scan->record({.folder = 1,
                              .parent = 0,
                              .name = "a",
                              .files = {note("y", stamp(2)), note("x", stamp(1), hash)}}));
    ASSERT_TRUE(scan->record(
        {.folder = 2, .parent = 1, .name = "deep", .files = {note("z", stamp(3), hash)}}));
    ASSERT_TRUE(scan->finish());
  }

  [[nodiscard]] static Recollection recall(const Scan& scan, FolderKey folder) {
    Recollection into;
    auto memory = scan.memory();
    EXPECT_TRUE(memory);
    EXPECT_TRUE((*memory)->recall(folder, into));
    return into;
  }

  [[nodiscard]] static FolderNote subfolder(const Scan& scan, FolderKey folder,
                                            std::string_view name) {
    const Recollection known = recall(scan, folder);
    for (const FolderNote& each : known.folders) {
      if (each.name == name)
        return {.key = each.key, .is_removed = each.is_removed, .has_error = each.has_error};
    }
    return {};
  }

  [[nodiscard]] std::string text(std::string_view sql) const {
    auto db = store::Db::open(path_, {.mode = store::Open::read});
    auto select = db->prepare(sql);
    EXPECT_TRUE(select) << text_of(select.error());
    return select->one<std::string>().value().value_or("none");
  }
  [[nodiscard]] std::int64_t number(std::string_view sql) const {
    return std::stoll("0" + text(sql));
  }

  [[nodiscard]] std::int64_t now() const {
    return std::chrono::floor<std::chrono::seconds>(clock_.wall()).time_since_epoch().count();
  }

  mutable FakeClock clock_;
  std::string folder_ = ::testing::TempDir() + "catalogue-" + std::to_string(::getpid());
  std::string path_ = folder_ + "/c.db";
};

TEST_F(ScanTest, TheFirstScanMakesTheCatalogueAndTheNextRemembersIt) {
  scan_once();
  auto scan = begin();
  const Recollection top = recall(*scan, scan->root_key(0));
  ASSERT_EQ(top.folders.size(), 1U);
  EXPECT_EQ(top.folders[0].name, "a");
  EXPECT_TRUE(top.files.empty());
  const Recollection a = recall(*scan, top.folders[0].key);
  ASSERT_EQ(a.files.size(), 2U);
  EXPECT_EQ(a.files[0].name, "x");
  EXPECT_EQ(a.files[0].stamp, stamp(1));
  EXPECT_EQ(a.files[0].blocks, 8U);
  EXPECT_EQ(a.files[0].links, 1U);
  EXPECT_EQ(a.files[0].algorithm, 1);
  EXPECT_EQ(a.files[0].hash, kHash);
  EXPECT_EQ(a.files[1].name, "y");
  EXPECT_TRUE(a.files[1].hash.empty());
  EXPECT_EQ(text("select group_concat(path, ' ') from (select path from file_list order by path)"),
            "/data/a/deep/z /data/a/x /data/a/y");
  EXPECT_TRUE(recall(*scan, 0).files.empty());
}

TEST_F(ScanTest, RescanOfAnUnchangedTreeWritesNoFileOrFolderRows) {
  scan_once();
  std::string watch = "create table touched(n);";
  for (const std::string table : {"files", "folders"}) {
    for (const std::string what : {"insert", "update", "delete"}) {
      watch += "create trigger on_" + what + "_" + table + " after " + what + " on " + table +
               " begin insert into touched values (1); end;";
    }
  }
  ASSERT_TRUE(store::Db::open(path_)->exec(watch));
  clock_.advance(std::chrono::hours(1));
  {
    auto scan = begin();
    const FolderNote a = subfolder(*scan, scan->root_key(0), "a");
    ASSERT_TRUE(scan->record({.folder = 1, .key = a.key}));
    ASSERT_TRUE(scan->finish());
  }
  EXPECT_EQ(number("select count(*) from touched"), 0);
  EXPECT_EQ(number("select count(*) from file_list where last_seen = " + std::to_string(now())), 3);
  EXPECT_EQ(number("select scans_started * 10 + scans_completed from roots"), 22);
  EXPECT_EQ(text("select ending from roots"), "complete");
}

TEST_F(ScanTest, ChangedFileLosesItsHashAndKeepsItsFirstSeenTime) {
  scan_once();
  const auto first = now();
  clock_.advance(std::chrono::hours(1));
  auto scan = begin();
  const FolderKey a = subfolder(*scan, scan->root_key(0), "a").key;
  ASSERT_TRUE(scan->record({.folder = 1, .key = a, .files = {note("x", stamp(1, 101))}}));
  ASSERT_TRUE(scan->finish());
  EXPECT_EQ(number("select first_seen from file_list where path = x'2f646174612f612f78'"), first);
  EXPECT_EQ(number("select changed_at from files where name = x'78'"), now());
  EXPECT_EQ(number("select count(*) from files where name = x'78' and hash is null"
                   " and algorithm is null and size = 101"),
            1);
}

TEST_F(ScanTest, IgnoresHashesAndEdgesWithAWrongChecksum) {
  scan_once();
  auto scan = begin();
  const FolderKey a = subfolder(*scan, scan->root_key(0), "a").key;
  FileNote edged = note("x", stamp(1));
  edged.edges = "edge";
  ASSERT_TRUE(scan->record({.folder = 1, .key = a, .files = {edged}}));
  ASSERT_TRUE(scan->finish());
  scan.reset();
  ASSERT_TRUE(
      store::Db::open(path_)->exec("update files set hash = zeroblob(16)"
                                   " where name = x'78'"));
  scan = begin();
  EXPECT_TRUE(recall(*scan, a).files[0].hash.empty());
  EXPECT_EQ(recall(*scan, a).files[0].edges, "edge");
  ASSERT_TRUE(scan->record({.folder = 1, .key = a, .files = {note("x", stamp(1), kHash)}}));
  ASSERT_TRUE(scan->finish());
  scan.reset();
  ASSERT_TRUE(store::Db::open(path_)->exec("update files set edges = x'78' where name = x'78'"));
  scan = begin();
  EXPECT_EQ(recall(*scan, a).files[0].hash, kHash);
  EXPECT_TRUE(recall(*scan, a).files[0].edges.empty());
}

TEST_F(ScanTest, NoteWithoutAHashKeepsTheHashOfTheSameStamp) {
  scan_once();
  auto scan = begin();
  const FolderKey a = subfolder(*scan, scan->root_key(0), "a").key;
  FileNote failed = note("x", stamp(1));
  failed.error = "read: input/output error";
  failed.edges = "edge";
  ASSERT_TRUE(scan->record({.folder = 1, .key = a, .files = {failed}}));
  ASSERT_TRUE(scan->flush());
  Recollection known = recall(*scan, a);
  EXPECT_EQ(known.files[0].hash, kHash);
  EXPECT_EQ(known.files[0].algorithm, 1);
  EXPECT_EQ(known.files[0].edges, "edge");
  EXPECT_EQ(known.files[0].error, "read: input/output error");
  EXPECT_EQ(text("select changed_at from files where name = x'78'"), "");
  // A hash of another algorithm clears the edges of the first one.
  FileNote other = note("x", stamp(1), kHash);
  other.algorithm = 2;
  ASSERT_TRUE(scan->record({.folder = 1, .key = a, .files = {other}}));
  ASSERT_TRUE(scan->flush());
  known = recall(*scan, a);
  EXPECT_EQ(known.files[0].algorithm, 2);
  EXPECT_TRUE(known.files[0].edges.empty());
  EXPECT_TRUE(known.files[0].error.empty());
}

TEST_F(ScanTest, RestoredFileKeepsItsHash) {
  scan_once();
  {
    auto scan = begin();
    const FolderKey a = subfolder(*scan, scan->root_key(0), "a").key;
    ASSERT_TRUE(scan->record({.folder = 1, .key = a, .removed_files = {"x", "never there"}}));
    ASSERT_TRUE(scan->finish());
  }
  EXPECT_EQ(number("select removed_at from files where name = x'78'"), now());
  EXPECT_EQ(number("select count(*) from file_list where last_seen is null"), 1);
  clock_.advance(std::chrono::hours(1));
  auto scan = begin();
  const FolderKey a = subfolder(*scan, scan->root_key(0), "a").key;
  EXPECT_TRUE(recall(*scan, a).files[0].is_removed);
  EXPECT_EQ(recall(*scan, a).files[0].hash, kHash);
  ASSERT_TRUE(scan->record({.folder = 1, .key = a, .files = {note("x", stamp(1))}}));
  ASSERT_TRUE(scan->finish());
  EXPECT_EQ(number("select restored_at from files where name = x'78' and removed_at is null"
                   " and changed_at is null and hash is not null"),
            now());
}

TEST_F(ScanTest, RemovesAFolderWithItsContentsAndRestoresAFolderWithItsParents) {
  scan_once();
  FolderKey deep = 0;
  {
    auto scan = begin();
    const FolderKey a = subfolder(*scan, scan->root_key(0), "a").key;
    deep = subfolder(*scan, a, "deep").key;
    ASSERT_TRUE(scan->record({.folder = 0, .removed_folders = {a}}));
    ASSERT_TRUE(scan->finish());
  }
  EXPECT_EQ(number("select count(*) from files where removed_at is not null"), 3);
  EXPECT_EQ(number("select count(*) from folders where removed_at is not null"), 2);
  auto scan = begin();
  EXPECT_TRUE(subfolder(*scan, scan->root_key(0), "a").is_removed);
  // Restores the folder by its key, and its parent because it is above it.
  ASSERT_TRUE(scan->record({.folder = 7, .key = deep, .files = {note("z", stamp(3))}}));
  ASSERT_TRUE(scan->finish());
  EXPECT_EQ(number("select count(*) from folders where removed_at is not null"), 0);
  EXPECT_EQ(number("select count(*) from files where removed_at is not null"), 2);
}

TEST_F(ScanTest, FindsAFolderByNameWithoutRecallingIt) {
  scan_once();
  scan_once("");
  EXPECT_EQ(number("select count(*) from folders"), 3);
  EXPECT_EQ(number("select count(*) from files where hash is not null"), 2);
}

TEST_F(ScanTest, UnreadableFolderKeepsItsFilesAndItsErrorUntilReadable) {
  scan_once();
  {
    auto scan = begin();
    const FolderKey a = subfolder(*scan, scan->root_key(0), "a").key;
    ASSERT_TRUE(scan->record({.folder = 1, .key = a, .error = "open: no permission"}));
    ASSERT_TRUE(scan->finish());
  }
  EXPECT_EQ(number("select count(*) from files where removed_at is null"), 3);
  EXPECT_EQ(text("select error from folders where name = x'61'"), "open: no permission");
  auto scan = begin();
  const FolderNote a = subfolder(*scan, scan->root_key(0), "a");
  EXPECT_TRUE(a.has_error);
  ASSERT_TRUE(scan->record({.folder = 1, .key = a.key}));
  ASSERT_TRUE(scan->flush());
  EXPECT_FALSE(subfolder(*scan, scan->root_key(0), "a").has_error);
}

TEST_F(ScanTest, LaterHashesLeaveTheFolderUnchanged) {
  auto scan = begin();
  ASSERT_TRUE(scan->record({.folder = 1,
                            .name = "half",
                            .error = "read: stale file handle",
                            .files = {note("x", stamp(1))}}));
  ASSERT_TRUE(scan->record({.folder = 1, .files = {note("x", stamp(1), kHash)}}));
  ASSERT_TRUE(scan->finish());
  EXPECT_EQ(text("select error from folders where name = x'68616c66'"), "read: stale file handle");
  EXPECT_EQ(number("select count(*) from files where hash is not null"), 1);
}

TEST_F(ScanTest, PreservesAnyBytesInNames) {
  std::vector<std::string> names;
  for (int byte = 1; byte < 256; ++byte) {
    if (byte != '/') names.push_back(std::string(1, static_cast<char>(byte)) + "\xff\n'%");
  }
  auto scan = begin("/we\nird\xfe root");
  FolderBatch batch{.folder = 1, .name = "\x80\"\n"};
  for (const std::string& name : names) batch.files.push_back(note(name, stamp(1)));
  ASSERT_TRUE(scan->record(std::move(batch)));
  ASSERT_TRUE(scan->flush());
  const Recollection known = recall(*scan, subfolder(*scan, scan->root_key(0), "\x80\"\n").key);
  ASSERT_EQ(known.files.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(known.files[i].name, names[i]);
}

TEST_F(ScanTest, RecallsAFolderWithManyNamesCompletely) {
  constexpr std::size_t kNames = 50'000;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kNames; ++i) {
    names.push_back(std::to_string(1'000'000 + i) + std::string(20 + i % 200, 'n'));
  }
  auto scan = begin();
  FolderBatch batch{.folder = 1, .name = "wide"};
  for (const std::string& name : names | std::views::reverse) {
    batch.files.push_back(note(name, stamp(1), kHash));
  }
  ASSERT_TRUE(scan->record(std::move(batch)));
  ASSERT_TRUE(scan->flush());
  const Recollection known = recall(*scan, subfolder(*scan, scan->root_key(0), "wide").key);
  ASSERT_EQ(known.files.size(), kNames);
  for (std::size_t i = 0; i < kNames; ++i) {
    ASSERT_EQ(known.files[i].name, names[i]);
    ASSERT_EQ(known.files[i].hash, kHash);
  }
}

TEST_F(ScanTest, ManyWorkersRecordAndRecallAtOnce) {
  constexpr int kWorkers = 4;
  constexpr FolderIndex kFolders = 300;
  auto scan = begin();
  std::vector<std::jthread> workers;
  for (FolderIndex worker = 0; worker < kWorkers; ++worker) {
    workers.emplace_back([&, worker] {
      auto memory = scan->memory();
      Recollection into;
      for (FolderIndex i = 0; i < kFolders; ++i) {
        const FolderIndex folder = 1 + worker * kFolders + i;
        FolderBatch batch{.folder = folder, .name = std::to_string(folder)};
        for (const char* name : {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
          batch.files.push_back(note(name, stamp(folder), kHash));
        }
        EXPECT_TRUE(scan->record(std::move(batch)));
        EXPECT_TRUE((*memory)->recall(scan->root_key(0), into));
      }
    });
  }
  workers.clear();
  ASSERT_TRUE(scan->finish());
  EXPECT_EQ(number("select count(*) from files"), kWorkers * kFolders * 9);
}

TEST_F(ScanTest, CommitsPendingBatchesAfterHalfASecond) {
  auto scan = begin();
  ASSERT_TRUE(scan->record({.folder = 1, .name = "a", .files = {note("x", stamp(1))}}));
  EXPECT_EQ(number("select count(*) from files"), 0);
  ASSERT_TRUE(eventually([&] {
    clock_.advance(std::chrono::milliseconds(500));
    return number("select count(*) from files") == 1;
  }));
}

TEST_F(ScanTest, UnfinishedScanIsInterruptedAndKeepsItsRecords) {
  {
    auto scan = begin();
    ASSERT_TRUE(scan->record({.folder = 1, .name = "a", .files = {note("x", stamp(1))}}));
  }
  EXPECT_EQ(number("select count(*) from files"), 1);
  EXPECT_EQ(text("select ending from roots"), "interrupted");
  EXPECT_EQ(number("select scans_completed from roots"), 0);
}

TEST_F(ScanTest, RefusesASecondScanOfTheSameRootOnly) {
  auto scan = begin("/one");
  const std::vector<ScanRoot> roots{{.path = "/other"}, {.path = "/one", .folder = 1}};
  const auto refused = Scan::begin(path_, roots, clock_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "lock");
  EXPECT_EQ(refused.error().kind, FailureKind::held);
  EXPECT_EQ(refused.error().cure, Cure::retry);
  EXPECT_NE(refused.error().reason.find("process " + std::to_string(::getpid())), std::string::npos)
      << refused.error().reason;
  EXPECT_NE(refused.error().reason.find("/one"), std::string::npos);
  auto other = begin("/other");  // not locked: all roots or none
  ASSERT_TRUE(other->record({.folder = 1, .name = "a", .files = {note("x", stamp(1))}}));
  ASSERT_TRUE(scan->record({.folder = 1, .name = "a", .files = {note("x", stamp(1))}}));
  ASSERT_TRUE(other->finish());
  ASSERT_TRUE(scan->finish());
  scan.reset();
  EXPECT_EQ(number("select count(*) from files"), 2);
  EXPECT_NE(begin("/one"), nullptr);
}

TEST_F(ScanTest, KilledScannerLeavesAValidFileAndNoLock) {
  constexpr std::int64_t kAtLeast = 3'000;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    auto scan = Scan::begin(path_, std::vector<ScanRoot>{{.path = "/data"}}, clock_);
    for (FolderIndex i = 1; scan && i < 1'000'000; ++i) {
      FolderBatch batch{.folder = i, .parent = i / 2, .name = std::to_string(i)};
      for (const char* name : {"a", "b", "c"}) batch.files.push_back(note(name, stamp(i), kHash));
      if (!(*scan)->record(std::move(batch))) break;
    }
    ::_exit(1);
  }
  ASSERT_TRUE(eventually([&] {
    auto db = store::Db::open(path_, {.mode = store::Open::read});
    if (!db) return false;
    auto count = db->prepare("select count(*) from files");
    if (!count) return false;
    const auto rows = count->one<std::int64_t>();
    return rows && **rows >= kAtLeast;
  }));
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(text("select ending from roots"), "running");
  auto scan = begin();
  EXPECT_EQ(text("pragma integrity_check"), "ok");
  EXPECT_EQ(number("select count(*) from (select count(*) as n from files group by folder)"
                   " where n <> 3"),
            0);
  EXPECT_EQ(number("select count(*) from folders where parent <> 0"),
            number("select count(distinct folder) from files"));
  ASSERT_TRUE(scan->finish());
}

TEST_F(ScanTest, FolderWithoutAParentFailsTheScan) {
  auto scan = begin();
  ASSERT_TRUE(scan->record({.folder = 5, .parent = 4, .name = "lost"}));
  const auto failed = scan->flush();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().step, "catalogue");
  EXPECT_EQ(scan->record({.folder = 1, .name = "a"}), failed);
  EXPECT_EQ(scan->finish(), failed);
}

}  // namespace
}  // namespace tidemill::catalogue
