#include "tidemill/jobs/dupes/fleet/hash_tasks.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/jobs/dupes/fleet/hash_payload.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;

class HashTasksTest : public ::testing::Test {
 protected:
  // A file with its own stamp; `root` is a root of the catalogue.
  void order(const std::string& root, const std::string& below) {
    lines_.push_back({.path = root + "/" + below});
    orders_.push_back({.root = root,
                       .file = {.name = fs::path(below).filename(),
                                .stamp = {.device = 5, .inode = 10, .size = 3, .ctime_ns = 4},
                                .algorithm = 1}});
    relink();
  }
  void relink() {
    for (std::size_t i = 0; i < orders_.size(); ++i) orders_[i].line = &lines_[i];
  }
  std::string folder(const std::string& name) const {
    fs::create_directories(own_.path() + "/" + name);
    return own_.path() + "/" + name;
  }
  [[nodiscard]] HashTasks tasks() const { return HashTasks::of(orders_).value(); }
  [[nodiscard]] HashPayload payload(std::size_t order) const {
    return unpack_hash_payload(tasks().payload_of(order)).value();
  }

  testing::OwnFolder own_;
  std::vector<WantedFile> lines_;
  std::vector<HashOrder> orders_;
};

TEST_F(HashTasksTest, PayloadNamesTheFileBelowItsRootWithoutItsDevice) {
  order(folder("one"), "deep/file");
  order(folder("two"), "other");
  EXPECT_EQ(payload(0), (HashPayload{.root = 0,
                                     .algorithm = 1,
                                     .stamp = {.inode = 10, .size = 3, .ctime_ns = 4},
                                     .path = "deep/file"}));
  EXPECT_EQ(payload(1).root, 1U);
  EXPECT_EQ(payload(1).path, "other");
}

TEST_F(HashTasksTest, RootsHaveDifferentNames) {
  order(folder("photos"), "a");
  order(folder("other/photos"), "a");
  order(folder("third/photos"), "a");
  order("/", "etc/hostname");
  lines_.back().path = "/etc/hostname";
  const HashTasks all = tasks();
  std::set<std::string> names;
  for (const auto& root : all.roots()) names.insert(root.name);
  EXPECT_EQ(names, (std::set<std::string>{"photos", "photos-2", "photos-3", "root"}));
  EXPECT_EQ(payload(3).path, "etc/hostname");
}

TEST_F(HashTasksTest, IdIsThatOfTheFileWhateverElseIsInTheList) {
  const std::string root = folder("root");
  order(root, "a");
  const auto id = tasks().id_of(0);
  order(root, "b");
  std::swap(lines_[0], lines_[1]);
  std::swap(orders_[0], orders_[1]);
  relink();
  EXPECT_EQ(tasks().id_of(1), id);
  EXPECT_NE(tasks().id_of(0), id);
  EXPECT_EQ(tasks().orders_of(id), std::vector<std::size_t>{1});
  EXPECT_TRUE(tasks().orders_of(id + 1).empty());
}

TEST_F(HashTasksTest, AnotherStampAlgorithmOrRootIsAnotherTask) {
  order(folder("root"), "a");
  std::set<engine::TaskId> ids = {tasks().id_of(0)};
  ++orders_[0].file.stamp.ctime_ns;
  ids.insert(tasks().id_of(0));
  ++orders_[0].file.stamp.inode;
  ids.insert(tasks().id_of(0));
  orders_[0].file.algorithm = 2;
  ids.insert(tasks().id_of(0));
  orders_[0].root = folder("other");
  lines_[0].path = orders_[0].root + "/a";
  ids.insert(tasks().id_of(0));
  EXPECT_EQ(ids.size(), 5U);
  EXPECT_FALSE(ids.contains(0));
}

TEST_F(HashTasksTest, EqualLinesAreOneTask) {
  const std::string root = folder("root");
  order(root, "a");
  order(root, "b");
  order(root, "a");
  const HashTasks all = tasks();
  EXPECT_EQ(all.id_of(0), all.id_of(2));
  EXPECT_EQ(all.orders_of(all.id_of(0)), (std::vector<std::size_t>{0, 2}));
}

TEST_F(HashTasksTest, RootThatIsAFileIsInItsFolder) {
  std::ofstream(folder("root") + "/alone") << "x";
  order(own_.path() + "/root/alone", "alone");
  order(own_.path() + "/root", "other");
  EXPECT_EQ(tasks().roots(),
            (std::vector<HashTasks::Root>{{.name = "root", .path = own_.path() + "/root"}}));
  EXPECT_EQ(payload(0).path, "alone");
}

TEST_F(HashTasksTest, OrdersBelowARootThatIsGoneFail) {
  order(folder("root"), "a");
  order(own_.path() + "/gone", "a");
  const HashTasks all = tasks();
  ASSERT_EQ(all.unreachable().size(), 1U);
  EXPECT_EQ(all.unreachable()[0].order, 1U);
  EXPECT_EQ(all.unreachable()[0].failure.kind, FailureKind::not_found);
  EXPECT_EQ(all.id_of(1), 0U);
  EXPECT_EQ(all.roots().size(), 1U);
}

}  // namespace
}  // namespace tidemill::dupes
