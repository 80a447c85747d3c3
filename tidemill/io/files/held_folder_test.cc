#include "tidemill/io/files/held_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tidemill/testing/own_folder.h"

namespace tidemill::files {
namespace {

namespace fs = std::filesystem;

class HeldFolderTest : public ::testing::Test {
 protected:
  // Whether it is the folder at this path.
  [[nodiscard]] static bool is(const HeldFolder& held, const std::string& path) {
    struct stat one{};
    struct stat other{};
    return ::fstat(held.number(), &one) == 0 && ::stat(path.c_str(), &other) == 0 &&
           one.st_ino == other.st_ino && one.st_dev == other.st_dev;
  }
  // Changes the owner of a link or a folder. Only root can do this.
  [[nodiscard]] bool give_away(const std::string& name) const {
    constexpr uid_t kStranger = 61'234;
    return ::lchown((folder_ / name).c_str(), kStranger, kStranger) == 0;
  }

  testing::OwnFolder folder_;
};

TEST_F(HeldFolderTest, ResolvesPathsLikeTheKernel) {
  folder_.folder("a/b/c").folder("x");
  fs::create_symlink("a/b", folder_ / "short");
  fs::create_symlink(folder_ / "a", folder_ / "whole");
  fs::create_symlink("short/c", folder_ / "twice");
  for (const auto& [path, real] : {std::pair("a/b/c", "a/b/c"),
                                   {"a//b/./c/", "a/b/c"},
                                   {"short/c", "a/b/c"},
                                   {"short/../../x", "x"},
                                   {"whole/b", "a/b"},
                                   {"twice", "a/b/c"},
                                   {"", ""}}) {
    const auto held = HeldFolder::open(folder_ / path);
    ASSERT_TRUE(held) << path;
    EXPECT_TRUE(is(*held, folder_ / real)) << path;
  }
  fs::create_symlink("circle", folder_ / "circle");
  folder_.file("file");
  for (const char* path : {"circle", "file", "file/x", "nowhere", "a/nowhere/b"}) {
    EXPECT_FALSE(HeldFolder::open(folder_ / path)) << path;
  }
}

TEST_F(HeldFolderTest, CreatesMissingFolders) {
  fs::create_symlink("real", folder_ / "link");
  folder_.folder("real").file("file");
  const auto made = HeldFolder::make(folder_ / "link/a/b");
  ASSERT_TRUE(made);
  EXPECT_TRUE(is(*made, folder_ / "real/a/b"));
  EXPECT_FALSE(HeldFolder::make(folder_ / "file/a"));
  const auto below = made->make_below("c//d");
  ASSERT_TRUE(below);
  EXPECT_TRUE(is(*below, folder_ / "real/a/b/c/d"));
}

TEST_F(HeldFolderTest, RefersToTheSameFolderAfterARename) {
  folder_.folder("a/b").folder("elsewhere/b");
  const auto held = HeldFolder::open(folder_ / "a");
  ASSERT_TRUE(held);
  fs::rename(folder_ / "a", folder_ / "old");
  fs::create_symlink("elsewhere", folder_ / "a");
  const auto below = held->below("b");
  ASSERT_TRUE(below);
  EXPECT_TRUE(is(*below, folder_ / "old/b"));
}

TEST_F(HeldFolderTest, FollowsNoLinksBelowItself) {
  folder_.folder("a/real/deep");
  fs::create_symlink("real", folder_ / "a/link");
  const auto held = HeldFolder::open(folder_ / "a");
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->below("real/deep"));
  EXPECT_FALSE(held->below("link"));
  EXPECT_FALSE(held->below("link/deep"));
  EXPECT_FALSE(held->make_below("link/new"));
  EXPECT_FALSE(fs::exists(folder_ / "a/real/new"));
}

TEST_F(HeldFolderTest, RejectsALinkOfAnotherUserUnlessOnlyReading) {
  folder_.folder("real").folder("theirs");
  fs::create_symlink("real", folder_ / "link");
  fs::create_symlink("../real", folder_ / "theirs/ours");
  if (!give_away("link") || !give_away("theirs")) {
    GTEST_SKIP() << "NOT TESTED: links of another user, which only root can make";
  }
  for (const char* path : {"link", "theirs/ours"}) {
    const auto refused = HeldFolder::open(folder_ / path);
    ASSERT_FALSE(refused) << path;
    EXPECT_NE(refused.error().reason.find("another user"), std::string::npos);
    EXPECT_FALSE(refused.error().hint.empty());
    EXPECT_FALSE(HeldFolder::make(folder_ / (std::string(path) + "/new")));
    EXPECT_FALSE(spot_of(folder_ / path, LastLink::follow));
    EXPECT_TRUE(spot_of(folder_ / path, LastLink::keep));
    EXPECT_TRUE(HeldFolder::open(folder_ / path, Links::all));
  }
  EXPECT_TRUE(HeldFolder::open(folder_ / "theirs"));  // the folder itself was named
}

TEST_F(HeldFolderTest, RejectsALinkInAWorldWritableFolderUnlessSticky) {
  folder_.folder("real").folder("all");
  fs::create_symlink("../real", folder_ / "all/link");
  ASSERT_EQ(::chmod((folder_ / "all").c_str(), 0777), 0);
  EXPECT_FALSE(HeldFolder::open(folder_ / "all/link"));
  ASSERT_EQ(::chmod((folder_ / "all").c_str(), 01777), 0);
  EXPECT_TRUE(HeldFolder::open(folder_ / "all/link"));
}

TEST_F(HeldFolderTest, SpotOfSplitsAPathIntoFolderAndName) {
  folder_.folder("a").folder("far");
  fs::create_symlink("../far/new", folder_ / "a/link");
  const auto plain = spot_of(folder_ / "a/file");
  ASSERT_TRUE(plain);
  EXPECT_TRUE(is(plain->folder, folder_ / "a"));
  EXPECT_EQ(plain->name, "file");
  EXPECT_EQ(plain->folder.path_of(plain->name), folder_ / "a/file");
  const auto kept = spot_of(folder_ / "a/link");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->name, "link");
  const auto followed = spot_of(folder_ / "a/link", LastLink::follow);
  ASSERT_TRUE(followed);
  EXPECT_TRUE(is(followed->folder, folder_ / "far"));
  EXPECT_EQ(followed->name, "new");
  EXPECT_EQ(spot_of("file")->folder.path_of("file"), "file");
  EXPECT_EQ(spot_of("/file")->folder.path_of("file"), "/file");
  EXPECT_FALSE(spot_of(folder_ / "a/.."));
  EXPECT_FALSE(spot_of(folder_ / "no/file"));
}

}  // namespace
}  // namespace tidemill::files
