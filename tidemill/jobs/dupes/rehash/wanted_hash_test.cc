#include "tidemill/jobs/dupes/rehash/wanted_hash.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/log.h"
#include "tidemill/jobs/dupes/rehash/rereader.h"
#include "tidemill/state/catalogue/scan.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;
using catalogue::Catalogue;
using catalogue::KnownFile;

class WantedHashing : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(tree_);
    // Later than any write in these tests: no file is fresh.
    clock_.advance(SystemClock().wall().time_since_epoch() + std::chrono::hours(1));
  }

  static FileStamp stamp(int folder, const char* name) {
    struct stat seen{};
    EXPECT_EQ(::fstatat(folder, name, &seen, AT_SYMLINK_NOFOLLOW), 0) << name;
    return stamp_of(seen);
  }
  FileStamp write(const std::string& name, const std::string& text) const {
    std::ofstream(tree_ + "/" + name, std::ios::binary) << text;
    return stamp(AT_FDCWD, (tree_ + "/" + name).c_str());
  }

  [[nodiscard]] std::string path() const { return base_ + "/catalogue.db"; }
  // Files of one folder, as a scan would record them.
  void scan(const std::string& root, const std::vector<catalogue::FileNote>& files) const {
    auto scan = catalogue::Scan::begin(
        path(), std::vector<catalogue::ScanRoot>{{.path = root, .folder = 0}}, clock_);
    ASSERT_TRUE(scan) << text_of(scan.error());
    ASSERT_TRUE((*scan)->record({.key = (*scan)->root_key(0), .files = files}));
    ASSERT_TRUE((*scan)->finish());
  }
  [[nodiscard]] Catalogue open() const {
    auto opened = Catalogue::open(path(), Catalogue::Access::write);
    EXPECT_TRUE(opened) << text_of(opened.error());
    return *std::move(opened);
  }
  [[nodiscard]] WantedFile line(const std::string& name) {
    return {.host = open().about()->host, .algorithm = "xxh3", .path = tree_ + "/" + name};
  }
  WantedCounts hash(const std::vector<WantedFile>& wanted, std::stop_token stop = {}) {
    Catalogue catalogue = open();
    const command::Context context{
        .console = console_, .log = log_, .clock = clock_, .stop = std::move(stop)};
    auto counts = hash_wanted(wanted, catalogue, failures_, context);
    EXPECT_TRUE(counts) << text_of(counts.error());
    return counts.value_or(WantedCounts{});
  }
  std::string stored(const std::string& name) const {
    const auto cards = open().file(tree_ + "/" + name);
    return cards && !cards->empty() ? cards->front().hash : "no row";
  }

  testing::OwnFolder own_;
  const std::string base_ = fs::canonical(own_.path()).string();
  const std::string tree_ = base_ + "/tree";
  testing::FakeClock clock_;
  SilentLog log_;
  testing::RecordingConsole console_;
  Failures failures_;
};

TEST_F(WantedHashing, HashesOnlyTheRequestedFilesOfThisHost) {
  scan(tree_, {{.name = "a", .stamp = write("a", "one")}, {.name = "b", .stamp = write("b", "2")}});
  WantedFile elsewhere = line("b");
  elsewhere.host += "!";
  const auto counts = hash({line("a"), elsewhere, line("unheard of")});
  EXPECT_EQ(counts, (WantedCounts{.hashed = 1, .other_hosts = 1, .strangers = 1}));
  EXPECT_EQ(stored("a").size(), 16U);
  EXPECT_EQ(stored("b"), "");
  EXPECT_EQ(hash({line("a")}), WantedCounts{.known = 1});
  {
    auto scan =
        catalogue::Scan::begin(path(), std::vector<catalogue::ScanRoot>{{.path = tree_}}, clock_);
    ASSERT_TRUE((*scan)->record({.key = (*scan)->root_key(0), .removed_files = {"b"}}));
    ASSERT_TRUE((*scan)->finish());
  }
  EXPECT_EQ(hash({line("b")}), WantedCounts{.strangers = 1});
}

TEST_F(WantedHashing, AFailureAffectsOnlyItsOwnFile) {
  const FileStamp changed = write("changed", "before");
  const FileStamp gone = write("gone", "here");
  scan(tree_, {{.name = "changed", .stamp = changed},
               {.name = "gone", .stamp = gone},
               {.name = "good", .stamp = write("good", "x")}});
  write("changed", "afterwards");
  fs::remove(tree_ + "/gone");
  ASSERT_EQ(::mkfifo((tree_ + "/gone").c_str(), 0600), 0);  // must not block
  WantedFile odd = line("good");
  odd.algorithm = "md4";
  const auto counts = hash({line("changed"), line("gone"), line("good"), odd});
  EXPECT_EQ(counts, (WantedCounts{.hashed = 1, .failed = 3}));
  EXPECT_EQ(failures_.count(), 3U);
  EXPECT_EQ(stored("changed"), "");
}

TEST_F(WantedHashing, StoresNoHashForAFileThatWasJustWritten) {
  const FileStamp young = write("young", "x");
  scan(tree_, {{.name = "young", .stamp = young}});
  clock_.advance(std::chrono::nanoseconds(young.ctime_ns) - clock_.wall().time_since_epoch());
  EXPECT_EQ(hash({line("young")}), WantedCounts{.failed = 1});
  EXPECT_EQ(stored("young"), "");
}

TEST_F(WantedHashing, StoresTheHashForEveryRootThatContainsTheFile) {
  const FileStamp stamp = write("x", "contents");
  scan(tree_, {{.name = "x", .stamp = stamp}});
  auto scan =
      catalogue::Scan::begin(path(), std::vector<catalogue::ScanRoot>{{.path = base_}}, clock_);
  ASSERT_TRUE(scan);
  ASSERT_TRUE((*scan)->record({.key = (*scan)->root_key(0)}));
  ASSERT_TRUE(
      (*scan)->record({.folder = 1, .name = "tree", .files = {{.name = "x", .stamp = stamp}}}));
  ASSERT_TRUE((*scan)->finish());
  EXPECT_EQ(hash({line("x")}), WantedCounts{.hashed = 1});
  const auto cards = open().file(tree_ + "/x");
  ASSERT_EQ(cards->size(), 2U);
  EXPECT_EQ(cards->front().hash.size(), 16U);
  EXPECT_EQ(cards->front().hash, cards->back().hash);
}

TEST_F(WantedHashing, LeavesTheRestAfterAStop) {
  scan(tree_, {{.name = "x", .stamp = write("x", "contents")}});
  const std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(hash({line("x")}, stop.get_token()), WantedCounts{.left = 1});
  EXPECT_EQ(failures_.count(), 0U);
}

TEST_F(WantedHashing, PagesThroughHashedFilesAndDropsOnlyHashesThatStillMatch) {
  const std::string hash(16, 'h');
  std::vector<catalogue::FileNote> files;
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  for (const std::string& name : names) {
    files.push_back({.name = name, .stamp = write(name, name)});
    if (name != "c") files.back().algorithm = 1, files.back().hash = hash;
  }
  scan(tree_, files);
  Catalogue catalogue = open();
  EXPECT_EQ(catalogue.hashed_total(std::nullopt)->files, 4U);
  EXPECT_EQ(catalogue.hashed_total(7)->files, 0U);
  std::string seen;
  std::vector<KnownFile> all;
  KnownFile last;
  for (int pages = 0; pages < 9; ++pages) {
    const auto page = catalogue.hashed_files(std::nullopt, last, 3);
    ASSERT_TRUE(page) << text_of(page.error());
    if (page->empty()) break;
    for (const KnownFile& file : *page) all.push_back(file), seen += file.name;
    last = page->back();
  }
  EXPECT_EQ(seen, "abde");
  all[1].hash[0] = '?';        // another process has stored one meanwhile
  all[2].stamp.ctime_ns += 1;  // or the file was changed
  EXPECT_EQ(catalogue.drop_hashes(all), 2U);
  EXPECT_EQ(stored("a"), "");
  EXPECT_EQ(stored("b"), hash);
  EXPECT_EQ(stored("d"), hash);
}

TEST_F(WantedHashing, HashesAFileWhosePathExceedsPathMax) {
  const std::string name(200, 'd');
  auto scan =
      catalogue::Scan::begin(path(), std::vector<catalogue::ScanRoot>{{.path = tree_}}, clock_);
  ASSERT_TRUE(scan);
  ASSERT_TRUE((*scan)->record({.key = (*scan)->root_key(0)}));
  Descriptor folder(::open(tree_.c_str(), O_RDONLY | O_DIRECTORY));
  constexpr catalogue::FolderIndex kDepth = 30;
  for (catalogue::FolderIndex i = 1; i <= kDepth; ++i) {
    ASSERT_EQ(::mkdirat(folder.number(), name.c_str(), 0700), 0);
    folder = Descriptor(::openat(folder.number(), name.c_str(), O_RDONLY | O_DIRECTORY));
    catalogue::FolderBatch batch{.folder = i, .parent = i - 1, .name = name};
    if (i == kDepth) {
      const Descriptor file(::openat(folder.number(), "f", O_WRONLY | O_CREAT, 0600));
      ASSERT_EQ(::write(file.number(), "deep", 4), 4);
      batch.files = {{.name = "f", .stamp = stamp(folder.number(), "f")}};
    }
    ASSERT_TRUE((*scan)->record(std::move(batch)));
  }
  ASSERT_TRUE((*scan)->finish());
  scan->reset();
  std::string below;
  for (unsigned i = 0; i < kDepth; ++i) below += name + "/";
  EXPECT_EQ(hash({line(below + "f")}), WantedCounts{.hashed = 1});
  EXPECT_EQ(stored(below + "f").size(), 16U);
}

}  // namespace
}  // namespace tidemill::dupes
