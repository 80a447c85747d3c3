// The filters of a sweep.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tidemill/io/walk/sweep_rig.h"

namespace tidemill::walk {
namespace {

namespace fs = std::filesystem;

TEST(Sweep, DoesNotEnterAnotherDeviceWhenLimitedToOne) {
  const ScratchTree tree;
  tree.file("here/f").folder("there");
  bool may_mount = false;
  std::jthread([&] {  // the mount is visible to this thread only
    may_mount = ::unshare(CLONE_NEWNS) == 0 &&
                ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                ::mount("none", (tree / "there").c_str(), "tmpfs", 0, nullptr) == 0;
    if (!may_mount) return;
    tree.file("there/g");
    Swept one;
    sweep_well(one, tree.path(), {.one_device = true, .threads = 1});
    EXPECT_EQ(one.taken(), Paths{"here/f"});
    EXPECT_EQ(one.unentered, Paths{"there"});
    Swept both;
    sweep_well(both, tree.path(), {.threads = 1});
    EXPECT_EQ(both.taken(), (Paths{"here/f", "there/g"}));
  })
      .join();
  if (!may_mount) GTEST_SKIP() << "SKIPPED: mounting is not permitted here";
}

TEST(Sweep, SkipsFilesBySizeAndAgeButReportsTheirStamps) {
  const ScratchTree tree;
  tree.file("small", "1").file("fits", "12345").file("large", "1234567890").file("old", "12345");
  const timespec old[2] = {{.tv_sec = 1'000, .tv_nsec = 5}, {.tv_sec = 1'000, .tv_nsec = 5}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (tree / "old").c_str(), old, 0), 0);
  Swept young;
  sweep_well(young, tree.path(),
             {.least_size = 5, .most_size = 5, .changed_from_ns = 1'000'000'000'006});
  EXPECT_EQ(young.taken(), Paths{"fits"});
  EXPECT_EQ(young.files["large"].file.stamp.size, 10U);
  Swept aged;
  sweep_well(aged, tree.path(),
             {.least_size = 5, .most_size = 5, .changed_to_ns = 1'000'000'000'005});
  EXPECT_EQ(aged.taken(), Paths{"old"});
}

TEST(Sweep, AppliesIgnoreFilesToTheFoldersBelowThem) {
  const ScratchTree tree;
  tree.file(".gitignore", "*.o\nout/\n").file("a.o").file("b.c").file("out/x").file("sub/c.o");
  tree.file("sub/.gitignore", "!c.o\n/d\n").file("sub/d").file("sub/deep/d").file("sub/deep/c.o");
  tree.file("sub/deep/.ignore", "c.o\n").file("sub/e.o").file("plain/f.o");
  Swept swept;
  sweep_well(swept, tree.path(), {.ignore_files = {".gitignore", ".ignore"}});
  EXPECT_EQ(swept.of(SweepDecision::left_out),
            (Paths{"a.o", "sub/d", "sub/deep/c.o", "sub/e.o", "plain/f.o"}));
  EXPECT_EQ(swept.unentered, Paths{"out"});
  Swept without;
  sweep_well(without, tree.path());
  EXPECT_EQ(without.report.left_out, 0U);
}

TEST(Sweep, ReportsAFolderWhoseIgnoreFileIsUnusable) {
  const ScratchTree tree;
  tree.file("huge/.gitignore", std::string((1U << 20U) + 1, 'x')).file("huge/f");
  tree.folder("pipe").folder("link");
  ASSERT_EQ(::mkfifo((tree / "pipe/.gitignore").c_str(), 0600), 0);
  fs::create_symlink("../huge/.gitignore", tree / "link/.gitignore");
  Swept swept;
  sweep_well(swept, tree.path(), {.ignore_files = {".gitignore"}});
  EXPECT_EQ(swept.failures, (std::map<std::string, int>{{"huge", EFBIG}}));
  EXPECT_EQ(swept.report.others, 2U);
}

}  // namespace
}  // namespace tidemill::walk
