#include "tidemill/io/files/new_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/io/files/output_file.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::files {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

class NewFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] Names names() const {
    Names names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  }
  [[nodiscard]] mode_t mode(const std::string& name) const {
    struct stat seen{};
    EXPECT_EQ(::stat((folder_ / name).c_str(), &seen), 0);
    return seen.st_mode & 07777U;
  }
  [[nodiscard]] Descriptor open(const std::string& name) const {
    return Descriptor(::open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC));
  }
  // Gives `name` the contents "new".
  [[nodiscard]] Result<void> replace(const std::string& name) const {
    auto file = NewFile::begin(held_, name);
    if (!file) return std::unexpected(file.error());
    EXPECT_TRUE(file->write("new"));
    return file->put();
  }

  testing::OwnFolder folder_;
  HeldFolder held_ = HeldFolder::open(folder_.path()).value();
};

TEST_F(NewFileTest, ReplacesAnExistingFileOrCreatesOne) {
  folder_.file("a", "old");
  ASSERT_TRUE(replace("a"));
  ASSERT_TRUE(replace("b"));
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(read("b"), "new");
  EXPECT_EQ(names(), (Names{"a", "b"}));
}

TEST_F(NewFileTest, RemovesAnExistingPartFileWithoutWritingToIt) {
  folder_.file("a", "old").file("precious", "precious");
  fs::create_hard_link(folder_ / "precious", folder_ / part_name("a"));
  ASSERT_TRUE(replace("a"));
  fs::create_symlink("precious", folder_ / part_name("a"));
  ASSERT_TRUE(replace("a"));
  fs::create_symlink("nowhere", folder_ / part_name("a"));
  ASSERT_TRUE(replace("a"));
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(read("precious"), "precious");
  EXPECT_EQ(names(), (Names{"a", "precious"}));
}

TEST_F(NewFileTest, LeavesNoTraceWhenAbandoned) {
  folder_.file("a", "old");
  {
    auto file = NewFile::begin(held_, "a");
    ASSERT_TRUE(file);
    EXPECT_EQ(names().size(), 2U);
    const NewFile moved(*std::move(file));
    EXPECT_EQ(names().size(), 2U);
  }
  EXPECT_EQ(names(), (Names{"a"}));
  EXPECT_EQ(read("a"), "old");
}

TEST_F(NewFileTest, FailureLeavesExistingFilesUntouched) {
  folder_.file("folder/inside", "x");
  EXPECT_FALSE(replace("folder"));
  EXPECT_EQ(read("folder/inside"), "x");
  EXPECT_EQ(names(), (Names{"folder"}));
  EXPECT_FALSE(NewFile::begin(held_, "no/folder"));
}

TEST_F(NewFileTest, PartFileNameIsShortForAnyFileName) {
  const std::string longest(255, 'n');
  EXPECT_LT(part_name(longest).size(), 64U);
  EXPECT_NE(part_name("a"), part_name("b"));
  EXPECT_TRUE(replace(longest));
  EXPECT_EQ(read(longest), "new");
}

// Otherwise the owner of a set-user-ID book would get the privileges of the user who repairs it.
TEST_F(NewFileTest, CopiesPermissionsWithoutSetuidSetgidOrSticky) {
  folder_.file("a", "old");
  for (const auto& [old, taken] : {std::pair<mode_t, mode_t>(0640, 0640),
                                   {04755, 0755},
                                   {02775, 0775},
                                   {01777, 0777},
                                   {07777, 0777}}) {
    ASSERT_EQ(::chmod((folder_ / "a").c_str(), old), 0);
    const Descriptor model = open("a");
    auto file = NewFile::begin(held_, "b");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->resemble(model.number()));
    ASSERT_TRUE(file->put());
    EXPECT_EQ(mode("b"), taken);
  }
}

TEST_F(NewFileTest, RestrictsModeToTheOwnerWhenTheOwnerChanges) {
  folder_.file("a", "old");
  const Descriptor file = open("a");
  struct stat old{};
  ASSERT_EQ(::fstat(file.number(), &old), 0);
  old.st_mode = S_IFREG | 04775U;
  old.st_uid = static_cast<uid_t>(-1);  // fchown() ignores this uid
  ASSERT_TRUE(take_over(old, file.number(), "a"));
  EXPECT_EQ(mode("a"), 0700U);
}

TEST_F(NewFileTest, BackupHoldsTheFileThatWasOpened) {
  folder_.file("a", "old");
  const Descriptor file = open("a");
  fs::rename(folder_ / "a", folder_ / "elsewhere");
  folder_.file("a", "another");
  ASSERT_TRUE(back_up(file.number(), held_, "a.orig"));
  EXPECT_EQ(read("a.orig"), "old");
  ASSERT_TRUE(back_up(file.number(), held_, "a.orig"));  // as by a run that was killed here
  folder_.file("taken", "taken");
  EXPECT_FALSE(back_up(file.number(), held_, "taken"));
  EXPECT_EQ(read("taken"), "taken");
  EXPECT_FALSE(back_up(file.number(), held_, "no/folder"));
}

TEST_F(NewFileTest, BackupOfAnUnlinkedFileIsACopy) {
  folder_.file("a", "old");
  ASSERT_EQ(::chmod((folder_ / "a").c_str(), 04640), 0);
  const Descriptor file = open("a");
  fs::remove(folder_ / "a");
  ASSERT_TRUE(back_up(file.number(), held_, "a.orig"));
  EXPECT_EQ(read("a.orig"), "old");
  EXPECT_EQ(mode("a.orig"), 0640U);
}

TEST_F(NewFileTest, BackupReusesATakenNameOnlyForTheSameContents) {
  folder_.file("a", "old");
  const Descriptor file = open("a");
  const auto name = [&](const std::string& wanted) {
    return free_backup_name(file.number(), held_, wanted).value_or("none");
  };
  EXPECT_EQ(name("a.orig"), "a.orig");
  folder_.file("a.orig", "1");
  EXPECT_EQ(name("a.orig"), "a.orig-2");
  fs::create_symlink("nowhere", folder_ / "a.orig-2");
  EXPECT_EQ(name("a.orig"), "a.orig-3");
  folder_.file("a.orig", "old");
  EXPECT_EQ(name("a.orig"), "a.orig");
  EXPECT_EQ(name(std::string(300, 'n')), "none");
}

TEST_F(NewFileTest, OutputFileFollowsOurLinkAndReplacesOnlyRegularFiles) {
  folder_.file("far/report", "old").folder("there");
  fs::create_symlink("far/report", folder_ / "report");
  ASSERT_TRUE(write_file(folder_ / "report", "new"));
  EXPECT_EQ(read("far/report"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "report"));
  EXPECT_FALSE(write_file(folder_ / "there", "new"));
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_FALSE(write_file(folder_ / "fifo", "new"));
  EXPECT_TRUE(fs::is_fifo(folder_ / "fifo"));
  EXPECT_TRUE(write_file("/dev/null", "new"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(write_file(folder_ / "no/folder", "new"));
}

}  // namespace
}  // namespace tidemill::files
