#include "tidemill/io/walk/folder_tree.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/own_folder.h"

namespace tidemill::walk {
namespace {

namespace fs = std::filesystem;

class FolderTreeTest : public ::testing::Test {
 public:
  [[nodiscard]] Descriptor open_root() const {
    return Descriptor(::open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  // Nested folders with names of 250 bytes; calls `on_way` for each.
  template <class OnWay>
  void dig(int depth, OnWay on_way) const {
    Descriptor here = open_root();
    const std::string name(250, 'd');
    for (int i = 0; i < depth; ++i) {
      ASSERT_EQ(::mkdirat(here.number(), name.c_str(), 0755), 0);
      here = Descriptor(::openat(here.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      on_way(name);
    }
    ASSERT_EQ(::mkdirat(here.number(), "end", 0755), 0);
  }
  [[nodiscard]] const std::string& path() const { return own_.path(); }

 private:
  testing::OwnFolder own_;
};

TEST_F(FolderTreeTest, OpensARootByItsPathEachTime) {
  fs::create_directories(path() + "/a/b");
  FolderTree tree;
  const FolderId root = tree.add_root(path() + "/a");
  EXPECT_EQ(tree.path(root, "x"), path() + "/a/x");
  EXPECT_EQ(tree.open(root).error, 0);
  EXPECT_EQ(tree.open(tree.add(root, "b")).error, 0);
  fs::rename(path() + "/a", path() + "/c");
  EXPECT_EQ(tree.open(root).error, ENOENT);
  const FolderId here = tree.add_root("");
  EXPECT_EQ(tree.path(here, "x"), "x");
  EXPECT_EQ(tree.open(here).error, 0);
}

// Runs on a thread without openat2.
template <class Work>
void without_openat2(int error, Work work) {
  std::jthread([&] {
    std::array<sock_filter, 4> code{
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat2},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const sock_fprog program{.len = code.size(), .filter = code.data()};
    ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
    ASSERT_EQ(::syscall(SYS_openat2, AT_FDCWD, "/", nullptr, 0), -1);
    ASSERT_EQ(errno, error);
    work();
  }).join();
}

TEST_F(FolderTreeTest, BuildsPathsFromTheGivenRootAndTheNamesBelowIt) {
  FolderTree tree;
  const FolderId plain = tree.add_root("some/../root", open_root());
  const FolderId slash = tree.add_root("/", open_root());
  const FolderId ended = tree.add_root("./", open_root());
  const FolderId a = tree.add(plain, "a");
  const FolderId b = tree.add(a, "b\n\xff");
  EXPECT_EQ(tree.size(), 5U);
  EXPECT_EQ(tree.path(plain), "some/../root");
  EXPECT_EQ(tree.path(b), "some/../root/a/b\n\xff");
  EXPECT_EQ(tree.path(b, "f"), "some/../root/a/b\n\xff/f");
  EXPECT_EQ(tree.path_below_root(b), "a/b\n\xff");
  EXPECT_EQ(tree.path_below_root(plain), "");
  EXPECT_EQ(tree.path(slash), "/");
  EXPECT_EQ(tree.path(slash, "f"), "/f");
  EXPECT_EQ(tree.path(tree.add(slash, "x"), "f"), "/x/f");
  EXPECT_EQ(tree.path(tree.add(ended, "x")), "./x");
  EXPECT_EQ(tree.name(b), "b\n\xff");
  EXPECT_STREQ(tree.lasting_name(b), "b\n\xff");
  EXPECT_EQ(tree.name(slash), "/");
  EXPECT_EQ(tree.parent(b), a);
  EXPECT_EQ(tree.parent(plain), kNoFolder);
  EXPECT_EQ(tree.root(b), plain);
}

TEST_F(FolderTreeTest, OpensAFolderWhosePathIsTooLongForOneCall) {
  const auto check = [&] {
    FolderTree tree;
    FolderId id = tree.add_root(path(), open_root());
    dig(40, [&](const std::string& name) { id = tree.add(id, name); });
    const OpenedFolder opened = tree.open(id);
    ASSERT_EQ(opened.error, 0);
    EXPECT_EQ(::faccessat(opened.folder.number(), "end", F_OK, 0), 0);
    EXPECT_EQ(tree.open(tree.add(id, "none")).error, ENOENT);
    fs::remove_all(path());
    fs::create_directory(path());
  };
  check();
  without_openat2(ENOSYS, check);
  without_openat2(EPERM, check);
}

TEST_F(FolderTreeTest, RejectsASymlinkInThePathUnlessFollowingLinks) {
  fs::create_directories(path() + "/real/deep");
  fs::create_directory_symlink("real", path() + "/link");
  fs::create_directory_symlink("deep", path() + "/real/last");
  const auto check = [&] {
    const Descriptor root = open_root();
    EXPECT_EQ(open_below(root.number(), "real/deep").error, 0);
    EXPECT_EQ(open_below(root.number(), "link/deep").error, ELOOP);
    EXPECT_EQ(open_below(root.number(), "real/last").error, ELOOP);
    EXPECT_EQ(open_below(root.number(), "link/last", true).error, 0);
    FolderTree tree;
    const FolderId id = tree.add_root(path(), open_root(), true);
    EXPECT_EQ(tree.open(tree.add(tree.add(id, "link"), "deep")).error, 0);
    const FolderId shared = tree.add_root("other", id);
    EXPECT_EQ(tree.open(tree.add(shared, "link")).error, 0);
    EXPECT_EQ(tree.root(shared), shared);
    EXPECT_EQ(tree.path(shared), "other");
  };
  check();
  without_openat2(ENOSYS, check);
}

TEST_F(FolderTreeTest, FollowsSymlinksInsideButNoneThatLeadsOut) {
  fs::create_directories(path() + "/root/deep");
  fs::create_directory_symlink("deep", path() + "/root/in");
  fs::create_directory_symlink("..", path() + "/root/out");
  fs::create_directory_symlink(path() + "/root/deep", path() + "/root/absolute");
  const Descriptor root(::open((path() + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(open_inside(root.number(), "").error, 0);
  EXPECT_EQ(open_inside(root.number(), "deep").error, 0);
  EXPECT_EQ(open_inside(root.number(), "in").error, 0);
  EXPECT_EQ(open_inside(root.number(), "out/root").error, EXDEV);
  EXPECT_EQ(open_inside(root.number(), "absolute").error, EXDEV);
  without_openat2(ENOSYS, [&] {
    EXPECT_EQ(open_inside(root.number(), "deep").error, 0);
    EXPECT_EQ(open_inside(root.number(), "in").error, ELOOP);
    EXPECT_EQ(open_inside(root.number(), "out").error, ELOOP);
  });
}

TEST_F(FolderTreeTest, RefusesToOpenAnythingButAFolder) {
  const Descriptor root = open_root();
  ASSERT_EQ(::mkfifo((path() + "/fifo").c_str(), 0600), 0);
  const auto check = [&] {
    EXPECT_EQ(open_below(root.number(), "fifo").error, ENOTDIR);
    EXPECT_EQ(open_below(root.number(), "fifo/x").error, ENOTDIR);
    EXPECT_EQ(open_below(root.number(), std::string(5'000, 'x')).error, ENAMETOOLONG);
    EXPECT_EQ(open_below(root.number(), "").error, 0);
  };
  check();
  without_openat2(ENOSYS, check);
}

TEST_F(FolderTreeTest, FoldersAreAddedAndReadByManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kFolders = 2'000;
  FolderTree tree;
  const FolderId root = tree.add_root("r", open_root());
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kFolders; ++i) {
          const std::string name = std::to_string(t) + '.' + std::to_string(i);
          const FolderId id = tree.add(root, name);
          if (tree.path(id) != "r/" + name || tree.lasting_name(id) != name) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(tree.size(), 1U + kThreads * kFolders);
}

}  // namespace
}  // namespace tidemill::walk
