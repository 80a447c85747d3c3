#include "tidemill/jobs/books/replacement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tidemill/jobs/books/in_a_folder.h"

namespace tidemill::books {
namespace {

namespace fs = std::filesystem;
class Replacing : public InAFolder {
 protected:
  // Mends `target` into "new".
  static Result<void> replace(const std::string& target, const std::string& backup) {
    auto replacement = Replacement::begin(target);
    if (!replacement) return std::unexpected(replacement.error());
    EXPECT_EQ(::write(replacement->file(), "new", 3), 3);
    return replacement->put(backup);
  }
};

TEST_F(Replacing, TheOldBookIsThereUnderTheNameOfTheBackup) {
  write("a.epub", "old");
  ASSERT_TRUE(replace(at("a.epub"), at("a.epub.orig")));
  EXPECT_EQ(read("a.epub"), "new");
  EXPECT_EQ(read("a.epub.orig"), "old");
  EXPECT_EQ(names(), (std::set<std::string>{"a.epub", "a.epub.orig"}));
  ASSERT_TRUE(replace(at("a.epub"), ""));
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(Replacing, WhatAKilledRunLeftIsNeitherUsedNorLeft) {
  write("a.epub", "old");
  write("precious", "precious");
  fs::create_hard_link(at("precious"), part_of(at("a.epub")));
  ASSERT_TRUE(replace(at("a.epub"), ""));
  EXPECT_EQ(read("a.epub"), "new");
  EXPECT_EQ(read("precious"), "precious");
  fs::create_symlink(at("precious"), part_of(at("a.epub")));
  ASSERT_TRUE(replace(at("a.epub"), ""));
  EXPECT_EQ(read("precious"), "precious");
  EXPECT_EQ(names(), (std::set<std::string>{"a.epub", "precious"}));
}

TEST_F(Replacing, GivenUpItLeavesNoTrace) {
  write("a.epub", "old");
  {
    auto replacement = Replacement::begin(at("a.epub"));
    ASSERT_TRUE(replacement);
    EXPECT_EQ(names().size(), 2U);
    const Replacement moved(*std::move(replacement));
    EXPECT_EQ(names().size(), 2U);
  }
  EXPECT_EQ(names(), (std::set<std::string>{"a.epub"}));
  EXPECT_EQ(read("a.epub"), "old");
}

TEST_F(Replacing, AFailureLeavesTheTargetAsItWas) {
  write("a.epub", "old");
  write("taken", "taken");
  EXPECT_FALSE(replace(at("a.epub"), at("taken")));
  EXPECT_EQ(read("a.epub"), "old");
  EXPECT_EQ(read("taken"), "taken");
  EXPECT_FALSE(replace(at("a.epub"), at("no/folder")));
  EXPECT_EQ(read("a.epub"), "old");
  write("folder.epub/inside", "x");
  EXPECT_FALSE(replace(at("folder.epub"), ""));
  EXPECT_EQ(read("folder.epub/inside"), "x");
  EXPECT_FALSE(Replacement::begin(at("no/folder.epub")));
  EXPECT_EQ(names(), (std::set<std::string>{"a.epub", "folder.epub", "taken"}));
}

TEST_F(Replacing, ThePartFileHasAShortNameOfItsOwnBesideTheTarget) {
  const std::string longest(255, 'n');
  EXPECT_TRUE(part_of(at(longest)).starts_with(base_ + "/.tidemill-"));
  EXPECT_LT(fs::path(part_of(at(longest))).filename().string().size(), 64U);
  EXPECT_NE(part_of(at("a")), part_of(at("b")));
  EXPECT_EQ(part_of("a"), part_of("x/a").substr(2));
  write(longest, "old");
  EXPECT_TRUE(replace(at(longest), ""));
  EXPECT_EQ(read(longest), "new");
}

TEST_F(Replacing, TheNewBookHasTheModeOfTheOld) {
  write("a.epub", "old");
  ASSERT_EQ(::chmod(at("a.epub").c_str(), 0640), 0);
  const Descriptor book(::open(at("a.epub").c_str(), O_RDONLY));
  auto replacement = Replacement::begin(at("a.epub"));
  ASSERT_TRUE(replacement);
  ASSERT_TRUE(replacement->resemble(book.number()));
  ASSERT_TRUE(replacement->put(""));
  struct stat seen{};
  ASSERT_EQ(::stat(at("a.epub").c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & 07777U, 0640U);
}

TEST_F(Replacing, ABackupTakesNoNameThatIsTakenButByTheSameBytes) {
  const Descriptor book(::open(write("a", "old").c_str(), O_RDONLY));
  const auto name = [&](const std::string& wanted) {
    return free_backup_name(at(wanted), book.number()).value_or("none");
  };
  EXPECT_EQ(name("a.orig"), at("a.orig"));
  write("a.orig", "1");
  EXPECT_EQ(name("a.orig"), at("a.orig-2"));
  fs::create_symlink("nowhere", at("a.orig-2"));
  EXPECT_EQ(name("a.orig"), at("a.orig-3"));
  write("a.orig", "old");  // by a run that was killed just then
  EXPECT_EQ(name("a.orig"), at("a.orig"));
  ASSERT_TRUE(replace(at("a"), at("a.orig")));
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(read("a.orig"), "old");
  EXPECT_EQ(name(std::string(300, 'n')), "none");
}

TEST_F(Replacing, OneAtATimeIsAtWorkOnABook) {
  write("a.epub", "old");
  const Descriptor one(::open(at("a.epub").c_str(), O_RDONLY));
  Descriptor other(::open(at("a.epub").c_str(), O_RDONLY));
  ASSERT_TRUE(lock_book(other.number()));
  const auto locked = lock_book(one.number());
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().cure, Cure::retry);
  other.close();
  EXPECT_TRUE(lock_book(one.number()));
}

}  // namespace
}  // namespace tidemill::books
