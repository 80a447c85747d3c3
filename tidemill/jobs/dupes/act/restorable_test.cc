#include "tidemill/jobs/dupes/act/restorable.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/base/descriptor.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kUser = 65'534;
constexpr gid_t kStranger = 12'345;  // a group without members

// Runs as an ordinary user, in a separate process. The result must fit into one byte.
int as_user(const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_user = ::setgroups(0, nullptr) == 0 && ::setresgid(kUser, kUser, kUser) == 0 &&
                         ::setresuid(kUser, kUser, kUser) == 0;
    ::_exit(is_user ? act() : 255);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Restorable : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else: NOT TESTED";
    fs::create_directories(folder_);
    ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string answer(const Metadata& metadata) const {
    const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto good = expect_restorable(folder.number(), metadata);
    return good ? "" : good.error().reason;
  }
  // 0: it can be restored; 1: declined with that word; 2: with another.
  [[nodiscard]] int answer_to_user(const Metadata& metadata, const std::string& word = "?") const {
    return as_user([&] {
      const std::string reason = answer(metadata);
      return reason.empty() ? 0 : reason.contains(word) ? 1 : 2;
    });
  }

  const std::string folder_ = ::testing::TempDir() + "restorable-" + std::to_string(::getpid());
  const Metadata mine_{.mode = 0644, .user = kUser, .group = kUser, .mtime_ns = 5};
};

TEST_F(Restorable, AUserCanRestoreTheirOwnMetadata) {
  EXPECT_EQ(answer_to_user(mine_), 0);
  Metadata other = mine_;
  other.mode = 0400;  // read-only: only root may set an attribute afterwards
  other.xattrs = {{"user.origin", "x"}};
  EXPECT_EQ(answer_to_user(other), 0);
  other.mode = 04755;
  EXPECT_EQ(answer_to_user(other), 0);
}

TEST_F(Restorable, DeclinesAndNamesMetadataAUserCannotRestore) {
  Metadata other = mine_;
  other.group = kStranger;
  EXPECT_EQ(answer_to_user(other, "the group"), 1);
  other.user = 1;
  EXPECT_EQ(answer_to_user(other, "the owner"), 1);
  other = mine_;
  other.xattrs = {{"trusted.origin", "x"}};
  EXPECT_EQ(answer_to_user(other, "trusted.origin"), 1);
  // The folder gives its group to new files, but not the right to run as it.
  ASSERT_EQ(::chown(folder_.c_str(), 0, kStranger), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 02777), 0);
  other = mine_;
  other.group = kStranger;
  EXPECT_EQ(answer_to_user(other), 0);
  other.mode = 02755;
  EXPECT_EQ(answer_to_user(other, "the mode"), 1);
}

TEST_F(Restorable, RootRestoresAll) {
  Metadata other = mine_;
  other.group = kStranger;
  other.mode = 06755;
  EXPECT_EQ(answer(other), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace tidemill::dupes
