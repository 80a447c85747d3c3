// Resuming a walk after a path, and walking deeper than PATH_MAX.
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/io/walk/sweep.h"
#include "tidemill/io/walk/walker.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::walk {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

void make_file(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  const std::ofstream file(path);
}

Paths walked(const std::string& root, const std::string& after, WalkReport* report = nullptr,
             const WalkOptions& options = {}) {
  Paths files;
  const auto answer = walk(
      root, options, after, {},
      [&](const FoundFile& file) {
        files.emplace_back(file.path);
        return true;
      },
      [](std::string_view path, const Failure&) { ADD_FAILURE() << path; });
  EXPECT_TRUE(answer.has_value());
  if (report != nullptr && answer) *report = *answer;
  return files;
}

// Few names, some of them prefixes of others, so that folders and files interleave.
std::set<std::string> random_tree(const std::string& root) {
  const auto part = rc::gen::element<std::string>("a", "a.", "a-b", "b", "\xff", "\n");
  const auto path_parts = rc::gen::resize(4, rc::gen::nonEmpty(rc::gen::container<Paths>(part)));
  const auto paths = *rc::gen::resize(15, rc::gen::container<std::vector<Paths>>(path_parts));
  std::set<std::string> made;
  for (const Paths& parts : paths) {
    std::string path = root;
    for (const std::string& one : parts) path += '/' + one;
    std::error_code clash;  // a file and a folder cannot have the same name
    fs::create_directories(fs::path(path).parent_path(), clash);
    if (clash || fs::exists(path)) continue;
    make_file(path);
    made.insert(path);
  }
  return made;
}

RC_GTEST_PROP(WalkerResume, ResumingAfterAnyFileYieldsExactlyTheRest, ()) {
  const testing::OwnFolder own;
  const std::string& root = own.path();
  const std::set<std::string> made = random_tree(root);
  const Paths all = walked(root, "");
  RC_ASSERT(std::set<std::string>(all.begin(), all.end()) == made);
  RC_ASSERT(all.size() == made.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Paths rest(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end());
    RC_ASSERT(walked(root, all[i]) == rest);
    fs::remove(all[i]);  // the result is the same without that file
    RC_ASSERT(walked(root, all[i]) == rest);
    make_file(all[i]);
  }
}

// The files that a sweep takes.
class Taken final : public SweepListener {
 public:
  explicit Taken(FolderTree& tree) : tree_(tree) {}

  bool folder(SweptFolder& folder) override {
    const std::scoped_lock lock(mutex_);
    for (const SweptFile& file : folder.files) {
      if (file.decision != SweepDecision::taken) continue;
      files.insert(tree_.path(folder.id) + '/' + std::string(file.name));
    }
    return true;
  }
  void failure(FolderId, std::uint64_t, int error) override { ADD_FAILURE() << error; }

  std::set<std::string> files;

 private:
  FolderTree& tree_;
  std::mutex mutex_;
};

void random_rules(const std::string& root) {
  const auto line =
      rc::gen::element<std::string>("a", "/a", "b/", "!a", "!b/", "a.", "a-*", "*", "!*/", "a/b",
                                    "**/a/b", "!/a/a", "a/**", "\xff", "a-b/a", "#a", "!a-b");
  const auto name = rc::gen::element<std::string>(".gitignore", ".ignore");
  Paths folders{root};
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  for (const std::string& folder : folders) {
    if (*rc::gen::element(0, 0, 1) == 0 && folder != root) continue;
    std::ofstream rules(folder + '/' + *name);
    for (auto n = *rc::gen::inRange(0, 4); n > 0; --n) rules << *line << '\n';
  }
}

RC_GTEST_PROP(WalkerResume, AppliesIgnoreFilesLikeASweepFromEveryResumePoint, ()) {
  const testing::OwnFolder own;
  const std::string& root = own.path();
  (void)random_tree(root);
  random_rules(root);
  const Paths names{".gitignore", ".ignore"};
  FolderTree tree;
  Taken swept(tree);
  RC_ASSERT(sweep({root}, {.ignore_files = names}, tree, swept, {}).has_value());
  WalkReport report;
  const Paths all = walked(root, "", &report, {.ignore_files = names});
  RC_ASSERT(std::set<std::string>(all.begin(), all.end()) == swept.files);
  RC_ASSERT(all.size() == swept.files.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Paths rest(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end());
    RC_ASSERT(walked(root, all[i], nullptr, {.ignore_files = names}) == rest);
  }
}

TEST(WalkerResume, DoesNotListFoldersBeforeTheResumePoint) {
  const testing::OwnFolder own;
  const std::string& root = own.path();
  for (const std::string name : {"a/1", "a/2", "b/c/1", "b/c/2", "b/d/1", "e"}) {
    make_file(root + '/' + name);
  }
  WalkReport report;
  EXPECT_EQ(walked(root, root + "/b/c/1", &report),
            (Paths{root + "/b/c/2", root + "/b/d/1", root + "/e"}));
  EXPECT_EQ(report.folders, 4U);  // the root, b, b/c, b/d
  EXPECT_EQ(walked(root, root + "/b/c/2", &report).size(), 2U);
  EXPECT_EQ(walked(root, root + "/zzz"), Paths{});
}

TEST(WalkerResume, ContinuesWhenAFileBecameAFolderOrViceVersa) {
  const testing::OwnFolder own;
  const std::string& root = own.path();
  for (const std::string name : {"a", "f/x", "f/y", "z"}) make_file(root + '/' + name);
  fs::remove(root + "/a");
  make_file(root + "/a/new");
  EXPECT_EQ(walked(root, root + "/a"),
            (Paths{root + "/a/new", root + "/f/x", root + "/f/y", root + "/z"}));
  fs::remove_all(root + "/f");
  make_file(root + "/f");
  EXPECT_EQ(walked(root, root + "/f/x"), Paths{root + "/z"});
}

// `depth` nested folders with names of 200 bytes. Each contains a, then the next folder, then y
// with a file in it: every folder is needed again on the way back up.
class DeepTree {
 public:
  static constexpr std::size_t kDepth = 5000;

  DeepTree() {
    Descriptor folder(::open(root_.c_str(), kFolder));
    for (std::size_t i = 0; i < kDepth; ++i) {
      make(folder.number(), "a");
      ::mkdirat(folder.number(), "y", 0700);
      const Descriptor y(::openat(folder.number(), "y", kFolder));
      make(y.number(), "f");
      ::mkdirat(folder.number(), name_.c_str(), 0700);
      folder = Descriptor(::openat(folder.number(), name_.c_str(), kFolder));
    }
  }
  DeepTree(const DeepTree&) = delete;
  DeepTree& operator=(const DeepTree&) = delete;
  ~DeepTree() {
    // Moves the inner folder up until there is none, so that no path gets long.
    const std::string inner = root_ + '/' + name_;
    while (true) {
      ::unlink((root_ + "/a").c_str());
      fs::remove_all(root_ + "/y");
      if (::rename(inner.c_str(), (root_ + ".inner").c_str()) != 0) break;
      ::rmdir(root_.c_str());
      ::rename((root_ + ".inner").c_str(), root_.c_str());
    }
    ::rmdir(root_.c_str());
  }

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string path(std::size_t depth) const {
    std::string path = root_;
    for (std::size_t i = 0; i < depth; ++i) path += '/' + name_;
    return path;
  }

 private:
  static constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  static void make(int folder, const char* name) {
    const Descriptor file(::openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!file.is_open()) std::abort();
  }

  testing::OwnFolder own_;
  const std::string& root_ = own_.path();
  std::string name_ = std::string(200, 'd');
};

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

TEST(WalkerDepth, IsNotLimitedByPathLengthOrDescriptors) {
  const DeepTree tree;
  const std::size_t before = open_descriptors();
  std::size_t most = 0;
  std::size_t longest = 0;
  std::size_t seen = 0;
  const auto count = [&](const FoundFile& file) {
    if (++seen % 50 == 0) most = std::max(most, open_descriptors());
    longest = std::max(longest, file.path.size());
    return true;
  };
  const auto failure = [](std::string_view, const Failure& failure) {
    ADD_FAILURE() << failure.step << failure.reason.substr(failure.reason.size() - 40);
  };
  const auto report = walk(tree.root(), {.sizes = true}, "", {}, count, failure);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->files, 2 * DeepTree::kDepth);
  EXPECT_EQ(report->folders, 2 * DeepTree::kDepth + 1);
  EXPECT_EQ(longest, tree.path(DeepTree::kDepth - 1).size() + 4);
  EXPECT_GT(longest, std::size_t{PATH_MAX});
  EXPECT_LE(most, before + 64);
  EXPECT_GT(most, before + 32);  // proves that the counting works

  seen = 0;
  const std::string after = tree.path(DeepTree::kDepth - 2) + "/a";
  ASSERT_TRUE(walk(tree.root(), {}, after, {}, count, failure));
  EXPECT_EQ(seen, DeepTree::kDepth + 1);
}

}  // namespace
}  // namespace tidemill::walk
