#include "tidemill/jobs/dupes/report/parts.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::dupes {
namespace {

using history::HistoryPart;
using history::HistoryRow;

Copy file_at(std::string path, std::size_t root = 0) {
  return {.names = {{.path = std::move(path), .root = root}}, .blocks = 10, .links = 1};
}

// Its first copy is kept.
Group group_of(const std::vector<std::string>& paths) {
  Group group{.size = 5'000};
  group.copies.push_back(file_at("kept/a"));
  for (const std::string& path : paths) group.copies.push_back(file_at(path));
  return group;
}

TEST(PartBySize, HasEveryClassBetweenTheSmallestAndTheLargest) {
  SizeClasses sizes;
  sizes.add(1'000, 3, 2'000);
  sizes.add(9'999, 2, 9'999);
  sizes.add(100'000, 2, 0);
  sizes += sizes;
  EXPECT_EQ(part_by_size(sizes).rows,
            (std::vector<HistoryRow>{{.label = "1 to 10 kB", .numbers = {23'998, 4, 6}},
                                     {.label = "10 to 100 kB", .numbers = {0, 0, 0}},
                                     {.label = "100 kB to 1 MB", .numbers = {0, 2, 2}}}));
  EXPECT_TRUE(part_by_size({}).rows.empty());
}

TEST(PartBySize, TheFirstAndTheLastClassHaveNoOtherEnd) {
  EXPECT_EQ(SizeClasses::index_of(0), 0U);
  EXPECT_EQ(SizeClasses::index_of(999), 0U);
  EXPECT_EQ(SizeClasses::index_of(1'000'000'000'000), 10U);
  EXPECT_EQ(SizeClasses::index_of(~std::uint64_t{0}), 10U);
}

TEST(FolderAt, CutsBelowTheRootAndNeverIncludesTheFile) {
  EXPECT_EQ(folder_at("photos/2019/07/a", 6, 1), "photos/2019");
  EXPECT_EQ(folder_at("photos/2019/07/a", 6, 2), "photos/2019/07");
  EXPECT_EQ(folder_at("photos/2019/07/a", 6, 9), "photos/2019/07");
  EXPECT_EQ(folder_at("photos/a", 6, 3), "photos");
  EXPECT_EQ(folder_at("/", 1, 1), "/");
  EXPECT_EQ(folder_at("/home/me/a", 1, 1), "/home");
  EXPECT_EQ(folder_at("/home/me/a", 0, 1), "/home");
  EXPECT_EQ(folder_at("/a", 0, 1), "/");
  EXPECT_EQ(folder_at("a", 0, 1), ".");
  EXPECT_EQ(folder_at("b/a", 0, 2), "b");
}

TEST(FolderShares, CountTheCopiesThatWouldBeRemoved) {
  FolderShares shares({"tree", "archive"});
  Group group = group_of({"tree/one/x", "tree/two/x", "tree/two/y"});
  Copy reference = file_at("archive/one/x", 1);
  reference.names[0].is_reference = true;
  Copy foreign = file_at("tree/three/x");
  foreign.host = "nas";
  Copy linked = file_at("tree/one/z");  // a name elsewhere keeps its blocks
  linked.links = 2;
  group.copies.insert(group.copies.end(), {reference, foreign, linked});
  EXPECT_TRUE(shares.add(group));
  const HistoryPart part = shares.part();
  EXPECT_EQ(part.title, "Duplicates by folder");
  EXPECT_EQ(part.rows, (std::vector<HistoryRow>{{.label = "tree/two", .numbers = {10'240, 2}},
                                                {.label = "tree/one", .numbers = {5'120, 2}}}));
}

TEST(FolderShares, GoDeeperUntilThereAreEnoughFolders) {
  FolderShares shares({"tree"});
  for (int year = 0; year < 3; ++year) {
    for (int month = 0; month < 6; ++month) {
      const std::string folder = "tree/" + std::to_string(year) + "/" + std::to_string(month);
      EXPECT_TRUE(shares.add(group_of({folder + "/deep/er/x", folder + "/deep/y"})));
    }
  }
  const HistoryPart part = shares.part();
  ASSERT_EQ(part.rows.size(), 18U);
  EXPECT_EQ(part.rows.front().label, "tree/0/0");
  EXPECT_EQ(part.rows.front().numbers, (std::vector<std::int64_t>{10'240, 2}));
}

TEST(FolderShares, KeepTheLargestFoldersAndCountTheRest) {
  FolderShares shares({"tree"});
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(shares.add(group_of({"tree/" + std::to_string(i) + "/x"})));
  }
  EXPECT_TRUE(shares.add(group_of({"tree/99/y"})));
  const HistoryPart part = shares.part();
  ASSERT_EQ(part.rows.size(), FolderShares::kMostFolders);
  EXPECT_EQ(part.rows.front().label, "tree/99");
  EXPECT_EQ(part.left_out, 40U);
}

TEST(FolderShares, SayWhenNotAllGroupsWereTaken) {
  FolderShares shares({"tree"});
  const Group group = group_of({"tree/a/x"});
  for (std::size_t i = 0; i < FolderShares::kMostGroups; ++i) ASSERT_TRUE(shares.add(group));
  EXPECT_EQ(shares.part().title, "Duplicates by folder");
  EXPECT_FALSE(shares.add(group));
  EXPECT_EQ(shares.part().title,
            "Duplicates by folder: the 100,000 groups with the most reclaimable bytes");
}

}  // namespace
}  // namespace tidemill::dupes
