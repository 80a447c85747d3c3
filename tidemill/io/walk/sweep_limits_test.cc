// Sweeps with paths longer than PATH_MAX and with few descriptors.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/io/walk/sweep_rig.h"
#include "tidemill/testing/few_descriptors.h"

namespace tidemill::walk {
namespace {

namespace fs = std::filesystem;

// Nested folders with names of 250 bytes, each with a sibling; a file in the last one.
FolderId deepest_of(Swept& swept, const ScratchTree& tree, int depth) {
  Descriptor here(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string name(250, 'd');
  for (int i = 0; i < depth; ++i) {
    EXPECT_EQ(::mkdirat(here.number(), name.c_str(), 0755), 0);
    EXPECT_EQ(::mkdirat(here.number(), "sibling", 0755), 0);
    here = Descriptor(::openat(here.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  EXPECT_TRUE(
      Descriptor(::openat(here.number(), "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)).is_open());
  sweep_well(swept, tree.path());
  return swept.files.empty() ? kNoFolder : swept.files.begin()->second.folder;
}

TEST(Sweep, DescendsBeyondTheMaximumPathLength) {
  const ScratchTree tree;
  Swept swept;
  const FolderId deepest = deepest_of(swept, tree, 30);
  ASSERT_NE(deepest, kNoFolder);
  EXPECT_EQ(swept.report.folders, 61U);
  EXPECT_GT(swept.tree.path(deepest).size(), 7'500U);
  const OpenedFolder opened = swept.tree.open(deepest);
  ASSERT_EQ(opened.error, 0);
  EXPECT_EQ(::faccessat(opened.folder.number(), "f", F_OK, 0), 0);
}

TEST(Sweep, VisitsTenThousandFoldersWithFewDescriptors) {
  const ScratchTree tree;
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 100; ++k) tree.folder(std::to_string(i) + '/' + std::to_string(k));
  }
  Swept swept;
  {
    const testing::FewDescriptors few(64);
    sweep_well(swept, tree.path(), {.threads = 4});
  }
  EXPECT_EQ(swept.report.folders, 10'101U);
  EXPECT_TRUE(swept.failures.empty());
}

// Whatever the order, a sweep has pending subfolders of many folders.
void grow_a_comb(const ScratchTree& tree) {
  std::string way;
  for (int i = 0; i < 60; ++i) {
    way += "d/";
    tree.folder(way + "a").folder(way + "b").folder(way + "z");
  }
}

std::ptrdiff_t open_descriptors() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), {});
}

TEST(Sweep, HoldsAtMostAQuarterOfTheDescriptorsForParents) {
  const ScratchTree tree;
  grow_a_comb(tree);
  Swept swept;
  std::ptrdiff_t most = 0;
  swept.meanwhile = [&](SweptFolder&, const std::string&) {
    most = std::max(most, open_descriptors());
    return true;
  };
  const std::ptrdiff_t before = open_descriptors();
  {
    const testing::FewDescriptors few(64);
    sweep_well(swept, tree.path(), {.threads = 1});
  }
  EXPECT_LE(most, before + 16 + 2);  // the root and the current folder
  EXPECT_EQ(swept.report.folders, 241U);
}

TEST(Sweep, ContinuesWhenOtherCodeUsesUpTheDescriptors) {
  const ScratchTree tree;
  grow_a_comb(tree);
  Swept swept;
  std::vector<Descriptor> taken;
  swept.meanwhile = [&](SweptFolder&, const std::string& path) {
    while (path.empty() && (taken.empty() || taken.back().is_open())) {
      taken.emplace_back(::dup(STDERR_FILENO));
    }
    for (int spare = 0; path.empty() && spare < 4; ++spare) taken.pop_back();
    return true;
  };
  {
    const testing::FewDescriptors few(512);
    sweep_well(swept, tree.path(), {.threads = 1});
  }
  EXPECT_EQ(swept.report.folders, 241U);
  EXPECT_TRUE(swept.failures.empty());
}

}  // namespace
}  // namespace tidemill::walk
