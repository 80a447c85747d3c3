// The partition file, and searches with a memory limit, compared with searches without one.
#include "tidemill/jobs/dupes/scan/partition_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/log.h"
#include "tidemill/jobs/dupes/report/report_json.h"
#include "tidemill/jobs/dupes/scan/partitions.h"
#include "tidemill/jobs/dupes/scan/search.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/recording_console.h"
#include "tidemill/testing/small_disk.h"
#include "tidemill/ui/command/parse.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;

struct TestFolder : testing::OwnFolder {
  TestFolder() { folder("tree"); }
};

TEST(PartitionFile, LeavesNoDirectoryEntry) {
  const TestFolder folder;
  const auto partition_file = PartitionFile::beside(folder.path() + "/tree/catalogue.db");
  ASSERT_TRUE(partition_file.has_value());
  const PartitionChunk chunk = (*partition_file)->reserve(3);
  ASSERT_TRUE((*partition_file)->write(chunk, "abc").has_value());
  EXPECT_TRUE(fs::is_empty(folder.path() + "/tree"));
  std::string read;
  ASSERT_TRUE((*partition_file)->read(chunk, read).has_value());
  EXPECT_EQ(read, "abc");
}

TEST(PartitionFile, FailsWhenOutOfSpace) {
  const TestFolder folder;
  const auto partition_file = PartitionFile::beside(folder.path() + "/catalogue.db");
  ASSERT_TRUE(partition_file.has_value());
  const testing::SmallDisk room(4096);
  const std::string bytes(10'000, 'x');
  const auto written = (*partition_file)->write((*partition_file)->reserve(bytes.size()), bytes);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().step, "partition file");
}

TEST(PartitionFile, FailsWhereItCannotCreateAFile) {
  EXPECT_FALSE(PartitionFile::beside("/nowhere/at/all/catalogue.db").has_value());
}

TEST(PartitionedFiles, KeepTheirOrderAndShareABucketWithFilesOfEqualSize) {
  const TestFolder folder;
  const auto partition_file = PartitionFile::beside(folder.path() + "/catalogue.db");
  ASSERT_TRUE(partition_file.has_value());
  PartitionedFiles files(**partition_file);
  constexpr std::uint64_t kFiles = 20'000;
  FilePack pack;
  for (std::uint64_t i = 0; i < kFiles; ++i) {
    FileRecord record;
    record.size = i % 1'000;
    record.inode = i;
    pack.add(record, "n\n" + std::to_string(i), i % 3 == 0 ? std::to_string(i) : "", record.size);
    if (i % 777 == 0) {
      ASSERT_TRUE(files.add(pack).has_value());
    }
  }
  ASSERT_TRUE(files.add(pack).has_value());
  ASSERT_TRUE(files.close().has_value());
  std::map<std::uint64_t, std::size_t> span_of_size;
  std::uint64_t count = 0;
  for (const std::size_t first : {0U, 100U, 101U, 255U}) {
    const std::size_t last = first == 0 ? 100 : first == 100 ? 101 : first == 101 ? 255 : 256;
    std::uint64_t least = 0;
    const auto read = files.each(
        first, last, [&](const FileRecord& record, std::string_view name, std::string_view whole) {
          EXPECT_GE(record.inode, least);
          least = record.inode + 1;
          EXPECT_EQ(name, "n\n" + std::to_string(record.inode));
          EXPECT_EQ(whole, record.inode % 3 == 0 ? std::to_string(record.inode) : "");
          EXPECT_EQ(span_of_size.try_emplace(record.size, first).first->second, first);
          ++count;
          return Result<void>();
        });
    EXPECT_TRUE(read.has_value());
  }
  EXPECT_EQ(count, kFiles);
}

TEST(PartitionedFiles, TakeFilesFromSeveralThreads) {
  const TestFolder folder;
  const auto partition_file = PartitionFile::beside(folder.path() + "/catalogue.db");
  ASSERT_TRUE(partition_file.has_value());
  PartitionedFiles files(**partition_file);
  std::atomic<int> failures = 0;
  const auto fill = [&](std::uint64_t from) {
    FilePack pack;
    for (std::uint64_t i = from; i < from + 3'000; ++i) {
      FileRecord record;
      record.inode = i;
      pack.add(record, std::string(i % 50, 'x'), {}, i);
      if (i % 40 == 0 && !files.add(pack)) ++failures;
    }
    if (!files.add(pack)) ++failures;
  };
  {
    const std::jthread one(fill, 0);
    const std::jthread other(fill, 10'000);
  }
  ASSERT_TRUE(files.close().has_value());
  std::set<std::uint64_t> inodes;
  const auto read = files.each(0, PartitionedFiles::kBuckets,
                               [&](const FileRecord& record, std::string_view name, auto) {
                                 EXPECT_EQ(name.size(), record.inode % 50);
                                 inodes.insert(record.inode);
                                 return Result<void>();
                               });
  EXPECT_TRUE(read.has_value());
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(inodes.size(), 6'000);
}

TEST(Partitions, ReserveMemoryForFilesRegardlessOfTheFolderCount) {
  EXPECT_EQ(room_for_files(mib(64), 0), mib(40).count);
  EXPECT_LT(room_for_files(mib(64), 100'000), mib(40).count);
  EXPECT_EQ(room_for_files(mib(64), 100'000'000), mib(4).count);
}

// Two reports from the point where they differ; empty: they are equal.
std::string difference(const std::string& one, const std::string& other) {
  const auto [at, _] = std::ranges::mismatch(one, other);
  const auto from = static_cast<std::size_t>(at - one.begin());
  if (one == other) return {};
  return one.substr(from < 60 ? 0 : from - 60, 160) + "\n  instead of\n" +
         other.substr(from < 60 ? 0 : from - 60, 160);
}

// Which name of a file was read, and which are not known yet, depends on the order of the sweep.
std::string groups_in(const std::string& report) { return report.substr(0, report.find("totals")); }

class SearchingInParts : public ::testing::Test {
 protected:
  // As if some seconds had passed since the files were written. It may ask for a stop.
  struct LaterClock final : Clock {
    [[nodiscard]] Instant now() const override { return real.now(); }
    [[nodiscard]] WallTime wall() const override {
      if (++asked == stop_at) stop.request_stop();
      return real.wall() + std::chrono::seconds(3);
    }
    void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                    Instant until) const override {
      real.wait_until(lock, changed, until);
    }
    SystemClock real;
    mutable std::atomic<int> asked = 0;
    int stop_at = 0;  // never
    mutable std::stop_source stop;
  };

  void SetUp() override {
    options_.roots = {tree_ + "/a", tree_ + "/b"};
    options_.keep = {{.by = KeepBy::newest}};
    options_.least_size = 1;
    options_.least_copies = 2;
  }

  void write(const std::string& path, const std::string& text) const {
    const fs::path whole = tree_ + "/" + path;
    fs::create_directories(whole.parent_path());
    std::ofstream(whole, std::ios::binary) << text;
  }

  // Few sizes, few contents, small and large files, second names, odd names.
  void plant(unsigned seed, int files) const {
    fs::remove_all(tree_);
    std::mt19937 dice(seed);
    const std::size_t sizes[] = {1, 17, 700, 4096, 65'536, 65'537, 70'000};
    std::vector<std::string> made;
    for (const char* root : {"a/", "b/", "kept/"}) fs::create_directories(tree_ + "/" + root);
    for (int i = 0; i < files; ++i) {
      const std::size_t size = sizes[dice() % std::size(sizes)];
      std::string text(size, static_cast<char>('a' + dice() % 2));
      if (dice() % 3 == 0) text[size / 2] = static_cast<char>('A' + dice() % 9);
      const std::string path = (dice() % 2 == 0 ? "a/d" : "b/d") + std::to_string(dice() % 7) +
                               "/n\n\xff" + std::to_string(i);
      write(dice() % 20 == 0 ? "kept/" + std::to_string(i) : path, text);
      if (!fs::exists(tree_ + "/" + path)) continue;
      if (!made.empty() && dice() % 9 == 0) {
        fs::create_hard_link(tree_ + "/" + made[dice() % made.size()], tree_ + "/" + path + "l");
      }
      made.push_back(path);
    }
  }

  // The report of a new search, without its times.
  std::string report(std::optional<Bytes> memory, const std::string& catalogue) {
    options_.memory = memory;
    options_.catalogue = folder_.path() + "/" + catalogue;
    clock_.stop = std::stop_source();
    const command::Context context{
        .console = console_, .log = log_, .clock = clock_, .stop = clock_.stop.get_token()};
    const auto search = Search::make(options_, context);
    EXPECT_TRUE(search.has_value());
    outcome_ = (*search)->run();
    if (!outcome_) return {};
    passes_ = (*search)->passes();
    totals_ = (*search)->totals();
    std::string text;
    JsonReport json(
        [&](std::string_view bytes) {
          text += bytes;
          return Result<void>();
        },
        {});
    EXPECT_TRUE(json.begin((*search)->groups().size()).has_value());
    EXPECT_TRUE((*search)
                    ->groups()
                    .each([&](const Group& group) { return json.group(group).has_value(); })
                    .has_value());
    for (const FileFailure& failed : (*search)->failures().list()) {
      EXPECT_TRUE(json.failure(failed).has_value());
    }
    ScanTotals totals = totals_;
    totals.elapsed = {};
    EXPECT_TRUE(json.end(totals).has_value());
    return text;
  }

  static constexpr Bytes kSome = kib(512);   // some passes
  static constexpr Bytes kLittle = kib(32);  // not even the files of one size fit

  const TestFolder folder_;
  const std::string tree_ = folder_.path() + "/tree";
  DupesOptions options_;
  testing::RecordingConsole console_;
  SilentLog log_;
  LaterClock clock_;
  Result<void> outcome_;
  ScanTotals totals_;
  std::size_t passes_ = 0;
};

TEST_F(SearchingInParts, ReportsTheSameAsASearchOfAllFilesAtOnce) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    plant(seed, 400);
    options_.verify = seed % 2 == 0;
    options_.algorithm = seed % 3 == 0 ? hash::Algorithm::sha256 : hash::Algorithm::xxh3;
    options_.between_roots = seed == 4;
    options_.hash_all = seed == 5;
    options_.references.clear();
    if (seed > 2) options_.references = {tree_ + "/kept"};
    const std::string name = std::to_string(seed);
    const std::string whole = report(std::nullopt, "whole" + name);
    ASSERT_GT(totals_.groups, 10);
    EXPECT_EQ(difference(report(kSome, "some" + name), whole), "") << seed;
    EXPECT_GT(passes_, 1);
    EXPECT_LT(passes_, 8);
    ScanTotals some = totals_;
    EXPECT_EQ(difference(groups_in(report(kLittle, "little" + name)), groups_in(whole)), "")
        << seed;
    EXPECT_GT(passes_, 50);
    // Groups under one root are excluded before they are verified.
    if (options_.between_roots) some.bytes_read = totals_.bytes_read;
    some.elapsed = totals_.elapsed;
    EXPECT_EQ(totals_, some) << seed;
  }
}

TEST_F(SearchingInParts, CachesHashesAndReadsNothingOnTheSecondRun) {
  plant(7, 300);
  for (const Bytes memory : {kSome, kLittle}) {
    const std::string name = "catalogue" + std::to_string(memory.count);
    (void)report(memory, name);
    const std::uint64_t groups = totals_.groups;
    EXPECT_GT(totals_.bytes_read, 0);
    EXPECT_EQ(totals_.remembered, 0);
    const std::string again = report(memory, name);
    EXPECT_EQ(totals_.bytes_read, 0);
    EXPECT_GT(totals_.remembered, 0);
    EXPECT_EQ(totals_.groups, groups);
    EXPECT_EQ(difference(report(std::nullopt, name), again), "");
  }
}

TEST_F(SearchingInParts, IgnoresCataloguedFilesThatTheScanDidNotSelect) {
  plant(8, 300);
  (void)report(std::nullopt, "whole");
  (void)report(kSome, "parts");
  options_.excludes = {"d3"};
  options_.globs = {"*1*"};
  fs::remove_all(tree_ + "/a/d1");
  const std::string whole = groups_in(report(std::nullopt, "whole"));
  ASSERT_GT(totals_.groups, 3);
  EXPECT_EQ(difference(groups_in(report(kSome, "parts")), whole), "");
  EXPECT_EQ(difference(groups_in(report(kLittle, "parts")), whole), "");
}

TEST_F(SearchingInParts, FindsNothingInAnEmptyTree) {
  plant(9, 0);
  EXPECT_EQ(difference(report(kSome, "parts"), report(std::nullopt, "whole")), "");
  EXPECT_EQ(totals_.groups, 0);
}

TEST_F(SearchingInParts, ResumesAfterAStop) {
  plant(10, 400);
  const std::string whole = report(std::nullopt, "whole");
  clock_.stop_at = clock_.asked + 3;  // the scan and one of its workers have started
  (void)report(kSome, "parts");
  ASSERT_FALSE(outcome_.has_value());
  EXPECT_EQ(outcome_.error().cure, Cure::resume);
  clock_.stop_at = 0;
  const std::string parts = groups_in(report(kSome, "parts"));
  ASSERT_TRUE(outcome_.has_value());
  EXPECT_EQ(difference(parts, groups_in(whole)), "");
}

Result<DupesOptions> options_from(const std::vector<std::string>& words) {
  const command::Program program{.name = "tidemill", .verbs = {verb()}};
  const auto parsed = command::parse(program, words, {});
  if (!parsed) return std::unexpected(parsed.error());
  return options_of(std::get<command::Values>(*parsed), WallTime());
}

TEST(Memory, RequiresACatalogueAndRejectsFlagsThatNeedAllFilesInMemory) {
  EXPECT_TRUE(options_from({"dupes", "--memory", "64M"}).has_value());
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--no-catalogue"}, {"--with", "x"}, {"--unique"}, {"--folders"}}) {
    std::vector<std::string> words{"dupes", "--memory", "64M"};
    words.insert(words.end(), more.begin(), more.end());
    const auto options = options_from(words);
    ASSERT_FALSE(options.has_value()) << more.front();
    EXPECT_EQ(options.error().step, "usage");
    EXPECT_NE(options.error().reason.find("--memory"), std::string::npos);
  }
}

}  // namespace
}  // namespace tidemill::dupes
