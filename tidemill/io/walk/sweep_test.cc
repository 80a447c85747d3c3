#include "tidemill/io/walk/sweep.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/io/walk/sweep_rig.h"

namespace {
// Simulates a file system that returns DT_UNKNOWN.
std::atomic<bool> hides_types{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
}  // namespace

// Overrides the function of the C library.
extern "C" ssize_t getdents64(int folder, void* text, size_t room) noexcept {
  const long got = ::syscall(SYS_getdents64, folder, text, room);
  char* record = static_cast<char*>(text);
  for (long at = 0; hides_types && at < got;) {
    std::uint16_t length = 0;
    std::copy_n(record + at + offsetof(dirent64, d_reclen), sizeof length,
                reinterpret_cast<char*>(&length));
    record[at + static_cast<long>(offsetof(dirent64, d_type))] = DT_UNKNOWN;
    at += length;
  }
  return got;
}

namespace tidemill::walk {
namespace {

namespace fs = std::filesystem;

// Runs on a thread without the privileges of root, if this one has them.
void as_nobody(const std::function<void()>& work) {
  std::jthread([&] {
    if (::geteuid() == 0) {
      ASSERT_EQ(::syscall(SYS_setresuid, -1, 65534, -1), 0);  // of this thread only
    }
    work();
  }).join();
}

using Seen = std::set<std::tuple<std::string, std::uint64_t, std::uint64_t>>;

Seen independently(const std::string& root) {
  Seen seen;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    struct stat status{};
    EXPECT_EQ(::lstat(entry.path().c_str(), &status), 0);
    seen.emplace(entry.path().string().substr(root.size() + 1), entry.file_size(), status.st_ino);
  }
  return seen;
}

void grow(const ScratchTree& tree, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> folders{""};
  const std::uint_fast32_t count = 20 + random() % 150;
  for (std::uint_fast32_t i = 0; i < count; ++i) {
    std::string name = folders[random() % folders.size()];
    for (auto n = random() % 6 + 1; n > 0; --n) {
      const char byte = static_cast<char>(random() % 255 + 1);
      name += byte == '/' || byte == '.' ? '\n' : byte;
    }
    name += std::to_string(i);
    switch (random() % 5) {
      case 0:
      case 1:
        tree.folder(name);
        folders.push_back(name + '/');
        break;
      case 2:
        fs::create_symlink("/", tree / name);
        break;
      default:
        tree.file(name, std::string(random() % 5000, 'x'));
    }
  }
}

TEST(Sweep, FindsTheSameFilesAsAnIndependentWalk) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const ScratchTree tree;
    grow(tree, seed);
    Swept swept;
    hides_types = seed % 3 == 0;
    sweep_well(swept, tree.path(), {.threads = seed % 4 + 1});
    hides_types = false;
    Seen seen;
    for (const auto& [path, told] : swept.files) {
      seen.emplace(path, told.file.stamp.size, told.file.stamp.inode);
    }
    EXPECT_EQ(seen, independently(tree.path())) << "seed " << seed;
  }
}

TEST(Sweep, ReportsTheStatDataOfFilesAndFolders) {
  const ScratchTree tree;
  tree.file("f", std::string(10'000, 'x'));
  fs::create_hard_link(tree / "f", tree / "g");
  Swept swept;
  FileStamp folder;
  swept.meanwhile = [&](SweptFolder& told, const std::string&) {
    folder = told.stamp;
    return true;
  };
  sweep_well(swept, tree.path());
  struct stat status{};
  ASSERT_EQ(::stat((tree / "f").c_str(), &status), 0);
  for (const char* name : {"f", "g"}) {
    const SweptFile& file = swept.files[name].file;
    EXPECT_EQ(file.stamp, stamp_of(status));
    EXPECT_EQ(file.blocks, static_cast<std::uint64_t>(status.st_blocks));
    EXPECT_EQ(file.links, 2U);
    EXPECT_FALSE(file.is_link);
  }
  ASSERT_EQ(::stat(tree.path().c_str(), &status), 0);
  EXPECT_EQ(folder, stamp_of(status));
}

TEST(Sweep, ReportsHostileNamesUnchanged) {
  const ScratchTree tree;
  const Paths names{"\x01\n\x1b[2J", "-rf", std::string(255, 'x'), "\xc3\x28\xff", "a\nb/\xff\n"};
  for (const std::string& name : names) tree.file(name);
  Swept swept;
  sweep_well(swept, tree.path());
  EXPECT_EQ(swept.taken(), names);
}

TEST(Sweep, CountsEntriesThatAreNeitherFilesNorFolders) {
  const ScratchTree tree;
  tree.file("a/f");
  fs::create_directory_symlink("..", tree / "a/loop");
  fs::create_symlink("f", tree / "a/link");
  fs::create_symlink("nowhere", tree / "broken");
  ASSERT_EQ(::mkfifo((tree / "fifo").c_str(), 0600), 0);
  for (const bool hides : {false, true}) {
    Swept swept;
    hides_types = hides;
    sweep_well(swept, tree.path());
    hides_types = false;
    EXPECT_EQ(swept.taken(), Paths{"a/f"});
    EXPECT_EQ(swept.report.others, 4U);
  }
}

TEST(Sweep, FollowsLinksAndEntersEachFolderOnce) {
  const ScratchTree tree;
  tree.file("a/f", "12345").file("b/g");
  fs::create_directory_symlink("..", tree / "a/loop");
  fs::create_directory_symlink("../b", tree / "a/b");
  fs::create_symlink("a/f", tree / "link");
  fs::create_symlink("nowhere", tree / "broken");
  fs::create_symlink("itself", tree / "itself");
  for (const bool hides : {false, true}) {
    Swept swept;
    hides_types = hides;
    sweep_well(swept, tree.path(), {.follow = true});
    hides_types = false;
    EXPECT_EQ(swept.folders.size(), 3U);  // the root, a, and b by one of its two names
    EXPECT_TRUE(swept.unentered.contains("a/loop"));
    EXPECT_EQ(swept.taken().size(), 3U);
    EXPECT_TRUE(swept.files["link"].file.is_link);
    EXPECT_EQ(swept.files["link"].file.stamp, swept.files["a/f"].file.stamp);
    EXPECT_FALSE(swept.files["a/f"].file.is_link);
    EXPECT_EQ(swept.files["itself"].file.error, ELOOP);
    EXPECT_EQ(swept.report.others, 1U);
  }
}

TEST(Sweep, ReportsUnreadableEntriesAndContinues) {
  const ScratchTree tree;
  tree.file("closed/x").file("flat/y").file("open/z");
  fs::permissions(tree / "closed", fs::perms::none);
  fs::permissions(tree / "flat", static_cast<fs::perms>(0444));  // can only be listed
  Swept swept;
  as_nobody([&] { sweep_well(swept, tree.path(), {.threads = 1}); });
  fs::permissions(tree / "closed", fs::perms::all);
  fs::permissions(tree / "flat", fs::perms::all);
  EXPECT_EQ(swept.taken(), Paths{"open/z"});
  EXPECT_EQ(swept.failures, (std::map<std::string, int>{{"closed", EACCES}}));
  EXPECT_EQ(swept.files["flat/y"].file.decision, SweepDecision::failed);
  EXPECT_EQ(swept.files["flat/y"].file.error, EACCES);
}

TEST(Sweep, ReportsAVanishedFolderWithItsTag) {
  const ScratchTree tree;
  tree.file("gone/x").file("swapped/y").file("stays/z");
  Swept swept;
  swept.meanwhile = [&](SweptFolder& told, const std::string& path) {
    if (!path.empty()) return true;
    for (SweptSubfolder& sub : told.subfolders) sub.tag = 7;
    fs::remove_all(tree / "gone");
    fs::remove_all(tree / "swapped");
    fs::create_directory_symlink("stays", tree / "swapped");  // must not be entered
    return true;
  };
  sweep_well(swept, tree.path());
  EXPECT_EQ(swept.taken(), Paths{"stays/z"});
  EXPECT_EQ(swept.failures.size(), 2U);
  EXPECT_EQ(swept.failures["gone"], ENOENT);
  EXPECT_EQ(swept.tags["gone"], 7U);
}

TEST(Sweep, StopsOnAStopRequestOrWhenTheListenerReturnsFalse) {
  const ScratchTree tree;
  for (int i = 0; i < 50; ++i) tree.file(std::to_string(i) + "/x/y");
  for (const bool by_token : {true, false}) {
    Swept swept;
    std::stop_source stop;
    swept.meanwhile = [&](SweptFolder&, const std::string& path) {
      if (path.empty()) return true;
      if (by_token) stop.request_stop();
      return by_token;
    };
    ASSERT_TRUE(run(swept, {tree.path()}, {.threads = 2}, stop.get_token()));
    EXPECT_FALSE(swept.report.is_complete);
    EXPECT_LE(swept.folders.size(), 4U);  // a second worker may be reading one
    EXPECT_EQ(swept.report.folders, swept.folders.size());
    EXPECT_TRUE(swept.failures.empty());
  }
}

TEST(Sweep, ReportsParentsBeforeChildrenAndPassesTagsToThem) {
  const ScratchTree tree;
  for (int i = 0; i < 300; ++i) {
    tree.folder(std::to_string(i % 7) + '/' + std::to_string(i % 31) + '/' + std::to_string(i));
  }
  Swept swept;
  std::set<FolderId> returned;
  std::set<std::size_t> workers;
  swept.meanwhile = [&](SweptFolder& told, const std::string& path) {
    const FolderId parent = swept.tree.parent(told.id);
    EXPECT_EQ(parent == kNoFolder, path.empty());
    if (parent != kNoFolder) {
      EXPECT_TRUE(returned.contains(parent));
      EXPECT_EQ(told.tag, parent + 1'000U);
    } else {
      EXPECT_EQ(told.tag, 0U);
    }
    for (SweptSubfolder& sub : told.subfolders) {
      EXPECT_EQ(swept.tree.parent(sub.id), told.id);
      sub.tag = told.id + 1'000U;
    }
    EXPECT_LT(told.worker, 4U);
    workers.insert(told.worker);
    returned.insert(told.id);
    return true;
  };
  sweep_well(swept, tree.path(), {.threads = 4});
  EXPECT_EQ(returned.size(), swept.report.folders);
}

TEST(Sweep, ReportsALargeFolderCompletelyAndInInodeOrder) {
  const ScratchTree tree;
  const std::string long_name(240, 'x');
  for (int i = 0; i < 2'500; ++i) tree.file(long_name + std::to_string(i * 7919 % 2'500));
  Swept swept;
  bool is_sorted = false;
  swept.meanwhile = [&](SweptFolder& told, const std::string&) {
    is_sorted = std::ranges::is_sorted(told.files, {},
                                       [](const SweptFile& file) { return file.stamp.inode; });
    return true;
  };
  sweep_well(swept, tree.path());
  EXPECT_EQ(swept.taken().size(), 2'500U);
  EXPECT_TRUE(is_sorted);
}

TEST(Sweep, ReportsFilesAndFoldersExcludedByPatterns) {
  const ScratchTree tree;
  tree.file("a.txt")
      .file("b.bin")
      .file("sub/c.txt")
      .file("no/d.txt")
      .file(".h.txt")
      .file(".d/e.txt");
  for (const bool hides : {false, true}) {
    Swept swept;
    hides_types = hides;
    sweep_well(swept, tree.path(),
               {.globs = {"*.txt"}, .excludes = {"no/", "sub/**/x"}, .hidden = false});
    hides_types = false;
    EXPECT_EQ(swept.taken(), (Paths{"a.txt", "sub/c.txt"}));
    EXPECT_EQ(swept.of(SweepDecision::left_out), (Paths{"b.bin", ".h.txt"}));
    EXPECT_EQ(swept.unentered, (Paths{"no", ".d"}));
  }
  Swept by_path;
  sweep_well(by_path, tree.path(), {.globs = {"sub/*"}});
  EXPECT_EQ(by_path.taken(), Paths{"sub/c.txt"});
}

TEST(Sweep, ARootMayBeALinkOrAFile) {
  const ScratchTree tree;
  tree.file("real/.f", "123").file("real/g");
  fs::create_directory_symlink("real", tree / "link");
  fs::create_symlink("real/g", tree / "to_g");
  Swept linked;
  sweep_well(linked, tree / "link");
  EXPECT_EQ(linked.taken(), (Paths{".f", "g"}));
  Swept lone;
  lone.is_lone = true;
  const std::vector<std::string> roots{tree / "real/.f", tree / "real/g", tree / "to_g"};
  ASSERT_TRUE(run(lone, roots, {.globs = {"nothing"}, .hidden = false}));
  EXPECT_EQ(lone.taken(), Paths(roots.begin(), roots.end()));
  EXPECT_TRUE(lone.files[roots[2]].file.is_link);
  EXPECT_EQ(lone.tree.path(0), tree / "real");  // the roots are the first folders, in their order
  EXPECT_EQ(lone.tree.path(2), tree.path());
  EXPECT_EQ(lone.folders.size(), 3U);
}

TEST(Sweep, ReportsAFolderReachedFromTwoRootsTwice) {
  const ScratchTree tree;
  tree.file("a/b/f");
  for (const bool follow : {false, true}) {
    Swept swept;
    ASSERT_TRUE(run(swept, {tree.path(), tree / "a"}, {.follow = follow}));
    EXPECT_EQ(swept.folders, (std::multiset<std::string>{"", "a", "a", "a/b", "a/b"}));
  }
}

TEST(Sweep, FailsOnAMissingRootOrAnInvalidPattern) {
  const ScratchTree tree;
  Swept swept;
  const auto missing = run(swept, {tree.path(), tree / "none"}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().step, "open");
  EXPECT_TRUE(swept.folders.empty());
  const auto senseless = run(swept, {tree.path()}, {.globs = {"[a"}});
  ASSERT_FALSE(senseless);
  EXPECT_EQ(senseless.error().step, "glob");
}

}  // namespace
}  // namespace tidemill::walk
