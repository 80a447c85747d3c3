// The restrictions for root: who may access or replace a file, and the metadata of its copy.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/jobs/dupes/act/metadata.h"
#include "tidemill/jobs/dupes/act/pair/copy.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"
#include "tidemill/jobs/dupes/act/pair/reach.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;

const Metadata kFile{.mode = 0644, .user = 7, .group = 8};

TEST(Access, EachDifferenceIsNamedWithTheFlagThatIgnoresIt) {
  struct Case {
    Metadata other{};
    Lenience lenience{};
    std::string reason{};
  };
  const Metadata acl{
      .mode = 0644, .user = 7, .group = 8, .xattrs = {{"system.posix_acl_access", "x"}}};
  const Case cases[] = {
      {{.mode = 0644, .user = 9, .group = 8},
       {.owner = true},
       "the owner differs (root needs --ignore-difference owner)"},
      {{.mode = 0644, .user = 7, .group = 9},
       {.owner = true},
       "the group differs (root needs --ignore-difference owner)"},
      {{.mode = 0600, .user = 7, .group = 8},
       {.mode = true},
       "the mode differs (root needs --ignore-difference mode)"},
      {acl, {.xattrs = true}, "the ACL differs (root needs --ignore-difference xattrs)"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(difference_in_access(each.other, kFile, {}), each.reason);
    EXPECT_EQ(difference_in_access(kFile, each.other, {}), each.reason);
    EXPECT_EQ(difference_in_access(kFile, each.other, each.lenience), std::nullopt) << each.reason;
  }
  Metadata later = kFile;
  later.mtime_ns = 5;
  later.xattrs = {{"user.x", "y"}};
  EXPECT_EQ(difference_in_access(kFile, later, {}), std::nullopt);
}

TEST(Access, PrivilegesAreSetuidSetgidAndCapabilities) {
  const Metadata able{.mode = 0755, .xattrs = {{"security.capability", "x"}, {"user.x", "y"}}};
  EXPECT_FALSE(has_privileges(kFile));
  EXPECT_FALSE(has_privileges({.mode = 01755}));
  EXPECT_TRUE(has_privileges({.mode = 04755}));
  EXPECT_TRUE(has_privileges({.mode = 02755}));
  EXPECT_TRUE(has_privileges(able));
  EXPECT_EQ(without_privileges({.mode = 07755}), Metadata{.mode = 01755});
  EXPECT_EQ(without_privileges(able), (Metadata{.mode = 0755, .xattrs = {{"user.x", "y"}}}));
}

// Two files in separate folders, with is_root set.
class ReachTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* side : {"kept", "dup"}) {
      fs::create_directories(root_ + '/' + side + "/deep");
      std::ofstream(file(side)) << "bytes";
      mode(std::string(side) + "/deep/file", 0644);
      mode(std::string(side) + "/deep", 0755);
      mode(side, 0755);
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] std::string file(const std::string& side) const {
    return root_ + '/' + side + "/deep/file";
  }
  void mode(const std::string& name, mode_t mode) const {
    ASSERT_EQ(::chmod((root_ + '/' + name).c_str(), mode), 0);
  }
  [[nodiscard]] PlanStep step(Action action) const {
    PlanStep step{.action = action,
                  .kept = site_of(file("kept"), root_),
                  .duplicate = site_of(file("dup"), root_),
                  .target = {.path = root_ + "/away/new/file", .root_bytes = root_.size() + 5}};
    step.kept_stamp = stamp_of(look_at(AT_FDCWD, file("kept")).value());
    step.stamp = stamp_of(look_at(AT_FDCWD, file("dup")).value());
    return step;
  }
  // The refusal of the first half; changes nothing.
  [[nodiscard]] std::string prepared(PlanStep step, bool is_root = true) {
    places_.forget();
    const auto done =
        prepare({.places = places_, .comparer = comparer_, .mark = "mark", .is_root = is_root},
                std::move(step));
    return done ? "good" : done.error().reason;
  }
  [[nodiscard]] std::string deletion() { return prepared(step(Action::remove)); }

  const std::string root_ = ::testing::TempDir() + "reach-" + std::to_string(::getpid());
  const std::string reason_ =
      "other users can replace the kept file, but not this one (root needs --ignore-difference "
      "folder)";
  PairPlaces places_ = PairPlaces::from("").value();
  Comparer comparer_ = Comparer::make().value();
};

TEST_F(ReachTest, RefusesToDeleteWhenOthersCanReplaceTheKeptFile) {
  EXPECT_EQ(deletion(), "good");
  for (const char* folder : {"kept/deep", "kept"}) {
    mode(folder, 0777);
    EXPECT_EQ(deletion(), reason_) << folder;
    mode(folder, 01777);
    EXPECT_EQ(deletion(), "good") << folder;
    mode(folder, 0755);
  }
  mode("kept", 0777);
  EXPECT_EQ(prepared(step(Action::remove), false), "good");
  PlanStep linked = step(Action::hardlink);  // its name stays
  linked.lenience.mtime = true;
  EXPECT_EQ(prepared(linked), "good");
  PlanStep lenient = step(Action::remove);
  lenient.lenience.folder = true;
  EXPECT_EQ(prepared(lenient), "good");
  mode("dup/deep", 0777);  // no user gains access
  EXPECT_EQ(deletion(), "good");
}

TEST_F(ReachTest, AGroupThatMayWriteToTheFileMayReplaceIt) {
  if (::getegid() == 0 && ::chown((root_ + "/kept").c_str(), static_cast<uid_t>(-1), 8) != 0) {
    GTEST_SKIP() << "there is no other group: NOT TESTED";
  }
  mode("kept", 0775);
  EXPECT_EQ(deletion(), reason_);
  struct stat folder{};
  ASSERT_EQ(::stat((root_ + "/kept").c_str(), &folder), 0);
  for (const char* side : {"kept", "dup"}) {
    ASSERT_EQ(::chown(file(side).c_str(), static_cast<uid_t>(-1), folder.st_gid), 0);
    ASSERT_EQ(::chmod(file(side).c_str(), 0664), 0);
  }
  EXPECT_EQ(deletion(), "good");
}

TEST_F(ReachTest, EveryActionAsRootRefusesADifferentMode) {
  mode("dup/deep/file", 0600);
  const std::string reason = "the mode differs (root needs --ignore-difference mode)";
  for (const Action action : {Action::remove, Action::move, Action::reflink, Action::script}) {
    EXPECT_EQ(prepared(step(action)), reason) << type_of(action);
    EXPECT_EQ(prepared(step(action), false), "good") << type_of(action);
    PlanStep lenient = step(action);
    lenient.lenience.mode = true;
    EXPECT_EQ(prepared(lenient), "good") << type_of(action);
  }
}

TEST_F(ReachTest, CreatesFoldersForMovedFilesWithOwnerOnlyAccess) {
  const PairTools tools{.places = places_, .comparer = comparer_, .mark = "mark"};
  auto pair = begin(tools, prepare(tools, step(Action::move)).value(), 7);
  ASSERT_TRUE(pair) << pair.error().reason;
  ASSERT_TRUE(settle(tools, *pair));
  ASSERT_TRUE(fs::exists(root_ + "/away/new/file"));
  for (const char* folder : {"/away", "/away/new"}) {
    EXPECT_EQ(fs::status(root_ + folder).permissions(), fs::perms::owner_all) << folder;
  }
}

TEST_F(ReachTest, RefusesToMoveAFileToWhereOthersCanReplaceIt) {
  fs::create_directories(root_ + "/away");
  mode("away", 0777);
  const PairTools tools{.places = places_, .comparer = comparer_, .mark = "mark", .is_root = true};
  const auto pair = begin(tools, prepare(tools, step(Action::move)).value(), 7);
  ASSERT_FALSE(pair);
  EXPECT_EQ(pair.error(),
            declined("other users could replace the file where it would be moved to (root needs "
                     "--ignore-difference folder)")
                .error());
  EXPECT_TRUE(fs::exists(file("dup")));
}

TEST_F(ReachTest, RootMovesNothingThroughASymlink) {
  fs::create_directories(root_ + "/elsewhere");
  fs::create_directory_symlink("elsewhere", root_ + "/away");
  for (const bool is_root : {true, false}) {
    places_.forget();
    const PairTools tools{
        .places = places_, .comparer = comparer_, .mark = "mark", .is_root = is_root};
    auto pair = begin(tools, prepare(tools, step(Action::move)).value(), 7);
    EXPECT_EQ(pair.has_value(), !is_root);
    EXPECT_EQ(fs::exists(root_ + "/elsewhere/new/file"), !is_root);
    const std::string reason = pair ? "" : pair.error().reason;
    EXPECT_EQ(reason.contains("is a symlink"), is_root) << reason;
  }
}

TEST_F(ReachTest, DropsPrivilegesOnOtherFileSystemsUnlessRootMovesARootFile) {
  PlanStep away{.action = Action::move, .metadata = {.mode = 04755, .user = 7}};
  PairTools tools{.places = places_, .comparer = comparer_, .is_root = true};
  EXPECT_EQ(metadata_elsewhere(tools, away).mode, 0755U);
  away.metadata.user = 0;
  EXPECT_EQ(metadata_elsewhere(tools, away).mode, 04755U);
  tools.is_root = false;
  EXPECT_EQ(metadata_elsewhere(tools, away).mode, 0755U);
}

TEST_F(ReachTest, ChecksACopyBeforeApplyingItsMetadata) {
  const Descriptor from(::open(file("dup").c_str(), O_RDONLY | O_CLOEXEC));
  const Descriptor folder(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Metadata metadata{.mode = 04755, .user = ::geteuid(), .group = ::getegid()};
  mode_t seen = 0;
  const auto refuse = [&](int copy) -> Tried<void> {
    seen = look_at(copy).value().stx_mode & 07777U;
    return declined("no");
  };
  const auto copy = copy_to(from.number(), 5, folder.number(), "copy", metadata, {}, refuse);
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().reason, "no");
  EXPECT_EQ(seen, 0600U);
  EXPECT_FALSE(fs::exists(root_ + "/copy"));
}

}  // namespace
}  // namespace tidemill::dupes
