#include "tidemill/jobs/dupes/report/folders.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/jobs/dupes/report/overlap.h"

namespace tidemill::dupes {
namespace {

// A tree as a list of paths: a file has a content, a folder ends with '/'.
class Tree {
 public:
  Tree& file(const std::string& path, std::uint64_t content, std::uint64_t size = 10) {
    const auto slash = path.rfind('/');
    all_[folder(path.substr(0, slash))].files.push_back(
        {.name = path.substr(slash + 1), .content = content, .size = size});
    return *this;
  }
  std::size_t folder(const std::string& path) {
    if (const auto known = index_.find(path); known != index_.end()) return known->second;
    const auto slash = path.rfind('/');
    const std::size_t parent =
        slash == std::string::npos ? kNoFolder : folder(path.substr(0, slash));
    all_.push_back({.parent = parent,
                    .name = slash == std::string::npos ? path : path.substr(slash + 1),
                    .path = path});
    return index_[path] = all_.size() - 1;
  }
  ReportFolder& operator[](const std::string& path) { return all_[folder(path)]; }
  [[nodiscard]] Folders folders() const { return Folders(all_); }

 private:
  std::vector<ReportFolder> all_;
  std::map<std::string, std::size_t> index_;
};

using Sets = std::vector<std::vector<std::string>>;

Sets sets_of(const Folders& folders) {
  Sets sets;
  for (const SameFolders& same : folders.same()) {
    auto& paths = sets.emplace_back();
    for (const std::size_t member : same.members) paths.push_back(folders[member].path);
  }
  return sets;
}

TEST(Folders, ReportsIdenticalTreesOnceAtTheTop) {
  Tree tree;
  tree.file("r/b/x/f", 7, 30).file("r/b/g", 8, 5).file("r/a/g", 8, 5).file("r/a/x/f", 7, 30);
  tree.folder("r/a/empty");
  tree.folder("r/b/empty");
  const Folders folders = tree.folders();
  EXPECT_EQ(sets_of(folders), (Sets{{"r/a", "r/b"}}));  // without x, which is inside
  EXPECT_EQ(folders.same().front().files, 2U);
  EXPECT_EQ(folders.same().front().bytes, 35U);
}

TEST(Folders, DifferentNamesOrContentsDoNotMatch) {
  const auto sets = [](const auto& change) {
    Tree tree;
    tree.file("a/x/f", 7).file("b/x/f", 7).file("a/g", 8).file("b/g", 8);
    change(tree);
    return sets_of(tree.folders());
  };
  const Sets only_x{{"a/x", "b/x"}};
  EXPECT_EQ(sets([](Tree&) {}), (Sets{{"a", "b"}}));
  EXPECT_EQ(sets([](Tree& tree) { tree["a"].files[0].name = "h"; }), only_x);
  EXPECT_EQ(sets([](Tree& tree) { tree["a"].files[0].content = 9; }), only_x);
  EXPECT_EQ(sets([](Tree& tree) { tree["a"].is_whole = false; }), only_x);
  EXPECT_EQ(sets([](Tree& tree) { tree["a/x"].name = "y"; }), only_x);
  EXPECT_EQ(sets([](Tree& tree) { tree.folder("a/empty"); }), only_x);
  EXPECT_EQ(sets([](Tree& tree) { tree["a/x"].is_whole = false; }), Sets{});
  EXPECT_EQ(sets([](Tree& tree) { tree["a/x"].files[0].content = 9; }), Sets{});
}

TEST(Folders, AUniqueFileMakesEveryFolderAboveItUnique) {
  Tree tree;
  tree.file("a/x/f", 0).file("b/x/f", 0).file("a/y/f", 3).file("b/y/f", 3);
  EXPECT_EQ(sets_of(tree.folders()), (Sets{{"a/y", "b/y"}}));
}

TEST(Folders, EmptyFilesMatchEachOtherButEmptyFoldersAreNotDuplicates) {
  Tree tree;
  tree.file("a/f", 4).file("a/none", 0, 0).file("b/f", 4).file("b/none", 5, 0);
  tree.folder("c/empty");
  tree.folder("d/empty");
  EXPECT_EQ(sets_of(tree.folders()), (Sets{{"a", "b"}}));
}

TEST(Folders, ReportsANestedSetWithAMemberOutsideIdenticalFolders) {
  Tree tree;
  tree.file("a/x/f", 1, 100).file("b/x/f", 1, 100).file("c/x/f", 1, 100).file("c/own", 0);
  EXPECT_EQ(sets_of(tree.folders()), (Sets{{"a/x", "b/x", "c/x"}, {"a", "b"}}));
}

TEST(Folders, HandlesVeryDeepTreesWithoutStackOverflow) {
  constexpr std::size_t kDepth = 100'000;
  std::vector<ReportFolder> all;
  for (std::size_t tree = 0; tree < 2; ++tree) {
    for (std::size_t i = 0; i < kDepth; ++i) {  // the leaf first: parents come later
      all.push_back({.parent = i + 1 == kDepth ? kNoFolder : all.size() + 1, .name = "d"});
    }
    all[tree * kDepth].files.push_back({.name = "f", .content = 1, .size = 1});
  }
  const Folders folders(std::move(all));
  ASSERT_EQ(folders.same().size(), 1U);
  EXPECT_EQ(folders.same().front().members, (std::vector{kDepth - 1, 2 * kDepth - 1}));
}

TEST(Folders, ToleratesInvalidParents) {
  std::vector<ReportFolder> all(4);
  all[0].parent = 1;  // a ring
  all[1].parent = 0;
  all[2].parent = 17;
  all[2].files = all[3].files = {{.name = "f", .content = 1, .size = 1}};
  EXPECT_EQ(Folders(all).same().size(), 1U);
}

TEST(Overlap, IsMatchingOverUnion) {
  Tree tree;
  tree.file("a/1", 1, 100).file("a/2", 2).file("a/3", 0).file("a/none", 0, 0);
  tree.file("b/one", 1, 100).file("b/2", 2).file("b/3", 0).file("b/4", 0);
  const Folders folders = tree.folders();
  const auto found = overlaps_of(folders, 0.4);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(found.pairs[0], (Overlap{.one = 0, .other = 1, .matching = 2, .all = 5, .bytes = 110}));
  EXPECT_TRUE(overlaps_of(folders, 0.41).pairs.empty());

  const Difference difference = difference_of(folders, found.pairs[0]);
  const ReportFolder& b = folders[1];
  EXPECT_TRUE(difference.only_one.empty());
  ASSERT_EQ(difference.only_other.size(), 1U);
  EXPECT_EQ(b.files[difference.only_other[0]].name, "4");
  ASSERT_EQ(difference.changed.size(), 1U);
  EXPECT_EQ(b.files[difference.changed[0].second].name, "3");
}

TEST(Overlap, MatchesTheSameNameFirst) {
  Tree tree;
  tree.file("a/1", 1).file("a/2", 1).file("b/2", 1).file("b/3", 3).file("c/3", 3);
  const Folders folders = tree.folders();
  const Difference difference = difference_of(folders, {.one = 0, .other = 1});
  EXPECT_EQ(difference.only_one, (std::vector<std::size_t>{0}));
  EXPECT_EQ(difference.only_other, (std::vector<std::size_t>{1}));
}

TEST(Overlap, IdenticalFoldersAreNotPairedAndOneRepresentsThem) {
  Tree tree;
  for (const std::string folder : {"a", "b", "c"})
    tree.file(folder + "/1", 1).file(folder + "/2", 2);
  tree.file("c/3", 0);
  const Folders folders = tree.folders();
  const auto found = overlaps_of(folders, 0.5);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(folders[found.pairs[0].one].path, "a");
  EXPECT_EQ(folders[found.pairs[0].other].path, "c");
}

TEST(Overlap, UbiquitousFilesCreateNoPairsButCountInThem) {
  Tree tree;
  for (std::size_t i = 0; i <= kMostFolders; ++i) {
    const std::string folder = "f" + std::to_string(i);
    tree.file(folder + "/licence", 1).file(folder + "/own", 0);
  }
  EXPECT_TRUE(overlaps_of(tree.folders(), 0.0).pairs.empty());
  tree.file("f1/a", 2).file("f2/a", 2);
  const auto found = overlaps_of(tree.folders(), 0.5);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(found.pairs[0].matching, 2U);
  EXPECT_EQ(found.pairs[0].all, 4U);
}

TEST(Overlap, KeepsTheBestPairsWhenThereAreTooMany) {
  std::vector<ReportFolder> all;
  constexpr std::size_t kPairs = 2 * kMostPairs + 10;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const std::uint64_t size = i + 1;
    for (const char* side : {"a", "b"}) {
      all.push_back(
          {.path = side + std::to_string(i),
           .files = {{.name = "f", .content = i + 1, .size = size}, {.name = "own", .size = 1}}});
    }
  }
  const auto found = overlaps_of(Folders(std::move(all)), 0.3);
  EXPECT_EQ(found.pairs.size(), kMostPairs);
  EXPECT_EQ(found.left_out, kPairs - kMostPairs);
  EXPECT_EQ(found.pairs.front().bytes, kPairs);
  EXPECT_EQ(found.pairs.back().bytes, kPairs - kMostPairs + 1);
}

TEST(Overlap, DifferentUbiquitousFilesAreNotCountedAsMatching) {
  Tree tree;
  for (std::size_t i = 0; i < 2 * (kMostFolders + 1); ++i) {
    const std::string folder = "f" + std::to_string(i);
    tree.file(folder + "/licence", 1 + i % 2).file(folder + "/own", 0);
  }
  tree.file("f1/a", 3).file("f2/a", 3);
  EXPECT_TRUE(overlaps_of(tree.folders(), 0.5).pairs.empty());
  const auto found = overlaps_of(tree.folders(), 0.2);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(found.pairs[0].matching, 1U);
  EXPECT_EQ(found.pairs[0].all, 5U);
}

// The definition, pair by pair and file by file.
std::uint64_t matching_of(const ReportFolder& one, const ReportFolder& other) {
  std::map<std::uint64_t, std::uint64_t> there;
  for (const auto& file : other.files) there[file.size == 0 ? 0 : file.content] += 1;
  std::uint64_t matching = 0;
  for (const auto& file : one.files) {
    if (file.size == 0 || file.content == 0 || there[file.content] == 0) continue;
    --there[file.content];
    ++matching;
  }
  return matching;
}

std::size_t files_of(const ReportFolder& folder) {
  return static_cast<std::size_t>(
      std::ranges::count_if(folder.files, [](const auto& file) { return file.size > 0; }));
}

// Uniformly distributed, also in the first cases of a property.
int any_below(int end) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, end)); }

RC_GTEST_PROP(Overlap, AgreesWithTheDefinition, ()) {
  std::vector<ReportFolder> all;
  for (int i = any_below(6); i > 0; --i) {
    ReportFolder folder{.path = std::to_string(i),
                        .is_whole = false};  // without a kind, so all are compared
    for (int file = any_below(7); file > 0; --file) {
      const auto content = static_cast<std::uint64_t>(any_below(5));
      folder.files.push_back({.name = std::to_string(file),
                              .content = content,
                              .size = content == 4 ? 0U : content + 1});
    }
    all.push_back(std::move(folder));
  }
  const double least = *rc::gen::element(0.0, 0.25, 0.5, 0.9, 1.0);
  const Folders folders(all);
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> expected;
  for (std::size_t one = 0; one < all.size(); ++one) {
    for (std::size_t other = 0; other < all.size(); ++other) {
      if (all[one].path >= all[other].path) continue;
      const auto matching = matching_of(all[one], all[other]);
      const auto united = files_of(all[one]) + files_of(all[other]) - matching;
      if (matching > 0 && static_cast<double>(matching) / static_cast<double>(united) >= least) {
        expected[{one, other}] = matching;
      }
    }
  }
  const auto found = overlaps_of(folders, least);
  RC_ASSERT(found.pairs.size() == expected.size());
  for (const Overlap& pair : found.pairs) {
    RC_ASSERT((expected.at({pair.one, pair.other}) == pair.matching));
    const Difference difference = difference_of(folders, pair);
    RC_ASSERT(pair.matching + difference.only_one.size() + difference.changed.size() ==
              files_of(all[pair.one]));
    RC_ASSERT(pair.matching + difference.only_other.size() + difference.changed.size() ==
              files_of(all[pair.other]));
  }
}

}  // namespace
}  // namespace tidemill::dupes
