#include "tidemill/state/fleet/roots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tidemill/testing/own_folder.h"

namespace tidemill::fleet {
namespace {

namespace fs = std::filesystem;
using testing::OwnFolder;

// 20 files: 16 are sampled.
void fill(const OwnFolder& folder) {
  for (int i = 0; i < 20; ++i) folder.file("photos/" + std::to_string(i) + ".jpg", "abc");
}

FleetRoot root_of(const OwnFolder& folder) {
  const std::string path = folder / "photos";
  const auto seen = probe(path);
  EXPECT_TRUE(seen) << text_of(seen.error());
  return {.name = "photos", .path = path, .probe = seen.value_or(RootProbe{})};
}

void change(const OwnFolder& folder, const SampledEntry& entry) {
  std::ofstream(folder / ("photos/" + entry.name), std::ios::app) << "more";
}

TEST(Roots, ProbeSamplesSixteenEntriesOfALargeFolder) {
  const OwnFolder folder;
  for (int i = 0; i < 1'200; ++i) folder.file("photos/" + std::to_string(i));
  const FleetRoot root = root_of(folder);
  EXPECT_EQ(root.probe.entries.size(), 16U);
  EXPECT_NE(root.probe.inode, 0U);
}

// Whatever the order in which the file system lists them.
TEST(Roots, EntriesWithTheSmallestHashesAreSampled) {
  const OwnFolder folder;
  fill(folder);
  const RootProbe seen = root_of(folder).probe;
  ASSERT_EQ(seen.entries.size(), 16U);
  EXPECT_EQ(seen.entries[0].name, "5.jpg");
  EXPECT_EQ(seen.entries[1].name, "11.jpg");
  EXPECT_EQ(seen.entries[15].name, "19.jpg");
}

TEST(Roots, NewFilesReplaceFewSampledEntries) {
  const OwnFolder folder;
  fill(folder);
  const RootProbe before = root_of(folder).probe;
  folder.file("photos/new.jpg");
  const RootProbe after = root_of(folder).probe;
  std::size_t kept = 0;
  for (const SampledEntry& entry : after.entries) {
    kept += static_cast<std::size_t>(std::ranges::count(before.entries, entry));
  }
  EXPECT_GE(kept, 15U);
}

TEST(Roots, ProbeFollowsNoLinkAndSamplesFoldersWithoutTheirSize) {
  const OwnFolder folder;
  folder.file("photos/a", "abc").folder("photos/b").file("secret", "0123456789");
  fs::create_symlink(folder / "secret", folder / "photos/c");
  RootProbe seen = root_of(folder).probe;
  std::ranges::sort(seen.entries, {}, &SampledEntry::name);
  ASSERT_EQ(seen.entries.size(), 2U);
  EXPECT_EQ(seen.entries[0].name, "a");
  EXPECT_EQ(seen.entries[0].size, 3U);
  EXPECT_EQ(seen.entries[1].name, "b");
  EXPECT_EQ(seen.entries[1].size, 0U);
}

TEST(Roots, ProbeOfAMissingFolderOrAFileFails) {
  const OwnFolder folder;
  folder.file("a");
  EXPECT_FALSE(probe(folder / "missing"));
  EXPECT_FALSE(probe(folder / "a"));
}

TEST(Roots, TheSameFolderIsFoundWhereItIs) {
  const OwnFolder folder;
  fill(folder);
  const auto found = find_root(root_of(folder), {});
  ASSERT_TRUE(found) << text_of(found.error());
  EXPECT_EQ(*found, folder / "photos");
}

TEST(Roots, MappedRootIsFoundUnderItsOtherPath) {
  const OwnFolder folder;
  fill(folder);
  FleetRoot root = root_of(folder);
  root.path = "/on/the/coordinator";
  EXPECT_FALSE(find_root(root, {}));
  const auto found = find_root(root, {{"photos", folder / "photos"}});
  ASSERT_TRUE(found) << text_of(found.error());
  EXPECT_EQ(*found, folder / "photos");
  EXPECT_FALSE(find_root(root, {{"music", folder / "photos"}}));
}

TEST(Roots, EmptyFolderIsFoundByItsInode) {
  const OwnFolder folder;
  folder.folder("photos").folder("other");
  const FleetRoot root = root_of(folder);
  EXPECT_TRUE(find_root(root, {}));
  EXPECT_FALSE(find_root(root, {{"photos", folder / "other"}}));
}

TEST(Roots, CopyOfAFolderIsNotTheSameFolder) {
  const OwnFolder folder;
  fill(folder);
  fs::copy(folder / "photos", folder / "copy", fs::copy_options::recursive);
  const auto found = find_root(root_of(folder), {{"photos", folder / "copy"}});
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().reason.starts_with("photos: " + (folder / "copy") + " is not " +
                                               (folder / "photos") + " of the coordinator: "))
      << found.error().reason;
  EXPECT_TRUE(found.error().hint.contains("--map photos=FOLDER")) << found.error().hint;
}

TEST(Roots, HalfOfTheSampledEntriesMayChange) {
  const OwnFolder folder;
  fill(folder);
  const FleetRoot root = root_of(folder);
  ASSERT_EQ(root.probe.entries.size(), 16U);
  for (int i = 0; i < 8; ++i) change(folder, root.probe.entries[static_cast<std::size_t>(i)]);
  const auto found = find_root(root, {});
  ASSERT_TRUE(found) << text_of(found.error());
  fs::remove(folder / ("photos/" + root.probe.entries[8].name));
  const auto refused = find_root(root, {});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().reason.contains("9 of 16 entries differ, " +
                                              root.probe.entries[0].name + " has 7 bytes, not 3"))
      << refused.error().reason;
}

TEST(Roots, SizeInodeAndTimeOfAnEntryMatter) {
  const OwnFolder folder;
  folder.file("photos/a", "abc");
  const FleetRoot root = root_of(folder);
  const auto why = [&](auto change) {
    FleetRoot other = root;
    change(other.probe.entries[0]);
    const auto found = find_root(other, {});
    return found ? "found" : found.error().reason;
  };
  EXPECT_EQ(why([](SampledEntry&) {}), "found");
  EXPECT_TRUE(why([](SampledEntry& e) { ++e.inode; }).contains("a has the inode "));
  EXPECT_TRUE(why([](SampledEntry& e) { ++e.size; }).contains("a has 3 bytes, not 4"));
  EXPECT_TRUE(why([](SampledEntry& e) { ++e.changed; }).contains("a was changed at another time"));
}

TEST(Roots, SampledNameThatLeadsOutOfTheFolderDoesNotMatch) {
  const OwnFolder folder;
  folder.folder("photos").file("outside", "abc");
  FleetRoot root = root_of(folder);
  FleetRoot above{.name = "above", .path = folder.path()};
  above.probe = *probe(folder.path());
  for (SampledEntry entry : above.probe.entries) {
    if (entry.name != "outside") continue;
    entry.name = "../outside";
    root.probe.entries = {entry};
  }
  ASSERT_EQ(root.probe.entries.size(), 1U);
  EXPECT_FALSE(find_root(root, {}));
}

TEST(Roots, LinkToASampledFileDoesNotMatch) {
  const OwnFolder folder;
  folder.file("photos/a", "abc").folder("links");
  FleetRoot root = root_of(folder);
  root.probe.inode = probe(folder / "links")->inode;
  fs::create_symlink(folder / "photos/a", folder / "links/a");
  const auto found = find_root(root, {{"photos", folder / "links"}});
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().reason.contains("a is missing")) << found.error().reason;
}

TEST(Roots, MapNamesAFolderForEachRoot) {
  const auto map = root_map_of({"photos=/mnt/photos/", "a=/", "b=/x=y"});
  ASSERT_TRUE(map) << text_of(map.error());
  EXPECT_EQ(*map, (RootMap{{"photos", "/mnt/photos"}, {"a", "/"}, {"b", "/x=y"}}));
}

TEST(Roots, InvalidMapsAreRefused) {
  for (const std::string text : {"photos", "=/mnt", "photos=mnt", "photos="}) {
    const auto map = root_map_of({text});
    ASSERT_FALSE(map) << text;
    EXPECT_EQ(map.error().kind, FailureKind::usage);
    EXPECT_EQ(map.error().subject, "map");
  }
  EXPECT_FALSE(root_map_of({"a=/x", "a=/y"}));
}

}  // namespace
}  // namespace tidemill::fleet
