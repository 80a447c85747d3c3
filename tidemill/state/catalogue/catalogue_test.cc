#include "tidemill/state/catalogue/catalogue.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tidemill/io/store/db.h"
#include "tidemill/state/catalogue/scan.h"
#include "tidemill/state/catalogue/token_counts.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::catalogue {
namespace {

using Access = Catalogue::Access;

constexpr std::string_view kHash = "0123456789abcdef";

FileNote note(std::string_view name, std::uint64_t size, std::string_view hash = {}) {
  return {.name = name,
          .stamp = {.device = 1, .inode = size, .size = size, .mtime_ns = 5, .ctime_ns = 6},
          .links = 1,
          .algorithm = static_cast<std::uint8_t>(hash.empty() ? 0 : 1),
          .hash = hash};
}

class CatalogueTest : public ::testing::Test {
 public:
  CatalogueTest() { std::filesystem::create_directories(folder_); }
  ~CatalogueTest() override {
    ::chmod(folder_.c_str(), 0700);
    std::filesystem::remove_all(folder_);
  }

 protected:
  [[nodiscard]] std::unique_ptr<Scan> begin(const std::string& root) const {
    auto scan = Scan::begin(path_, std::vector<ScanRoot>{{.path = root}}, clock_);
    EXPECT_TRUE(scan) << text_of(scan.error());
    return *std::move(scan);
  }

  // <root>/top, <root>/a/x, <root>/a/deep/z with a hash.
  void scan(const std::string& root) const {
    auto scan = begin(root);
    ASSERT_TRUE(scan->record({.folder = 0, .files = {note("top", 7)}}));
    ASSERT_TRUE(scan->record({.folder = 1, .name = "a", .files = {note("x", 10)}}));
    ASSERT_TRUE(
        scan->record({.folder = 2, .parent = 1, .name = "deep", .files = {note("z", 30, kHash)}}));
    ASSERT_TRUE(scan->finish());
  }

  void remove_a(const std::string& root) const {
    auto scan = begin(root);
    auto memory = scan->memory();
    Recollection known;
    ASSERT_TRUE((*memory)->recall(scan->root_key(0), known));
    ASSERT_TRUE(scan->record({.folder = 0, .removed_folders = {known.folders.at(0).key}}));
    memory->reset();
    ASSERT_TRUE(scan->finish());
  }

  [[nodiscard]] Catalogue open(Access access = Access::read) const { return open(path_, access); }
  [[nodiscard]] static Catalogue open(const std::string& path, Access access) {
    auto catalogue = Catalogue::open(path, access);
    EXPECT_TRUE(catalogue) << text_of(catalogue.error());
    return *std::move(catalogue);
  }

  // "root:path" of every file, in the order of each_file.
  [[nodiscard]] static std::vector<std::string> paths(Catalogue& catalogue,
                                                      std::optional<std::int64_t> root = {}) {
    std::vector<std::string> all;
    EXPECT_TRUE(catalogue.each_file(root, [&](const FileRow& row) {
      std::string path(catalogue.folder_path(row.folder).value());
      path += '/';
      path += row.note.name;
      all.push_back(std::move(path));
      return true;
    }));
    return all;
  }

  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  [[nodiscard]] std::vector<std::string> findings_after(const std::string& sql) const {
    auto db = store::Db::open(path_);
    EXPECT_TRUE(db->add_checksum() && db->exec(sql));
    return open().check().value();
  }

  mutable testing::FakeClock clock_;
  std::string folder_ = ::testing::TempDir() + "catalogue-" + std::to_string(::getpid());
  std::string path_ = folder_ + "/c.db";
};

TEST_F(CatalogueTest, ReportsItsOriginAndTheTotalsOfItsRoots) {
  scan("/one");
  scan("/");
  remove_a("/one");
  Catalogue catalogue = open();
  const About about = catalogue.about().value();
  EXPECT_FALSE(about.host.empty());
  EXPECT_GT(about.made_at, 0);
  EXPECT_EQ(about.version, 3);
  const auto roots = catalogue.roots().value();
  ASSERT_EQ(roots.size(), 2U);
  EXPECT_EQ(roots[0].path, "/");
  EXPECT_EQ(roots[0].files, 3U);
  EXPECT_EQ(roots[0].bytes, 47U);
  EXPECT_EQ(roots[0].hashed, 1U);
  EXPECT_EQ(roots[0].removed, 0U);
  EXPECT_EQ(roots[1].files, 1U);
  EXPECT_EQ(roots[1].removed, 2U);
  EXPECT_EQ(roots[1].scans_completed, 2);
  EXPECT_EQ(roots[1].ending, "complete");
  EXPECT_EQ(catalogue.check().value(), std::vector<std::string>{});
}

TEST_F(CatalogueTest, GivesEveryFileWithItsPath) {
  scan("/one");
  scan("/");
  Catalogue catalogue = open();
  EXPECT_EQ(catalogue.folder_path(3).value(), "/one/a/deep");
  EXPECT_EQ(paths(catalogue), (std::vector<std::string>{"/one/top", "/one/a/x", "/one/a/deep/z",
                                                        "/top", "/a/x", "/a/deep/z"}));
  const auto roots = catalogue.roots().value();
  EXPECT_EQ(paths(catalogue, roots[0].id), (std::vector<std::string>{"/top", "/a/x", "/a/deep/z"}));
  int count = 0;
  ASSERT_TRUE(catalogue.each_file({}, [&](const FileRow&) { return ++count < 2; }));
  EXPECT_EQ(count, 2);
}

TEST_F(CatalogueTest, ReportsTheHistoryOfAPath) {
  scan("/one");
  remove_a("/one");
  Catalogue catalogue = open();
  const auto gone = catalogue.file("/one/a/deep/z").value();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].root, "/one");
  EXPECT_EQ(gone[0].hash, kHash);
  EXPECT_GT(gone[0].history.removed_at, 0);
  EXPECT_EQ(gone[0].history.last_seen, 0);
  EXPECT_GT(catalogue.file("/one//top").value().at(0).history.last_seen, 0);
  EXPECT_TRUE(catalogue.file("/one/a/none").value().empty());
  EXPECT_TRUE(catalogue.file("/one/none/z").value().empty());
  EXPECT_TRUE(catalogue.file("/onetop").value().empty());
  EXPECT_TRUE(catalogue.file("/one").value().empty());
}

TEST_F(CatalogueTest, AcceptsAHashOnlyForAMatchingStamp) {
  scan("/one");
  Catalogue catalogue = open(Access::write);
  std::vector<HashNote> notes;
  ASSERT_TRUE(catalogue.each_file({}, [&](const FileRow& row) {
    notes.push_back({.folder = row.folder,
                     .name = row.note.name == "x" ? "x" : "top",
                     .stamp = row.note.stamp,
                     .algorithm = 1,
                     .hash = kHash});
    return notes.size() < 2;
  }));
  ++notes[0].stamp.ctime_ns;
  EXPECT_EQ(catalogue.update_hashes(notes).value(), 1U);
  EXPECT_EQ(catalogue.file("/one/a/x").value().at(0).hash, kHash);
  EXPECT_EQ(catalogue.file("/one/top").value().at(0).hash, "");
  remove_a("/one");
  EXPECT_EQ(catalogue.update_hashes(notes).value(), 0U);
}

TEST_F(CatalogueTest, ForgetsARootUnlessItIsBeingScanned) {
  scan("/one");
  scan("/two");
  Catalogue catalogue = open(Access::write);
  {
    const auto scanner = begin("/one");
    const auto refused = catalogue.forget("/one", clock_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().step, "lock");
    EXPECT_EQ(refused.error().kind, FailureKind::held);
    EXPECT_EQ(refused.error().cure, Cure::retry);
    EXPECT_FALSE(catalogue.purge(clock_.wall(), clock_));
  }
  ASSERT_TRUE(catalogue.forget("/one", clock_));
  EXPECT_EQ(paths(catalogue), (std::vector<std::string>{"/two/top", "/two/a/x", "/two/a/deep/z"}));
  EXPECT_EQ(catalogue.roots().value().size(), 1U);
  EXPECT_FALSE(catalogue.forget("/one", clock_));
  EXPECT_EQ(catalogue.check().value(), std::vector<std::string>{});
  ASSERT_TRUE(catalogue.vacuum());
  scan("/one");
  EXPECT_EQ(paths(catalogue).size(), 6U);
}

TEST_F(CatalogueTest, PurgesFilesAndFoldersRemovedBeforeATime) {
  scan("/one");
  remove_a("/one");
  Catalogue catalogue = open(Access::write);
  const Purged none = catalogue.purge(clock_.wall(), clock_).value();
  EXPECT_EQ(none.files + none.folders, 0);
  clock_.advance(std::chrono::hours(1));
  const Purged purged = catalogue.purge(clock_.wall(), clock_).value();
  EXPECT_EQ(purged.files, 2);
  EXPECT_EQ(purged.folders, 2);
  EXPECT_EQ(paths(catalogue), std::vector<std::string>{"/one/top"});
  EXPECT_EQ(catalogue.check().value(), std::vector<std::string>{});
}

TEST_F(CatalogueTest, ExportsACopyWithoutAWalAndNeverOverwritesAFile) {
  const std::string copy = folder_ + "/copy.db";
  std::ofstream(copy + ".partial") << "somebody's";
  scan("/one");
  {
    const auto scanner = begin("/two");
    Catalogue catalogue = open();
    ASSERT_TRUE(catalogue.export_to(copy));
    const auto again = catalogue.export_to(copy);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().step, "export");
  }
  EXPECT_EQ(std::filesystem::file_size(copy + ".partial"), 10U);
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_FALSE(entry.path().string().starts_with(copy + ".tidemill")) << entry.path();
  }
  std::filesystem::remove(path_);
  Catalogue exported = open(copy, Access::read);
  EXPECT_EQ(paths(exported).size(), 3U);
  EXPECT_FALSE(std::filesystem::exists(copy + "-wal"));
}

TEST_F(CatalogueTest, OpensInAReadOnlyFolder) {
  scan("/one");
  ::chmod(folder_.c_str(), 0500);
  Catalogue catalogue = open();
  EXPECT_EQ(paths(catalogue).size(), 3U);
}

TEST_F(CatalogueTest, OpensAnImmutableFileWithAnyName) {
  scan("/one");
  const std::string odd = folder_ + "/file:a%20b?mode=rw#\xff";
  std::filesystem::rename(path_, odd);
  auto db = store::Db::open(odd, {.mode = store::Open::read, .is_immutable = true});
  ASSERT_TRUE(db) << text_of(db.error());
  EXPECT_EQ(db->prepare("select count(*) from files")->one<std::int64_t>().value(), 3);
  EXPECT_FALSE(std::filesystem::exists(odd + "-wal"));
}

TEST_F(CatalogueTest, RefusesForeignFilesAndOtherVersionsWithoutChangingThem) {
  const auto refusal = [&] {
    const std::string before = bytes();
    const auto read = Catalogue::open(path_, Access::read);
    const auto write = Catalogue::open(path_, Access::write);
    const auto scan = Scan::begin(path_, std::vector<ScanRoot>{{.path = "/x"}}, clock_);
    EXPECT_FALSE(read);
    EXPECT_FALSE(write);
    EXPECT_FALSE(scan);
    EXPECT_EQ(scan.error().cure, Cure::give_up);
    EXPECT_EQ(scan.error().step, "catalogue");
    EXPECT_EQ(bytes(), before);
    return scan.error().reason;
  };
  EXPECT_FALSE(Catalogue::open(path_, Access::read));
  EXPECT_FALSE(std::filesystem::exists(path_));
  ASSERT_TRUE(store::Db::open(path_)->exec("create table t(n)"));
  EXPECT_NE(refusal().find("not a tidemill catalogue"), std::string::npos);
  std::ofstream(path_, std::ios::trunc) << std::string(5'000, 'x');
  EXPECT_NE(refusal().find("not a database"), std::string::npos);
  std::filesystem::remove(path_);
  scan("/one");
  ASSERT_TRUE(store::Db::open(path_)->exec("pragma user_version = 99"));
  EXPECT_NE(refusal().find("version 99"), std::string::npos);
}

TEST_F(CatalogueTest, FoldersAreFoundByTheirPathsBelowAnyRoot) {
  scan("/one");
  scan("/two");
  Catalogue catalogue = open();
  const std::vector<std::string> paths{"/one",    "/two/a/deep", "/two/a", "/two/b",
                                       "/onetwo", "/",           ""};
  const auto keys = catalogue.folder_keys(paths).value();
  ASSERT_EQ(keys.size(), paths.size());
  for (const std::size_t i : {0U, 1U, 2U}) {
    EXPECT_EQ(catalogue.folder_path(keys[i]).value(), paths[i]);
  }
  for (std::size_t i = 3; i < keys.size(); ++i) EXPECT_EQ(keys[i], 0) << paths[i];
}

TEST_F(CatalogueTest, ReportsHowMuchWouldBePurged) {
  scan("/one");
  remove_a("/one");
  Catalogue catalogue = open(Access::write);
  const WallTime later = clock_.wall() + std::chrono::hours(1);
  const Purged told = catalogue.purgeable(later).value();
  EXPECT_EQ(told.files, 2);
  EXPECT_EQ(told.folders, 2);
  const Purged purged = catalogue.purge(later, clock_).value();
  EXPECT_EQ(purged.files, told.files);
  EXPECT_EQ(purged.folders, told.folders);
  EXPECT_EQ(catalogue.purgeable(later).value().files, 0);
}

TEST_F(CatalogueTest, CheckFindsInvalidRows) {
  scan("/one");
  EXPECT_EQ(
      findings_after("update files set hash = x'00', hash_checksum = checksum("
                     "x'00') where name = x'7a'"),
      std::vector<std::string>{"files whose hash does not have the length of its algorithm: 1"});
  EXPECT_EQ(
      findings_after("update files set hash = zeroblob(16), hash_checksum ="
                     " hash_checksum + 1 where name = x'7a'"),
      std::vector<std::string>{"files with a wrong checksum, which the next scan reads again: 1"});
  EXPECT_EQ(
      findings_after(
          "update files set hash = null, hash_checksum = null; update folders set removed_at = 5"
          " where name = x'61'")
          .size(),
      2U);
  EXPECT_EQ(findings_after("update folders set removed_at = null;"
                           " insert into files select 77, name, size, 0, 0, 0, 0, 0, 0, null, null,"
                           " null, null, null, 1, null, null, null, null from files limit 1"),
            std::vector<std::string>{"files without a folder: 1"});
  EXPECT_EQ(findings_after("delete from files where folder = 77; update folders set parent ="
                           " (select max(id) from folders) where name = x'61'"),
            std::vector<std::string>{"folders that are not below any root: 2"});
  Catalogue catalogue = open();
  EXPECT_FALSE(catalogue.folder_path(2));  // a cycle has no path
}

// The usual file system of SQLite, on a disk that is full when the test says so.
struct FullDisk {
  std::atomic<bool> is_full = false;
  std::array<sqlite3_io_methods, 2> usual{};  // of the database, of its log
  std::array<sqlite3_io_methods, 2> full{};
};

FullDisk& disk() {
  static FullDisk instance;
  return instance;
}

template <std::size_t Which>
int write_or_full(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  if (disk().is_full) return SQLITE_FULL;
  return disk().usual[Which].xWrite(file, from, size, at);
}

template <std::size_t Which>
void replace_methods(sqlite3_file* file) {
  disk().usual[Which] = disk().full[Which] = *file->pMethods;
  disk().full[Which].xWrite = write_or_full<Which>;
  file->pMethods = &disk().full[Which];
}

int open_file(sqlite3_vfs* /*vfs*/, sqlite3_filename name, sqlite3_file* file, int flags,
              int* out) {
  sqlite3_vfs* usual = sqlite3_vfs_find("unix");
  const int code = usual->xOpen(usual, name, file, flags, out);
  if (file->pMethods == nullptr) return code;
  (flags & SQLITE_OPEN_MAIN_DB) != 0 ? replace_methods<0>(file) : replace_methods<1>(file);
  return code;
}

TEST_F(CatalogueTest, AFullDiskStopsTheScanAndDamagesNothing) {
  static sqlite3_vfs vfs = *sqlite3_vfs_find("unix");
  vfs.zName = "full";
  vfs.xOpen = open_file;
  sqlite3_vfs_register(&vfs, 1);
  scan("/one");
  {
    auto scanner = begin("/one");
    disk().is_full = true;
    ASSERT_TRUE(scanner->record({.folder = 9, .name = "new", .files = {note("n", 1)}}));
    const auto full = scanner->flush();
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().cure, Cure::retry);
    EXPECT_EQ(full.error().step, "disk full");
    EXPECT_EQ(scanner->record({.folder = 9, .files = {note("n", 1)}}), full);
    EXPECT_EQ(scanner->finish(), full);
  }
  disk().is_full = false;
  Catalogue catalogue = open();
  EXPECT_EQ(catalogue.check().value(), std::vector<std::string>{});
  EXPECT_EQ(paths(catalogue).size(), 3U);
  EXPECT_EQ(catalogue.roots().value().at(0).ending, "running");
  scan("/one");
  sqlite3_vfs_unregister(&vfs);
}

TEST_F(CatalogueTest, FullDiskRollsBackABatchOfTokenCounts) {
  static sqlite3_vfs vfs = *sqlite3_vfs_find("unix");
  vfs.zName = "full for counts";
  vfs.xOpen = open_file;
  sqlite3_vfs_register(&vfs, 1);
  const std::vector<TokenNote> notes{
      {.stamp = {.device = 1, .inode = 2, .size = 3, .mtime_ns = 4, .ctime_ns = 5}, .tokens = 6}};
  {
    const auto counts = TokenCounts::open(path_, "words", clock_).value();
    const auto reader = counts->reader().value();
    disk().is_full = true;
    const auto full = counts->remember(notes);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().cure, Cure::retry);
    EXPECT_EQ(full.error().step, "disk full");
    disk().is_full = false;
    EXPECT_FALSE(reader->recall(notes[0].stamp).value());
    EXPECT_TRUE(counts->remember(notes));
    EXPECT_TRUE(reader->recall(notes[0].stamp).value());
  }
  sqlite3_vfs_unregister(&vfs);
}

}  // namespace
}  // namespace tidemill::catalogue
