// tests/security covers files of another user, because it can become one.
#include "tidemill/io/files/own_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/io/files/private_files.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::files {
namespace {

namespace fs = std::filesystem;

class OwnPath : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(at("way/state"));
    mode("way", 0755);
    mode("way/state", 0700);
  }
  [[nodiscard]] std::string at(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void mode(const std::string& name, mode_t mode) const {
    ASSERT_EQ(::chmod(at(name).c_str(), mode), 0);
  }
  // Empty: the path is trusted.
  [[nodiscard]] std::string objection(const std::string& name) const {
    const auto own = demand_own(at(name), {.name = "state folder", .instead = "choose another"});
    if (own) return "";
    EXPECT_EQ(own.error().step, "usage");
    EXPECT_TRUE(own.error().hint.contains("choose another")) << own.error().hint;
    return own.error().reason;
  }

  testing::OwnFolder folder_;
};

TEST_F(OwnPath, AcceptsAPathThatOnlyItsOwnerCanWrite) {
  EXPECT_EQ(objection("way/state"), "");
  EXPECT_EQ(objection("way/state/"), "");
  EXPECT_EQ(objection("way//./state/../state"), "");
  mode("way/state", 0755);
  EXPECT_EQ(objection("way/state"), "");
}

TEST_F(OwnPath, AcceptsAMissingPath) {
  EXPECT_EQ(objection("way/nothing"), "");
  EXPECT_EQ(objection("nothing/at/all"), "");
  fs::create_symlink("loop", at("loop"));
  EXPECT_EQ(objection("loop"), "");
}

TEST_F(OwnPath, RejectsAPathThatOthersCanWrite) {
  mode("way/state", 0702);
  EXPECT_EQ(objection("way/state"),
            "the state folder " + at("way/state") + " is writable by other users (mode 0702)");
  mode("way/state", 01777);  // the sticky bit protects names, not contents
  EXPECT_NE(objection("way/state"), "");
}

TEST_F(OwnPath, QuotesThePathInTheSuggestedCommand) {
  fs::create_directories(at("it's"));
  mode("it's", 0777);
  const auto own = demand_own(at("it's"), {.name = "state folder"});
  ASSERT_FALSE(own);
  EXPECT_TRUE(own.error().hint.contains("chmod go-w '" + at("it'\\''s") + "'")) << own.error().hint;
}

TEST_F(OwnPath, AcceptsAParentWritableByOthersOnlyIfSticky) {
  mode("way", 0777);
  EXPECT_TRUE(objection("way/state").starts_with(at("way") + ", which contains the state folder "));
  mode("way", 01777);
  EXPECT_EQ(objection("way/state"), "");
}

TEST_F(OwnPath, FollowsLinksAndChecksTheirFolderAndTarget) {
  fs::create_directories(at("elsewhere"));
  fs::create_directory_symlink("../elsewhere", at("way/link"));
  EXPECT_EQ(objection("way/link"), "");
  mode("elsewhere", 0777);
  EXPECT_NE(objection("way/link"), "");
  fs::create_directory_symlink(at("way/state"), at("elsewhere/link"));
  EXPECT_NE(objection("elsewhere/link"), "");  // another user may replace the link
}

TEST_F(OwnPath, TreatsAnotherGroupAsOthers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another group";
  ASSERT_EQ(::chown(at("way/state").c_str(), 0, 61'234), 0);
  mode("way/state", 0770);
  EXPECT_NE(objection("way/state"), "");
}

TEST_F(OwnPath, PrivateFilesAndFoldersAreOwnerOnlyWhateverTheUmask) {
  const mode_t before = ::umask(0);
  EXPECT_TRUE(make_private_folders(at("a/b/c")));
  make_private_file(at("a/b/c/file"));
  ::umask(before);
  struct stat seen{};
  for (const char* name : {"a", "a/b", "a/b/c"}) {
    ASSERT_EQ(::stat(at(name).c_str(), &seen), 0);
    EXPECT_EQ(seen.st_mode & 07777U, 0700U) << name;
  }
  ASSERT_EQ(::stat(at("a/b/c/file").c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & 07777U, 0600U);
  std::ofstream(at("a/b/c/file")) << "text";
  make_private_file(at("a/b/c/file"));  // leaves an existing file unchanged
  EXPECT_EQ(fs::file_size(at("a/b/c/file")), 4U);
}

}  // namespace
}  // namespace tidemill::files
