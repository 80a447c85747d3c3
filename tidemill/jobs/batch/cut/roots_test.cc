#include "tidemill/jobs/batch/cut/roots.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/jobs/batch/cut/tree_rig.h"

namespace tidemill::batch {
namespace {

namespace fs = std::filesystem;
using RootsTest = TreeTest;

TEST_F(RootsTest, AFolderAFileAndALinkToEitherAreRoots) {
  write("a/f", "x");
  fs::create_symlink(path("a"), base_ + "/link");
  fs::create_symlink(path("a/f"), base_ + "/file");
  const auto roots = BatchRoots::open(
      {path("a"), path("a/f"), base_ + "/link/", base_ + "/file", path("a/../a/.")});
  ASSERT_TRUE(roots) << text_of(roots.error());
  ASSERT_EQ(roots->size(), 5U);
  for (std::size_t i = 0; i < roots->size(); ++i) {
    EXPECT_EQ(roots->at(i).real, path("a"));
    EXPECT_EQ(roots->at(i).only, i == 1 || i == 3 ? "f" : "");
    EXPECT_TRUE(roots->at(i).folder.is_open());
    EXPECT_EQ(roots->path(i, "f", Paths::absolute), path("a/f"));
    EXPECT_EQ(roots->path(i, "f", Paths::relative), "f");
  }
  EXPECT_EQ(roots->at(2).given, base_ + "/link/");
  EXPECT_EQ(roots->path(0, "", Paths::absolute), path("a"));
}

TEST_F(RootsTest, FailsOnAMissingRootAndNamesIt) {
  const auto roots = BatchRoots::open({base_, path("gone")});
  ASSERT_FALSE(roots);
  EXPECT_EQ(roots.error().step, path("gone"));
}

TEST_F(RootsTest, TheWholeFileSystemIsARoot) {
  const auto roots = BatchRoots::open({"/"});
  ASSERT_TRUE(roots);
  EXPECT_EQ(roots->path(0, "etc/passwd", Paths::absolute), "/etc/passwd");
  EXPECT_EQ(roots->path(0, "", Paths::absolute), "/");
  EXPECT_EQ(roots->find("/etc/passwd"), (Cursor{.root = 0, .path = "etc/passwd"}));
  EXPECT_EQ(roots->find("/"), Cursor{});
  EXPECT_FALSE(roots->find("etc/passwd"));
}

TEST_F(RootsTest, ListedNamesAreRelativeToTheWorkingFolderUnlessAbsolute) {
  const auto roots = BatchRoots::open_list();
  ASSERT_TRUE(roots);
  const std::string here = fs::current_path().string();
  EXPECT_EQ(roots->path(7, "a/b", Paths::absolute), here + "/a/b");
  EXPECT_EQ(roots->path(7, "./a/b", Paths::absolute), here + "/a/b");
  EXPECT_EQ(roots->path(7, "/a/b", Paths::absolute), "/a/b");
  EXPECT_EQ(roots->path(7, "./a/b", Paths::relative), "./a/b");
  EXPECT_EQ(roots->find(here + "/a/b"), (Cursor{.path = "a/b"}));
  EXPECT_EQ(roots->find("/nowhere/b"), (Cursor{.path = "/nowhere/b"}));
  EXPECT_EQ(cursor_of("1000000/a", roots->size()), (Cursor{.root = 1'000'000, .path = "a"}));
}

TEST_F(RootsTest, APathIsFoundInTheFirstRootThatHasIt) {
  write("data/x", "");
  write("data2/x", "");
  const auto roots = BatchRoots::open({path("data"), path("data2/x"), path("")});
  ASSERT_TRUE(roots);
  EXPECT_EQ(roots->find(path("data/x")), (Cursor{.root = 0, .path = "x"}));
  EXPECT_EQ(roots->find(path("data")), (Cursor{.root = 0}));
  EXPECT_EQ(roots->find(path("data2/x")), (Cursor{.root = 1, .path = "x"})) << "and not in data";
  EXPECT_EQ(roots->find(path("data3/x")), (Cursor{.root = 2, .path = "data3/x"}));
  EXPECT_FALSE(roots->find(base_ + "/tree2"));
  EXPECT_FALSE(roots->find(base_));
}

TEST_F(RootsTest, EverySettingThatAffectsBatchesChangesTheJobId) {
  write("a/f", "x");
  const auto job = [&](const std::function<void(BatchOptions&)>& change, const char* prompt = "",
                       const char* fingerprint = "t") {
    BatchOptions options{.roots = {path("a")}, .max_tokens = 10};
    change(options);
    const auto roots = BatchRoots::open(options.roots);
    EXPECT_TRUE(roots);
    return job_of(options, *roots, fingerprint, prompt).value();
  };
  const auto nothing = [](BatchOptions&) {};
  const std::string same = job(nothing);
  std::vector<std::string> jobs = {
      same,
      job(nothing, "p"),
      job(nothing, "", "u"),
      job([](BatchOptions& o) { o.max_tokens = 11; }),
      job([](BatchOptions& o) { o.overhead = 1; }),
      job([](BatchOptions& o) { o.margin = 0.5; }),
      job([](BatchOptions& o) { o.max_files = 1; }),
      job([](BatchOptions& o) { o.max_size = kib(1); }),
      job([](BatchOptions& o) { o.hidden = false; }),
      job([](BatchOptions& o) { o.gitignore = true; }),
      job([](BatchOptions& o) { o.is_inline = true; }),
      job([](BatchOptions& o) { o.paths = Paths::relative; }),
      job([](BatchOptions& o) { o.globs = {"a"}; }),
      job([](BatchOptions& o) { o.excludes = {"a"}; }),
      job([](BatchOptions& o) { o.globs = {"a", "b"}; }),
      job([](BatchOptions& o) { o.globs = {"ab"}; }),
      job([](BatchOptions& o) { o.job = "name"; }),
      job([&](BatchOptions& o) { o.roots = {path("a/f")}; }),
      job([&](BatchOptions& o) { o.roots = {path("a"), path("a")}; }),
  };
  for (const std::string& one : jobs) EXPECT_EQ(one.size(), 32U);
  std::ranges::sort(jobs);
  EXPECT_EQ(std::ranges::adjacent_find(jobs), jobs.end());
  EXPECT_EQ(same, job([](BatchOptions& o) { o.workers = 7; }));
  EXPECT_EQ(same, job([](BatchOptions& o) { o.max_queued = 7; }));
  EXPECT_EQ(same, job([&](BatchOptions& o) { o.roots = {path("a/../a")}; }));
}
}  // namespace
}  // namespace tidemill::batch
