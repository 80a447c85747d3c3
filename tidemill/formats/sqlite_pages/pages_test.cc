#include <sys/resource.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "tidemill/base/result.h"
#include "tidemill/formats/sqlite_pages/row_count.h"
#include "tidemill/formats/sqlite_pages/sample_tables.h"
#include "tidemill/io/store/db.h"

namespace tidemill::sqlite_pages {
namespace {

// A new file that is removed when the test ends.
class Pages : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::unique_ptr<PageFile> create(std::uint32_t page_size) {
    std::filesystem::remove(path_);
    auto file = PageFile::create(path_, page_size);
    EXPECT_TRUE(file) << text_of(file.error());
    return *std::move(file);
  }

  static void expect_ok(const Result<void>& result, const std::string& where = {}) {
    EXPECT_TRUE(result) << text_of(result.error()) << " " << where;
  }

  void build_and_compare(std::deque<SampleTable>& tables, std::vector<SampleBatch>& batches,
                         PageFile& file, unsigned threads = 1) {
    expect_ok(lay_all(batches, file, threads));
    expect_ok(finish_all(tables, file));
    expect_ok(compare_all(tables, path_, true));
  }

  const std::string path_ = ::testing::TempDir() + "pages_" + std::to_string(::getpid());
  SampleBytes bytes_{};
};

std::string random_bytes(unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(300 + random() % 600, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  bytes[0] = static_cast<char>(seed);  // every page size in turn
  return bytes;
}

TEST_F(Pages, OfRandomTablesAreValidAndReadBackEqual) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::filesystem::remove(path_);
    expect_ok(try_tables(random_bytes(seed), path_, 1, seed % 2 == 0), std::to_string(seed));
  }
}

TEST_F(Pages, CanBeWrittenByManyThreads) {
  for (unsigned seed = 100; seed < 130; ++seed) {
    std::filesystem::remove(path_);
    expect_ok(try_tables(random_bytes(seed), path_, 4, true), std::to_string(seed));
  }
}

// The limits of the three rules for the bytes on the leaf, with 0 to 3 overflow pages.
TEST_F(Pages, HoldRowsOfEverySizeAroundTheLimits) {
  for (std::uint32_t page = 4096; page <= 65536; page *= 2) {
    const auto file = create(page);
    std::deque<SampleTable> tables;
    std::vector<SampleBatch> batches(1);
    batches[0].table = &tables.emplace_back(*file, 0);
    std::int64_t rowid = 0;
    for (const std::size_t limit : {most_local(page), least_local(page), page - 4}) {
      for (const std::size_t pages : {0U, 1U, 3U}) {
        for (std::size_t by = 0; by < 5; ++by) {
          const std::size_t payload = limit + pages * (page - 4) + by - 2;
          const std::size_t size = text_for_payload(payload);
          if (size == 0) continue;
          add_row(batches[0], ++rowid, {{.type = CellType::text, .bytes = bytes_.of(size)}});
          EXPECT_EQ(batches[0].cells.rows().back().payload, payload);
        }
      }
    }
    build_and_compare(tables, batches, *file);
  }
}

// 4-KiB pages and rows without columns: 510 rows per leaf, 454 leaves per interior page.
TEST_F(Pages, FormTreesOfSeveralLevels) {
  for (const std::int64_t count : {0, 1, 510, 2'000, 250'000}) {
    const auto file = create(4096);
    std::deque<SampleTable> tables;
    std::vector<SampleBatch> batches;
    SampleTable& table = tables.emplace_back(*file, 0);
    for (std::int64_t i = 0; i < count; ++i) {
      if (i % 5'000 == 0) batches.emplace_back().table = &table;
      add_row(batches.back(), i, {});
    }
    build_and_compare(tables, batches, *file);
  }
}

// Every number of children around a full interior page (527 with these rowids), so that the next
// page would get none, one or two.
TEST_F(Pages, LeaveNoInteriorPageWithASingleChild) {
  const auto file = create(4096);
  std::deque<SampleTable> tables;
  std::vector<SampleBatch> batches;
  for (std::int64_t leaves = 524; leaves < 532; ++leaves) {
    batches.emplace_back().table = &tables.emplace_back(*file, leaves);
    for (std::int64_t i = 0; i < leaves; ++i) {  // only one fits on a page
      add_row(batches.back(), i, {{.type = CellType::text, .bytes = bytes_.of(2100)}});
    }
  }
  build_and_compare(tables, batches, *file);
}

// Collects the leaves below an interior page; returns its height above them, or -1 if the tree is
// invalid.
int climb(PageFile& file, const std::string& page, std::uint32_t last_leaf,
          std::vector<Leaves::Leaf>& leaves) {
  const auto number = [&](std::size_t at, unsigned width) {
    std::uint32_t value = 0;
    while (width-- > 0) value = value << 8U | static_cast<unsigned char>(page[at++]);
    return value;
  };
  if (page[0] != kInterior || number(3, 2) == 0) return -1;
  int height = 0;
  for (std::uint32_t i = 0; i <= number(3, 2); ++i) {
    const bool is_right = i == number(3, 2);
    const std::uint32_t cell = is_right ? 8 : number(12 + 2 * i, 2);
    std::uint64_t key = 0;
    if (!is_right) read_varint(page.data() + cell + 4, key);
    const std::uint32_t child = number(cell, 4);
    int below = 0;
    if (child <= last_leaf) {
      leaves.push_back({.page = child, .last = static_cast<std::int64_t>(key)});
    } else {
      below = climb(file, *file.read(child), last_leaf, leaves);
      if (!is_right) leaves.back().last = static_cast<std::int64_t>(key);
    }
    if (below < 0 || (i > 0 && below + 1 != height)) return -1;
    height = below + 1;
  }
  return height;
}

// Rowids of nine bytes: a page holds 273 children and is closed with 272. The leaves (300 MB) are
// not written.
TEST_F(Pages, FormTreesOfThreeInteriorLevels) {
  constexpr std::uint32_t kTwoLevels = 272 * 272 + 273;
  for (const std::uint32_t count : {2U, 272U, 273U, 274U, 275U, kTwoLevels - 1, kTwoLevels,
                                    kTwoLevels + 1, kTwoLevels + 2, 100'000U}) {
    const auto file = create(4096);
    const auto run = *file->take(count);
    Leaves leaves;
    for (std::uint32_t i = 0; i < count; ++i) {
      leaves.list.push_back({.page = run.first + i, .last = std::int64_t{i} - 200'000});
    }
    TableBuilder builder(*file);
    expect_ok(builder.append(leaves));
    std::vector<Leaves::Leaf> found;
    const int height = climb(*file, *builder.finish(), run.first + count - 1, found);
    EXPECT_EQ(height, count <= 273 ? 1 : count <= kTwoLevels ? 2 : 3) << count;
    ASSERT_EQ(found.size(), count);
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(found[i].page, leaves.list[i].page);
      ASSERT_TRUE(i + 1 == count || found[i].last == leaves.list[i].last);
    }
  }
}

TEST_F(Pages, AreReusedAfterATableIsAbandoned) {
  const auto file = create(4096);
  std::deque<SampleTable> tables;
  SampleTable& kept = tables.emplace_back(*file, 0);
  SampleTable& dropped = tables.emplace_back(*file, 1);
  std::vector<SampleBatch> batches;
  for (std::int64_t i = 0; i < 2'000; ++i) {
    if (i % 10 == 0) batches.emplace_back().table = i % 20 == 0 ? &kept : &dropped;
    add_row(batches.back(), i, {{.type = CellType::blob, .bytes = bytes_.of(3'000)}});
  }
  expect_ok(lay_all(batches, *file, 1));
  const std::uint64_t before = file->bytes();
  dropped.builder.abandon();
  dropped.rows.clear();
  batches.clear();
  batches.emplace_back().table = &dropped;
  for (std::int64_t i = 0; i < 900; ++i) {
    add_row(batches.back(), i, {{.type = CellType::blob, .bytes = bytes_.of(3'000)}});
  }
  expect_ok(lay_all(batches, *file, 1));
  EXPECT_LE(file->bytes(), before);
  expect_ok(finish_all(tables, *file));
  expect_ok(compare_all(tables, path_, true));
}

TEST_F(Pages, LeaveAnEmptyFileWhenEverythingIsAbandoned) {
  const auto file = create(8192);
  std::deque<SampleTable> tables;
  std::vector<SampleBatch> batches(1);
  batches[0].table = &tables.emplace_back(*file, 0);
  for (std::int64_t i = 0; i < 500; ++i) {
    add_row(batches[0], i, {{.type = CellType::text, .bytes = bytes_.of(900)}});
  }
  expect_ok(lay_all(batches, *file, 1));
  tables[0].builder.abandon();
  tables[0].is_abandoned = true;
  EXPECT_EQ(file->bytes(), 8192U);  // page 1
  expect_ok(finish_all(tables, *file));
  expect_ok(compare_all(tables, path_, false));
}

// The file has a hole up to 1 GiB: its pages are taken first and given back last.
TEST_F(Pages, NeverUseTheLockPage) {
  for (const std::uint32_t distance : {1U, 2U, 10U}) {
    const auto file = create(65536);
    const auto hole = *file->take(16384 - 1 - distance);
    ASSERT_EQ(hole.count, 16384 - 1 - distance);
    std::deque<SampleTable> tables;
    SampleTable& table = tables.emplace_back(*file, 0);
    std::vector<SampleBatch> batches(2);
    batches[0].table = batches[1].table = &table;
    add_row(batches[0], 1, {{.type = CellType::text, .bytes = bytes_.of(2'000'000)}});
    for (std::int64_t i = 2; i < 40; ++i) {
      add_row(batches[1], i, {{.type = CellType::text, .bytes = bytes_.of(50'000)}});
    }
    expect_ok(lay_all(batches, *file, 1));
    for (const SampleBatch& batch : batches) {
      for (const auto& run : batch.leaves->runs) {
        EXPECT_FALSE(run.first <= 16385 && 16385 < run.first + run.count);
      }
    }
    file->give_back(hole);
    expect_ok(finish_all(tables, *file));
    expect_ok(compare_all(tables, path_, true));
  }
}

TEST_F(Pages, EndBeforeTheLockPageWhenLaterPagesAreFreed) {
  const auto file = create(65536);
  const auto hole = *file->take(16383);
  const auto behind = *file->take(3);
  ASSERT_EQ(hole.first + hole.count, 16385U);
  ASSERT_EQ(behind.first, 16386U);
  file->give_back(behind);
  EXPECT_EQ(file->bytes(), std::uint64_t{1} << 30U);
  file->give_back(hole);
  EXPECT_EQ(file->bytes(), 65536U);
}

// 4-KiB pages: a trunk lists 1016.
TEST_F(Pages, FreePagesSpanSeveralTrunks) {
  for (const std::uint32_t count : {1U, 1017U, 1018U, 3'051U, 5'000U}) {
    const auto file = create(4096);
    const auto hole = *file->take(count);
    std::deque<SampleTable> tables;
    std::vector<SampleBatch> batches(1);
    batches[0].table = &tables.emplace_back(*file, 0);
    add_row(batches[0], 1, {{.type = CellType::text, .bytes = bytes_.of(50'000)}});
    expect_ok(lay_all(batches, *file, 1));
    file->give_back(hole);
    expect_ok(finish_all(tables, *file));
    expect_ok(compare_all(tables, path_, true));
  }
}

TEST_F(Pages, AdjacentFreedPagesMergeIntoOneRun) {
  const auto file = create(4096);
  const auto low = *file->take(5);
  const auto middle = *file->take(6);
  const auto high = *file->take(7);
  const auto kept = *file->take(1);
  for (const auto& run : {low, high, middle}) file->give_back(run);
  const auto again = *file->take(100);
  EXPECT_EQ(again.first, low.first);
  EXPECT_EQ(again.count, 18U);
  EXPECT_EQ(kept.first, again.first + again.count);
}

// Shows that the check detects damage.
TEST_F(Pages, DamageIsDetected) {
  for (const int damage : {0, 1, 2}) {
    const auto file = create(4096);
    std::deque<SampleTable> tables;
    std::vector<SampleBatch> batches(1);
    batches[0].table = &tables.emplace_back(*file, 0);
    for (std::int64_t i = 1; i <= 200; ++i) {
      add_row(batches[0], i,
              {{.type = CellType::text, .bytes = bytes_.of(i == 100 ? 9'000 : 300)}});
    }
    expect_ok(lay_all(batches, *file, 1));
    expect_ok(finish_all(tables, *file));
    expect_ok(compare_all(tables, path_, false));
    const std::uint32_t leaf = batches[0].leaves->list[2].page;
    std::string page = *file->read(leaf);
    if (damage == 0) page[8] = page[10];              // a cell twice
    if (damage == 1) page.assign(page.size(), '\0');  // a page that was never written
    if (damage == 2) page[page.size() - 10] ^= 1;     // only the comparison detects this
    expect_ok(file->write(leaf, page));
    const auto seen = compare_all(tables, path_, false);
    ASSERT_FALSE(seen);
    EXPECT_EQ(seen.error().reason.ends_with("differs"), damage == 2) << seen.error().reason;
  }
}

TEST_F(Pages, RejectATableThatSqliteWouldIndex) {
  const auto file = create(4096);
  const std::string root = *TableBuilder(*file).finish();
  const std::vector<BuiltTable> tables{
      {.name = "t", .create = "create table t(a unique)", .root = root}};
  const auto finished = file->finish(tables);
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().reason.find("unique"), std::string::npos);
}

TEST_F(Pages, AreOnlyWrittenIntoANewFile) {
  std::ofstream(path_) << "something";
  EXPECT_FALSE(PageFile::create(path_, 4096));
  EXPECT_FALSE(PageFile::create("/nowhere/at/all", 4096));
  EXPECT_FALSE(PageFile::create("/dev/null", 4096));
  for (const std::uint32_t size : {0U, 2048U, 5000U, 131072U}) {
    EXPECT_FALSE(PageFile::create(path_ + "new", size));
    EXPECT_FALSE(std::filesystem::exists(path_ + "new"));
  }
}

TEST_F(Pages, ReportWhichFileCouldNotBeWritten) {
  const auto file = create(4096);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit low{.rlim_cur = 100'000, .rlim_max = old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  CellBatch cells;
  const std::string_view text = bytes_.of(200'000);
  cells.add(1, std::vector<CellValue>{{.type = CellType::text, .bytes = text}});
  LayoutBuffers buffers;
  const auto laid = lay(cells, *file, buffers);
  give_back(*file, buffers);
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, ignored);
  ASSERT_FALSE(laid);
  EXPECT_EQ(laid.error().step, "write");
  EXPECT_EQ(laid.error().cure, Cure::give_up);
  EXPECT_NE(laid.error().reason.find(path_), std::string::npos);
  EXPECT_EQ(file->bytes(), 4096U);  // no page is lost
}

// Files written by SQLite: leaves, interior pages of two levels, and the schema on page 1.
TEST_F(Pages, RowsAreCountedFromTheLeaves) {
  std::filesystem::remove(path_);
  std::uint32_t root = 0;
  {
    auto db = store::Db::open(path_);
    ASSERT_TRUE(db);
    expect_ok(
        db->exec("PRAGMA page_size = 512; CREATE TABLE t (a); "
                 "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                 "WHERE i < 30000) INSERT INTO t SELECT 'row ' || i FROM n"));
    auto query = db->prepare("SELECT rootpage FROM sqlite_schema");
    ASSERT_TRUE(query);
    root = static_cast<std::uint32_t>(query->one<std::int64_t>().value().value());
  }
  EXPECT_EQ(count_rows(path_, root).value_or(0), 30'000U);
  EXPECT_EQ(count_rows(path_, 1).value_or(0), 1U);
  EXPECT_FALSE(count_rows(path_, 1'000'000));
  EXPECT_FALSE(count_rows(path_ + ".none", 1));
  // A page that points to itself must not cause an endless loop.
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>((root - 1) * 512 + 8));
  const char loop[] = {0, 0, static_cast<char>(root >> 8U), static_cast<char>(root & 0xffU)};
  file.write(loop, sizeof loop).flush();
  const auto counted = count_rows(path_, root);
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().step, "count");
}

}  // namespace
}  // namespace tidemill::sqlite_pages
