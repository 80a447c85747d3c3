#include "tidemill/io/walk/walker.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::walk {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

using ScratchTree = testing::OwnFolder;

struct Walked {
  Paths files{};  // below the root
  Paths failed_paths{};
  std::vector<Failure> failures{};
  WalkReport report{};
};

Walked walked(const std::string& root, const WalkOptions& options = {}, std::string_view after = "",
              const std::function<void(std::string_view)>& meanwhile = {}) {
  Walked all;
  const auto below = [&](std::string_view path) {
    EXPECT_TRUE(path.starts_with(root + '/')) << path;
    return std::string(path.substr(root.size() + 1));
  };
  const auto report = walk(
      root, options, after, {},
      [&](const FoundFile& file) {
        all.files.push_back(below(file.path));
        if (meanwhile) meanwhile(all.files.back());
        return true;
      },
      [&](std::string_view path, const Failure& failure) {
        all.failed_paths.push_back(below(path));
        all.failures.push_back(failure);
      });
  EXPECT_TRUE(report.has_value());
  if (report) all.report = *report;
  EXPECT_EQ(all.report.files, all.files.size());
  EXPECT_EQ(all.report.failures, all.failed_paths.size());
  return all;
}

TEST(Walker, VisitsFilesInOrderOfPathComponents) {
  const ScratchTree tree;
  tree.file("b").file("a.txt").file("a/z").file("a/b/c").file("B").file("a-").file("\xff");
  EXPECT_EQ(walked(tree.path()).files, (Paths{"B", "a/b/c", "a/z", "a-", "a.txt", "b", "\xff"}));
}

TEST(Walker, ReportsHostileNamesUnchanged) {
  const ScratchTree tree;
  const Paths names{"\x01\n\x1b[2J", "-rf", std::string(255, 'x'), "\xc3\x28\xff", "\xff"};
  Paths sorted = names;
  for (const std::string& name : names) tree.file(name);
  std::ranges::sort(sorted, [](const std::string& a, const std::string& b) {
    return std::ranges::lexicographical_compare(
        a, b, {}, [](char c) { return static_cast<unsigned char>(c); },
        [](char c) { return static_cast<unsigned char>(c); });
  });
  EXPECT_EQ(walked(tree.path()).files, sorted);
}

TEST(Walker, CountsEntriesThatAreNeitherFilesNorFolders) {
  const ScratchTree tree;
  tree.file("a/f");
  fs::create_directory_symlink("..", tree / "a/loop");
  fs::create_symlink("f", tree / "a/link");
  fs::create_symlink("nowhere", tree / "broken");
  ASSERT_EQ(::mkfifo((tree / "fifo").c_str(), 0600), 0);
  const Walked all = walked(tree.path(), {.sizes = true});
  EXPECT_EQ(all.files, Paths{"a/f"});
  EXPECT_EQ(all.report,
            (WalkReport{.files = 1, .folders = 2, .others = 4, .left_out = 0, .failures = 0}));
}

TEST(Walker, TheRootMayBeASymlinkOrEndInASlash) {
  const ScratchTree tree;
  tree.file("real/f");
  fs::create_directory_symlink("real", tree / "link");
  EXPECT_EQ(walked(tree / "link").files, Paths{"f"});
  std::string path;
  ASSERT_TRUE(walk(
      tree / "real/", {}, "", {},
      [&](const FoundFile& file) {
        path = file.path;
        return true;
      },
      [](std::string_view, const Failure&) {}));
  EXPECT_EQ(path, tree / "real/f");
}

TEST(Walker, ReportsARootThatIsAFile) {
  const ScratchTree tree;
  tree.file("f", "four");
  FoundFile found;
  std::string path;
  const auto once = [&](const FoundFile& file) {
    found = file;
    path = file.path;
    return true;
  };
  const auto never = [](std::string_view, const Failure&) { FAIL(); };
  ASSERT_TRUE(walk(tree / "f", {.globs = {"*.x"}, .sizes = true}, "", {}, once, never));
  EXPECT_EQ(path, tree / "f");
  EXPECT_EQ(found.size, 4U);
  EXPECT_EQ(walk(tree / "f", {}, tree / "f", {}, once, never)->files, 0U);
}

TEST(Walker, RejectsAMissingRootAnInvalidGlobAndAResumePathOutsideTheRoot) {
  const ScratchTree tree;
  const auto failure = [&](const std::string& root, const WalkOptions& options,
                           std::string_view after) {
    return walk(
               root, options, after, {}, [](const FoundFile&) { return true; },
               [](std::string_view, const Failure&) {})
        .error();
  };
  EXPECT_EQ(failure(tree / "none", {}, "").step, "open");
  EXPECT_EQ(failure(tree / "none", {}, "").cure, Cure::give_up);
  EXPECT_EQ(failure(tree.path(), {.globs = {"["}}, "").step, "glob");
  EXPECT_EQ(failure(tree.path(), {}, "/elsewhere/x").step, "resume");
}

TEST(Walker, AppliesGlobsAndExcludesAndSkipsHiddenFiles) {
  const ScratchTree tree;
  tree.file("a.txt").file("b.md").file(".git/c.txt").file("sub/.d.txt").file("sub/e.txt");
  tree.file("build/f.txt").file("sub/build");
  EXPECT_EQ(
      walked(tree.path(), {.globs = {"*.txt"}, .excludes = {"build/"}, .hidden = false}).files,
      (Paths{"a.txt", "sub/e.txt"}));
  EXPECT_EQ(walked(tree.path(), {.globs = {"sub/*"}}).files,
            (Paths{"sub/.d.txt", "sub/build", "sub/e.txt"}));
  const Walked all = walked(tree.path(), {.excludes = {"sub", "build"}});
  EXPECT_EQ(all.files, (Paths{".git/c.txt", "a.txt", "b.md"}));
  EXPECT_EQ(all.report.left_out, 2U);
  EXPECT_EQ(all.report.folders, 2U);  // an excluded folder is not even listed
}

TEST(Walker, AppliesIgnoreFilesToTheFoldersBelowThem) {
  const ScratchTree tree;
  tree.file(".gitignore", "*.o\nout/\n").file("a.o").file("b.c").file("out/x").file("sub/c.o");
  tree.file("sub/.gitignore", "!c.o\n/d\n").file("sub/d").file("sub/deep/d").file("sub/deep/c.o");
  tree.file("sub/deep/.ignore", "c.o\n").file("sub/e.o").file("tail/f.o").file("tail/out");
  const WalkOptions options{.ignore_files = {".gitignore", ".ignore"}, .hidden = false};
  const Walked all = walked(tree.path(), options);
  EXPECT_EQ(all.files, (Paths{"b.c", "sub/c.o", "sub/deep/d", "tail/out"}));
  EXPECT_EQ(all.report.left_out, 9U);  // six by rules, three hidden
  EXPECT_EQ(walked(tree.path(), options, tree / "sub/c.o").files,
            (Paths{"sub/deep/d", "tail/out"}));
  EXPECT_EQ(walked(tree.path(), {.globs = {"*.c"}, .ignore_files = {".gitignore"}}).files,
            Paths{"b.c"});
  EXPECT_EQ(walked(tree.path()).report.left_out, 0U);
}

TEST(Walker, ReportsAFolderWhoseIgnoreFileIsUnusable) {
  const ScratchTree tree;
  tree.file("huge/.gitignore", std::string((1U << 20U) + 1, 'x')).file("huge/f").file("huge/sub/g");
  tree.file("link/f").file("pipe/f");
  ASSERT_EQ(::mkfifo((tree / "pipe/.gitignore").c_str(), 0600), 0);
  fs::create_symlink("../huge/.gitignore", tree / "link/.gitignore");
  const Walked all = walked(tree.path(), {.ignore_files = {".gitignore"}});
  EXPECT_EQ(all.files, (Paths{"link/f", "pipe/f"}));
  EXPECT_EQ(all.failed_paths, Paths{"huge"});
  EXPECT_EQ(all.failures[0].step, "ignore");
  EXPECT_EQ(all.report.folders, 3U);
  EXPECT_EQ(all.report.others, 2U);
  EXPECT_EQ(walked(tree.path(), {.ignore_files = {".gitignore"}}, tree / "huge/f").files,
            (Paths{"link/f", "pipe/f"}));
}

TEST(Walker, ReportsSizesAndStampsOnRequest) {
  const ScratchTree tree;
  tree.file("f", "12345");
  std::vector<std::uint64_t> sizes;
  std::vector<FileStamp> stamps;
  struct stat seen{};
  ASSERT_EQ(::stat((tree / "f").c_str(), &seen), 0);
  for (const bool asked : {true, false}) {
    ASSERT_TRUE(walk(
        tree.path(), {.sizes = asked}, "", {},
        [&](const FoundFile& file) {
          sizes.push_back(file.size);
          stamps.push_back(file.stamp);
          return true;
        },
        [](std::string_view, const Failure&) {}));
  }
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{5, 0}));
  EXPECT_EQ(stamps, (std::vector<FileStamp>{stamp_of(seen), {}}));
}

TEST(Walker, ReportsAnUnreadableFolderAndContinues) {
  if (::geteuid() == 0) GTEST_SKIP() << "SKIPPED: root may read everything, so nothing is shown";
  const ScratchTree tree;
  tree.file("a/f").file("b/f");
  fs::permissions(tree / "a", fs::perms::none);
  const Walked all = walked(tree.path());
  fs::permissions(tree / "a", fs::perms::owner_all);
  EXPECT_EQ(all.files, Paths{"b/f"});
  EXPECT_EQ(all.failed_paths, Paths{"a"});
}

TEST(Walker, ReportsAFolderThatVanishesDuringTheWalk) {
  const ScratchTree tree;
  tree.file("a").file("b/x").file("c/1").file("c/2").file("d");
  const Walked all = walked(tree.path(), {.sizes = true}, "", [&](std::string_view path) {
    if (path == "a") fs::remove_all(tree / "b");
    if (path == "c/1") fs::remove_all(tree / "c");
  });
  EXPECT_EQ(all.files, (Paths{"a", "c/1", "d"}));
  EXPECT_EQ(all.failed_paths, (Paths{"b", "c/2"}));
  EXPECT_EQ(all.failures[0].step, "open");
  EXPECT_EQ(all.failures[1].step, "stat");
}

TEST(Walker, DoesNotFollowAFolderReplacedByASymlinkDuringTheWalk) {
  const ScratchTree tree;
  tree.file("a").file("b/x").file("z/secret");
  const Walked all = walked(tree.path(), {.excludes = {"/z"}}, "", [&](std::string_view path) {
    if (path != "a") return;
    fs::remove_all(tree / "b");
    fs::create_directory_symlink("z", tree / "b");
  });
  EXPECT_EQ(all.files, Paths{"a"});
  EXPECT_EQ(all.failed_paths, Paths{"b"});
}

TEST(Walker, EndsWhenTheCallbackReturnsFalseOrAStopIsRequested) {
  const ScratchTree tree;
  tree.file("a").file("b").file("c/d");
  int seen = 0;
  const auto quiet = [](std::string_view, const Failure&) {};
  const auto told = walk(tree.path(), {}, "", {}, [&](auto&) { return ++seen < 2; }, quiet);
  EXPECT_EQ(told->end, WalkEnd::told);
  EXPECT_EQ(seen, 2);

  std::stop_source stop;
  const auto stop_now = [&](const FoundFile&) {
    stop.request_stop();
    return true;
  };
  const auto stopped = walk(tree.path(), {}, "", stop.get_token(), stop_now, quiet);
  EXPECT_EQ(stopped->end, WalkEnd::stopped);
  EXPECT_EQ(stopped->files, 2U);  // the token is checked before c is listed
}

TEST(Walker, SortsAHugeFolderAndStopsWithinAThousandEntries) {
  const ScratchTree tree;
  constexpr std::size_t kFiles = 100'000;
  const Descriptor folder(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; i < kFiles; ++i) {
    const std::string name = std::to_string(i * 7919 % kFiles);
    const Descriptor file(
        ::openat(folder.number(), name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_TRUE(file.is_open());
  }
  const Walked all = walked(tree.path());
  EXPECT_EQ(all.files.size(), kFiles);
  EXPECT_TRUE(std::ranges::is_sorted(all.files));

  std::stop_source stop;
  const auto stopped = walk(
      tree.path(), {}, "", stop.get_token(),
      [&](const FoundFile&) {
        stop.request_stop();
        return true;
      },
      [](std::string_view, const Failure&) {});
  EXPECT_LE(stopped->files, 1000U);
}

}  // namespace
}  // namespace tidemill::walk
