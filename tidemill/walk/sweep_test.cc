#include "tidemill/walk/sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/own_folder.h"

namespace {
// A file system that does not know what its entries are.
std::atomic<bool> hides_types{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
}  // namespace

// Stands before the C library's.
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
using Paths = std::set<std::string>;

// Everybody may look into it. In memory where that can be: a disk takes long to make 10,000
// folders.
struct Tree : testing::OwnFolder {
  Tree() : OwnFolder(::access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : ::testing::TempDir()) {
    if (::chmod(path().c_str(), 0755) != 0) std::abort();
  }
};

struct Told {
  SweptFile file{};  // without its name
  FolderId folder = kNoFolder;
};

// What a sweep told, by paths below the first root.
struct Swept : SweepListener {
  std::map<std::string, Told> files{};
  std::map<std::string, int> troubles{};
  std::map<std::string, std::uint64_t> tags{};
  std::multiset<std::string> folders{};
  Paths unentered{};
  SweepReport report{};

  std::function<bool(SweptFolder&, const std::string& path)> meanwhile{};
  FolderTree tree{};
  std::string root{};
  bool is_lone = false;  // the root is a file
  std::mutex mutex{};

  [[nodiscard]] std::string below(const std::string& path) const {
    if (path == root && !is_lone) return "";
    return path.starts_with(root + '/') ? path.substr(root.size() + 1) : path;
  }

  bool folder(SweptFolder& told) override {
    const std::scoped_lock held(mutex);
    const std::string path = below(tree.path(told.id));
    folders.insert(path);
    tags[path] = told.tag;
    for (const SweptFile& file : told.files) {
      EXPECT_EQ(file.name.data()[file.name.size()], '\0');
      Told kept{.file = file, .folder = told.id};
      kept.file.name = {};
      files[below(tree.path(told.id, file.name))] = kept;
    }
    for (const SweptSubfolder& sub : told.subfolders) {
      if (sub.id == kNoFolder) unentered.insert(below(tree.path(told.id, sub.name)));
    }
    return !meanwhile || meanwhile(told, path);
  }
  void trouble(FolderId id, std::uint64_t tag, int error) override {
    const std::scoped_lock held(mutex);
    const std::string path = below(tree.path(id));
    troubles[path] = error;
    tags[path] = tag;
  }

  [[nodiscard]] Paths of(Verdict verdict) const {
    Paths paths;
    for (const auto& [path, told] : files) {
      if (told.file.verdict == verdict) paths.insert(path);
    }
    return paths;
  }
  [[nodiscard]] Paths taken() const { return of(Verdict::taken); }
};

Result<SweepReport> run(Swept& swept, const std::vector<std::string>& roots,
                        const SweepOptions& options, const std::stop_token& stop = {}) {
  swept.root = roots.front();
  const auto report = sweep(roots, options, swept.tree, swept, stop);
  if (report) swept.report = *report;
  return report;
}

void sweep_well(Swept& swept, const std::string& root, const SweepOptions& options = {}) {
  const auto report = run(swept, {root}, options);
  ASSERT_TRUE(report) << text_of(report.error());
  EXPECT_TRUE(report->is_complete);
  EXPECT_EQ(report->files, swept.taken().size());
  EXPECT_EQ(report->folders, swept.folders.size());
  EXPECT_EQ(report->left_out, swept.of(Verdict::left_out).size() + swept.unentered.size());
  EXPECT_EQ(report->troubles, swept.of(Verdict::failed).size() + swept.troubles.size());
}

// On a thread without the rights of root, as far as this one has them.
void as_nobody(const std::function<void()>& work) {
  std::jthread([&] {
    if (::geteuid() == 0) {
      ASSERT_EQ(::syscall(SYS_setresuid, -1, 65534, -1), 0);  // of this thread alone
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

void grow(const Tree& tree, unsigned seed) {
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

TEST(Sweep, FindsWhatAnIndependentWalkFinds) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Tree tree;
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

TEST(Sweep, TellsWhatStatSaysOfFilesAndFolders) {
  const Tree tree;
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

TEST(Sweep, TellsHostileNamesAsTheyAre) {
  const Tree tree;
  const Paths names{"\x01\n\x1b[2J", "-rf", std::string(255, 'x'), "\xc3\x28\xff", "a\nb/\xff\n"};
  for (const std::string& name : names) tree.file(name);
  Swept swept;
  sweep_well(swept, tree.path());
  EXPECT_EQ(swept.taken(), names);
}

TEST(Sweep, CountsWhatIsNeitherFileNorFolder) {
  const Tree tree;
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

// Folders of 250 bytes, each in the one before and with a sibling; a file at the end.
FolderId deepest_of(Swept& swept, const Tree& tree, int depth) {
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

TEST(Sweep, GoesDeeperThanAPathMayBeLong) {
  const Tree tree;
  Swept swept;
  const FolderId deepest = deepest_of(swept, tree, 30);
  ASSERT_NE(deepest, kNoFolder);
  EXPECT_EQ(swept.report.folders, 61U);
  EXPECT_GT(swept.tree.path(deepest).size(), 7'500U);
  const OpenedFolder opened = swept.tree.open(deepest);
  ASSERT_EQ(opened.error, 0);
  EXPECT_EQ(::faccessat(opened.folder.number(), "f", F_OK, 0), 0);
}

TEST(Sweep, FollowsLinksAndEntersEachFolderOnce) {
  const Tree tree;
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

TEST(Sweep, WhatMayNotBeReadIsATroubleAndTheRestIsTold) {
  const Tree tree;
  tree.file("closed/x").file("flat/y").file("open/z");
  fs::permissions(tree / "closed", fs::perms::none);
  fs::permissions(tree / "flat", static_cast<fs::perms>(0444));  // names alone
  Swept swept;
  as_nobody([&] { sweep_well(swept, tree.path(), {.threads = 1}); });
  fs::permissions(tree / "closed", fs::perms::all);
  fs::permissions(tree / "flat", fs::perms::all);
  EXPECT_EQ(swept.taken(), Paths{"open/z"});
  EXPECT_EQ(swept.troubles, (std::map<std::string, int>{{"closed", EACCES}}));
  EXPECT_EQ(swept.files["flat/y"].file.verdict, Verdict::failed);
  EXPECT_EQ(swept.files["flat/y"].file.error, EACCES);
}

TEST(Sweep, AFolderThatVanishesIsATroubleWithItsTag) {
  const Tree tree;
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
  EXPECT_EQ(swept.troubles.size(), 2U);
  EXPECT_EQ(swept.troubles["gone"], ENOENT);
  EXPECT_EQ(swept.tags["gone"], 7U);
}

// Lowers the number of descriptors this process may have, for a while.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = most;
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(Sweep, TenThousandFoldersNeedFewDescriptors) {
  const Tree tree;
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 100; ++k) tree.folder(std::to_string(i) + '/' + std::to_string(k));
  }
  Swept swept;
  {
    const FewDescriptors few(64);
    sweep_well(swept, tree.path(), {.threads = 4});
  }
  EXPECT_EQ(swept.report.folders, 10'101U);
  EXPECT_TRUE(swept.troubles.empty());
}

// Wherever a sweep begins, it leaves subfolders of many folders for later.
void grow_a_comb(const Tree& tree) {
  std::string way;
  for (int i = 0; i < 60; ++i) {
    way += "d/";
    tree.folder(way + "a").folder(way + "b").folder(way + "z");
  }
}

std::ptrdiff_t open_descriptors() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), {});
}

TEST(Sweep, KeepsAQuarterOfTheDescriptorsForParents) {
  const Tree tree;
  grow_a_comb(tree);
  Swept swept;
  std::ptrdiff_t most = 0;
  swept.meanwhile = [&](SweptFolder&, const std::string&) {
    most = std::max(most, open_descriptors());
    return true;
  };
  const std::ptrdiff_t before = open_descriptors();
  {
    const FewDescriptors few(64);
    sweep_well(swept, tree.path(), {.threads = 1});
  }
  EXPECT_LE(most, before + 16 + 2);  // the root, and the folder at hand
  EXPECT_EQ(swept.report.folders, 241U);
}

TEST(Sweep, GoesOnWhenOthersTakeTheDescriptors) {
  const Tree tree;
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
    const FewDescriptors few(512);
    sweep_well(swept, tree.path(), {.threads = 1});
  }
  EXPECT_EQ(swept.report.folders, 241U);
  EXPECT_TRUE(swept.troubles.empty());
}

TEST(Sweep, StopsWhenTheTokenOrTheListenerSaysSo) {
  const Tree tree;
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
    EXPECT_LE(swept.folders.size(), 4U);  // a second worker may be in the middle of one
    EXPECT_EQ(swept.report.folders, swept.folders.size());
    EXPECT_TRUE(swept.troubles.empty());
  }
}

TEST(Sweep, AParentIsToldBeforeItsChildrenAndTagsComeBack) {
  const Tree tree;
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

TEST(Sweep, AFolderOfManyPiecesIsToldWholeInTheOrderOfInodes) {
  const Tree tree;
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

TEST(Sweep, AnotherDeviceIsNotEnteredWhenOneIsAskedFor) {
  const Tree tree;
  tree.file("here/f").folder("there");
  bool may_mount = false;
  std::jthread([&] {  // the mount is seen by this thread alone
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

TEST(Sweep, SizeAndAgeLeaveFilesOutWithTheirStamps) {
  const Tree tree;
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

TEST(Sweep, PatternsLeaveOutFilesAndFoldersAndTellSo) {
  const Tree tree;
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
    EXPECT_EQ(swept.of(Verdict::left_out), (Paths{"b.bin", ".h.txt"}));
    EXPECT_EQ(swept.unentered, (Paths{"no", ".d"}));
  }
  Swept by_path;
  sweep_well(by_path, tree.path(), {.globs = {"sub/*"}});
  EXPECT_EQ(by_path.taken(), Paths{"sub/c.txt"});
}

TEST(Sweep, IgnoreFilesRuleTheFoldersBelowThem) {
  const Tree tree;
  tree.file(".gitignore", "*.o\nout/\n").file("a.o").file("b.c").file("out/x").file("sub/c.o");
  tree.file("sub/.gitignore", "!c.o\n/d\n").file("sub/d").file("sub/deep/d").file("sub/deep/c.o");
  tree.file("sub/deep/.ignore", "c.o\n").file("sub/e.o").file("plain/f.o");
  Swept swept;
  sweep_well(swept, tree.path(), {.ignore_files = {".gitignore", ".ignore"}});
  EXPECT_EQ(swept.of(Verdict::left_out),
            (Paths{"a.o", "sub/d", "sub/deep/c.o", "sub/e.o", "plain/f.o"}));
  EXPECT_EQ(swept.unentered, Paths{"out"});
  Swept without;
  sweep_well(without, tree.path());
  EXPECT_EQ(without.report.left_out, 0U);
}

TEST(Sweep, AnIgnoreFileThatCannotBeUsedIsATroubleOfItsFolder) {
  const Tree tree;
  tree.file("huge/.gitignore", std::string((1U << 20U) + 1, 'x')).file("huge/f");
  tree.folder("pipe").folder("link");
  ASSERT_EQ(::mkfifo((tree / "pipe/.gitignore").c_str(), 0600), 0);
  fs::create_symlink("../huge/.gitignore", tree / "link/.gitignore");
  Swept swept;
  sweep_well(swept, tree.path(), {.ignore_files = {".gitignore"}});
  EXPECT_EQ(swept.troubles, (std::map<std::string, int>{{"huge", EFBIG}}));
  EXPECT_EQ(swept.report.others, 2U);
}

TEST(Sweep, ARootMayBeALinkOrAFile) {
  const Tree tree;
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

TEST(Sweep, TheSameFolderFromTwoRootsIsToldTwice) {
  const Tree tree;
  tree.file("a/b/f");
  for (const bool follow : {false, true}) {
    Swept swept;
    ASSERT_TRUE(run(swept, {tree.path(), tree / "a"}, {.follow = follow}));
    EXPECT_EQ(swept.folders, (std::multiset<std::string>{"", "a", "a", "a/b", "a/b"}));
  }
}

TEST(Sweep, FailsWhenARootIsMissingOrAPatternMakesNoSense) {
  const Tree tree;
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
