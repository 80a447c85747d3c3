// The complete search over real files in a temporary folder, compared with reading every file
// completely.
#include "tidemill/jobs/dupes/scan/search.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/log.h"
#include "tidemill/jobs/dupes/scan/foreign.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;
using Paths = std::set<std::set<std::string>>;

class Searching : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(tree_);
    options_.roots = {tree_};
    options_.least_size = 1;
    options_.least_copies = 2;
    options_.least_overlap = 0.5;
    options_.catalogue = base_ + "/catalogue.db";
  }

  void write(const std::string& path, const std::string& text) const {
    const std::string whole = tree_ + "/" + path;
    fs::create_directories(fs::path(whole).parent_path());
    std::ofstream(whole, std::ios::binary) << text;
  }

  // As if some seconds had passed since the files were written.
  struct LaterClock final : Clock {
    [[nodiscard]] Instant now() const override { return real.now(); }
    [[nodiscard]] WallTime wall() const override { return real.wall() + ahead; }
    void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                    Instant until) const override {
      real.wait_until(lock, changed, until);
    }
    SystemClock real;
    std::chrono::seconds ahead{3};
  };

  std::unique_ptr<Search> search() {
    auto made = Search::make(options_, context_);
    EXPECT_TRUE(made.has_value());
    outcome_ = (*made)->run();
    return *std::move(made);
  }
  std::unique_ptr<Search> found() {
    auto done = search();
    EXPECT_TRUE(outcome_.has_value()) << text_of(outcome_.error());
    return done;
  }

  static Paths groups_of(Search& search) {
    Paths all;
    EXPECT_TRUE(search.groups()
                    .each([&](const Group& group) {
                      std::set<std::string> paths;
                      for (const Copy& copy : group.copies) {
                        for (const FileName& name : copy.names) paths.insert(name.path);
                      }
                      all.insert(paths);
                      return true;
                    })
                    .has_value());
    return all;
  }

  // Reads every file completely; names of one inode count once.
  Paths truth() const {
    std::map<std::string, std::map<ino_t, std::set<std::string>>> by_content;
    for (const auto& entry : fs::recursive_directory_iterator(tree_)) {
      if (entry.is_symlink() || !entry.is_regular_file() || entry.file_size() == 0) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      struct stat seen{};
      ::stat(entry.path().c_str(), &seen);
      by_content[text.str()][seen.st_ino].insert(entry.path());
    }
    Paths all;
    for (const auto& [_, inodes] : by_content) {
      if (inodes.size() < 2) continue;
      std::set<std::string> paths;
      for (const auto& [inode, names] : inodes) paths.insert(names.begin(), names.end());
      all.insert(paths);
    }
    return all;
  }

  // Few sizes, few contents, small and large files, second names, odd names.
  void plant(unsigned seed, int files) const {
    std::mt19937 dice(seed);
    const std::size_t sizes[] = {1, 17, 4096, 65'536, 65'537, 70'000, 300'000};
    std::vector<std::string> made;
    for (int i = 0; i < files; ++i) {
      const std::size_t size = sizes[dice() % std::size(sizes)];
      std::string text(size, static_cast<char>('a' + dice() % 2));
      if (dice() % 3 == 0) text[size / 2] = static_cast<char>('A' + dice() % 2);
      const std::string path = "d" + std::to_string(dice() % 7) + "/e" +
                               std::to_string(dice() % 3) + "/n\n\xff" + std::to_string(i);
      write(path, text);
      if (!made.empty() && dice() % 9 == 0) {
        fs::create_hard_link(tree_ + "/" + made[dice() % made.size()], tree_ + "/" + path + "l");
      }
      made.push_back(path);
    }
    fs::create_symlink(made.front(), tree_ + "/link");
    ::mkfifo((tree_ + "/fifo").c_str(), 0600);
  }

  testing::OwnFolder own_;
  const std::string& base_ = own_.path();
  const std::string tree_ = own_ / "tree";
  DupesOptions options_;
  testing::RecordingConsole console_;
  SilentLog log_;
  LaterClock clock_;
  std::stop_source stop_;
  command::Context context_{
      .console = console_, .log = log_, .clock = clock_, .stop = stop_.get_token()};
  Result<void> outcome_;
};

TEST_F(Searching, FindsExactlyTheFilesWithTheSameContents) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    fs::remove_all(tree_);
    plant(seed, 150);
    options_.verify = seed % 2 == 0;
    options_.algorithm = seed % 3 == 0 ? hash::Algorithm::sha256 : hash::Algorithm::xxh3;
    EXPECT_EQ(groups_of(*found()), truth()) << seed;
  }
}

TEST_F(Searching, ReadsNothingOnTheSecondRunAndOnlyChangesOnTheThird) {
  plant(3, 200);
  const Paths first = groups_of(*found());
  const auto again = found();
  EXPECT_EQ(groups_of(*again), first);
  EXPECT_EQ(again->totals().bytes_read, 0);
  EXPECT_GT(again->totals().remembered, 0);

  write("d1/new", std::string(4096, 'a'));
  write("d2/new", std::string(70'000, 'b'));
  const auto third = found();
  EXPECT_EQ(groups_of(*third), truth());
  EXPECT_GT(third->totals().bytes_read, 0);
  EXPECT_LE(third->totals().bytes_read, 4096 + 2 * 4096 + 70'000);
}

TEST_F(Searching, DetectsAChangeWithAForgedModificationTime) {
  write("a", std::string(5'000, 'x'));
  write("b", std::string(5'000, 'x'));
  EXPECT_EQ(groups_of(*found()).size(), 1);
  struct stat before{};
  ASSERT_EQ(::stat((tree_ + "/a").c_str(), &before), 0);
  const timespec times[] = {before.st_atim, before.st_mtim};
  EXPECT_TRUE(testing::eventually([&] {  // the file system's clock ticks in milliseconds
    write("a", std::string(5'000, 'y'));
    EXPECT_EQ(::utimensat(AT_FDCWD, (tree_ + "/a").c_str(), times, 0), 0);
    struct stat now{};
    EXPECT_EQ(::stat((tree_ + "/a").c_str(), &now), 0);
    return now.st_ctim.tv_sec != before.st_ctim.tv_sec ||
           now.st_ctim.tv_nsec != before.st_ctim.tv_nsec;
  }));
  EXPECT_TRUE(groups_of(*found()).empty());
}

TEST_F(Searching, DoesNotTrustTheHashOfAFileThatIsStillBeingWritten) {
  clock_.ahead = std::chrono::seconds(-60);  // they stay fresh, however long this takes
  write("a", "same");
  write("b", "same");
  EXPECT_EQ(groups_of(*found()).size(), 1);
  EXPECT_GT(found()->totals().bytes_read, 0);
}

TEST_F(Searching, RehashesForAnotherAlgorithmAndCachesTheResult) {
  plant(5, 60);
  const Paths groups = groups_of(*found());
  options_.algorithm = hash::Algorithm::sha512;
  const auto other = found();
  EXPECT_EQ(groups_of(*other), groups);
  EXPECT_GT(other->totals().bytes_read, 0);
  EXPECT_EQ(found()->totals().bytes_read, 0);
}

TEST_F(Searching, DropsRemovedFilesAndFindsThemWhenTheyReturn) {
  write("a", "contents");
  write("b", "contents");
  (void)found();
  fs::rename(tree_ + "/b", base_ + "/b");
  EXPECT_TRUE(groups_of(*found()).empty());
  fs::rename(base_ + "/b", tree_ + "/b");
  EXPECT_EQ(groups_of(*found()).size(), 1);
}

TEST_F(Searching, AFilterDoesNotDropFilesFromTheCatalogue) {
  write("a.txt", "contents");
  write("b.txt", "contents");
  (void)found();
  options_.globs = {"*.jpg"};
  EXPECT_TRUE(groups_of(*found()).empty());
  options_.globs.clear();
  const auto again = found();
  EXPECT_EQ(groups_of(*again).size(), 1);
  EXPECT_EQ(again->totals().bytes_read, 0);
}

TEST_F(Searching, CountsHardLinksOfAFileOnce) {
  write("a", "contents");
  fs::create_hard_link(tree_ + "/a", tree_ + "/b");
  EXPECT_TRUE(groups_of(*found()).empty());
  write("c", "contents");
  const auto some = found();
  EXPECT_EQ(some->totals().redundant, 1);
  EXPECT_EQ(some->totals().by_size.classes[0].groups, 1);
  EXPECT_EQ(some->totals().by_size.classes[0].redundant, 1);
  EXPECT_EQ(groups_of(*some), (Paths{{tree_ + "/a", tree_ + "/b", tree_ + "/c"}}));
}

TEST_F(Searching, ReportsAnUnreadableFileAndContinues) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write("a", "contents");
  write("b", "contents");
  write("c", "contents");
  fs::permissions(tree_ + "/c", fs::perms::none);
  const auto some = found();
  EXPECT_EQ(groups_of(*some).size(), 1);
  EXPECT_EQ(some->failures().count(), 1);
  ASSERT_EQ(console_.said().items.size(), 1);
  EXPECT_EQ(console_.said().items[0].name, tree_ + "/c");
}

TEST(FailuresTest, ReportsEachFailureAsAnItem) {
  testing::RecordingConsole console;
  Failures failures(&console);
  failures.add("a", {.step = "read", .reason = "Input/output error"});
  ASSERT_EQ(console.said().items.size(), 1);
  EXPECT_EQ(console.said().items[0].name, "a");
  EXPECT_EQ(console.said().items[0].state, command::ItemState::failed);
  EXPECT_NE(console.said().items[0].details.at(0).find("Input/output error"), std::string::npos);
}

TEST_F(Searching, StopsOnRequestAndCompletesOnTheNextRun) {
  plant(7, 100);
  stop_.request_stop();
  (void)search();
  ASSERT_FALSE(outcome_.has_value());
  EXPECT_EQ(outcome_.error().cure, Cure::resume);
  stop_ = {};
  context_.stop = stop_.get_token();
  EXPECT_EQ(groups_of(*found()), truth());
}

TEST_F(Searching, ScansNestedRootsOnce) {
  write("a", "contents");
  write("in/b", "contents");
  options_.roots = {tree_ + "/in", tree_, tree_};
  const auto some = found();
  EXPECT_EQ(some->totals().files, 2);
  EXPECT_EQ(groups_of(*some).size(), 1);
}

TEST_F(Searching, BetweenRootsIgnoresDuplicatesWithinOneRoot) {
  write("one/a", "first");
  write("one/b", "first");
  write("one/c", "other");
  write("two/c", "other");
  options_.roots = {tree_ + "/one", tree_ + "/two"};
  options_.between_roots = true;
  EXPECT_EQ(groups_of(*found()), (Paths{{tree_ + "/one/c", tree_ + "/two/c"}}));
}

TEST_F(Searching, ListsUniqueFiles) {
  write("a", "contents");
  write("b", "contents");
  write("c", "else");
  write("d", "alone by size");
  std::vector<std::string> paths;
  const auto some = found();
  ASSERT_TRUE(some->each_unique([&](const Copy& file) {
                    paths.push_back(file.names.front().path);
                    return Result<void>();
                  })
                  .has_value());
  EXPECT_EQ(paths, (std::vector{tree_ + "/c", tree_ + "/d"}));
}

TEST_F(Searching, MatchesCataloguesOfTwoTreesWithoutReading) {
  write("one/a", "shared");
  write("one/b", std::string(100'000, 'x'));
  write("one/c", "alone");
  write("two/a", "shared");
  write("two/b", std::string(100'000, 'x'));
  Paths expected{{tree_ + "/one/a", tree_ + "/two/a"}, {tree_ + "/one/b", tree_ + "/two/b"}};
  DupesOptions both = options_;
  both.roots.clear();
  both.catalogue.clear();
  both.has_catalogue = false;
  for (const std::string half : {"one", "two"}) {
    options_.roots = {tree_ + "/" + half};
    options_.catalogue = base_ + "/" + half + ".db";
    (void)found();
    both.with.push_back(options_.catalogue);
  }
  options_ = both;
  const auto unhashed = found();  // nothing was hashed there: each file had a unique size
  EXPECT_EQ(unhashed->wanted().size(), 4);
  EXPECT_TRUE(groups_of(*unhashed).empty());

  for (const std::string half : {"one", "two"}) {
    options_ = {};
    options_.roots = {tree_ + "/" + half};
    options_.catalogue = base_ + "/" + half + ".db";
    options_.hash_all = true;
    (void)found();
  }
  options_ = both;
  const auto hashed = found();
  EXPECT_EQ(groups_of(*hashed), expected);
  EXPECT_EQ(hashed->totals().bytes_read, 0);
  EXPECT_TRUE(hashed->wanted().empty());
}

TEST_F(Searching, ALargeFileOfAnotherHostIsMatchedByItsHashAlone) {
  write("there/big", std::string(100'000, 'x'));
  write("here/big", std::string(100'000, 'x'));
  options_.roots = {tree_ + "/there"};
  options_.hash_all = true;
  (void)found();
  options_.roots = {tree_ + "/here"};
  options_.with = {options_.catalogue};
  options_.catalogue = base_ + "/here.db";
  options_.hash_all = false;
  EXPECT_EQ(groups_of(*found()).size(), 1);
}

TEST_F(Searching, HashAllHashesEveryFile) {
  plant(9, 80);
  options_.hash_all = true;
  (void)found();
  auto known = catalogue::Catalogue::open(options_.catalogue, catalogue::Catalogue::Access::read);
  ASSERT_TRUE(known.has_value());
  std::set<std::uint64_t> hashed;
  std::set<std::uint64_t> all;
  ASSERT_TRUE(known
                  ->each_file(std::nullopt,
                              [&](const catalogue::FileRow& row) {
                                all.insert(row.note.stamp.inode);
                                if (!row.note.hash.empty()) hashed.insert(row.note.stamp.inode);
                                return true;
                              })
                  .has_value());
  EXPECT_EQ(hashed, all);
}

TEST(Wanted, ALineRoundTripsWithAnyPath) {
  const WantedFile file{.host = "nas box",
                        .algorithm = "xxh3",
                        .size = 12,
                        .path = std::string("/a\tb\nc%41\xff ") + '\x01'};
  const auto read = wanted_files(std::string(kWantedHeading) + wanted_line(file));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, std::vector{file});
  EXPECT_FALSE(wanted_files("something else\n").has_value());
  EXPECT_FALSE(wanted_files(std::string(kWantedHeading) + "h\txxh3\t1\t%4\n").has_value());
}

}  // namespace
}  // namespace tidemill::dupes
