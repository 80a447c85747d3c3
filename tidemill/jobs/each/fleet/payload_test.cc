#include "tidemill/jobs/each/fleet/payload.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/own_folder.h"

namespace tidemill::each {
namespace {

EachPayload payload_of(const EachRoots& roots, std::string_view name) {
  return unpack_payload(roots.payload_of(name)).value();
}

TEST(EachPayload, SurvivesTheWay) {
  const EachPayload path{.root = 300, .name = std::string("a\n\xff\0b", 5)};
  const EachPayload word{.name = "https://example.org/?q={}"};
  EXPECT_EQ(unpack_payload(pack(path)), path);
  EXPECT_EQ(unpack_payload(pack(word)), word);
  EXPECT_EQ(unpack_payload(""), std::nullopt);
  EXPECT_EQ(unpack_payload("\xff"), std::nullopt);
}

TEST(EachRoots, RelativeFoldersAreBelowTheFolderOfTheRun) {
  const EachRoots roots({.roots = {"photos", "./music"}}, "/home/me");
  ASSERT_EQ(roots.roots().size(), 1U);
  EXPECT_EQ(roots.roots()[0], (EachRoots::Root{.name = "work", .path = "/home/me"}));
  EXPECT_EQ(payload_of(roots, "photos/a.jpg"), (EachPayload{.root = 0, .name = "photos/a.jpg"}));
  EXPECT_EQ(payload_of(roots, "./music/b"), (EachPayload{.root = 0, .name = "./music/b"}));
}

TEST(EachRoots, FoldersElsewhereAreRootsOfTheirOwn) {
  const testing::OwnFolder own;
  const std::string data = own.path() + "/data";
  const std::string other = own.path() + "/more/data";
  ::mkdir(data.c_str(), 0700);
  ::mkdir((own.path() + "/more").c_str(), 0700);
  ::mkdir(other.c_str(), 0700);
  const EachRoots roots({.roots = {data, other + "/", "../data", "near"}}, own.path() + "/work");
  ASSERT_EQ(roots.roots().size(), 3U);
  EXPECT_EQ(roots.roots()[1], (EachRoots::Root{.name = "data", .path = data}));
  EXPECT_EQ(roots.roots()[2], (EachRoots::Root{.name = "data-2", .path = other}));
  EXPECT_EQ(payload_of(roots, data + "/x/y"), (EachPayload{.root = 1, .name = "x/y"}));
  EXPECT_EQ(payload_of(roots, other + "/z"), (EachPayload{.root = 2, .name = "z"}));
  EXPECT_EQ(payload_of(roots, "../data/x"), (EachPayload{.root = 1, .name = "x"}));
  EXPECT_EQ(payload_of(roots, "near/x"), (EachPayload{.root = 0, .name = "near/x"}));
}

TEST(EachRoots, NeighbourWithTheSameBeginningIsNotInTheRoot) {
  const testing::OwnFolder own;
  const std::string data = own.path() + "/data";
  const std::string data2 = own.path() + "/data2";
  ::mkdir(data.c_str(), 0700);
  ::mkdir(data2.c_str(), 0700);
  const EachRoots roots({.roots = {data, data2}}, "/");
  EXPECT_EQ(payload_of(roots, data2 + "/x"), (EachPayload{.root = 2, .name = "x"}));
}

TEST(EachRoots, FileIsInTheRootOfItsFolder) {
  const testing::OwnFolder own;
  const std::string file = own.path() + "/one.txt";
  std::ofstream(file) << "1";
  const EachRoots roots({.roots = {file}}, "/usr");
  ASSERT_EQ(roots.roots().size(), 2U);
  EXPECT_EQ(roots.roots()[1].path, own.path());
  EXPECT_EQ(payload_of(roots, file), (EachPayload{.root = 1, .name = "one.txt"}));
}

TEST(EachRoots, NamesOfAListAreWords) {
  const EachRoots roots({.files_from = "-"}, "/home/me");
  EXPECT_EQ(payload_of(roots, "/etc/passwd"), (EachPayload{.name = "/etc/passwd"}));
}

class NameFor : public ::testing::Test {
 protected:
  NameFor() {
    ::mkdir((root_ + "/folder").c_str(), 0700);
    std::ofstream(root_ + "/folder/file") << "x";
    static_cast<void>(::symlink("/etc", (root_ + "/out").c_str()));
    static_cast<void>(::symlink("folder", (root_ + "/in").c_str()));
  }

  [[nodiscard]] Result<std::string> name(const std::string& below, std::uint64_t index = 1) const {
    return name_for({.root = index, .name = below}, {"/work", root_});
  }

  testing::OwnFolder own_;
  std::string root_ = own_.path();
};

TEST_F(NameFor, IsThePathOnThisHost) {
  EXPECT_EQ(name("folder/file"), root_ + "/folder/file");
  EXPECT_EQ(name("in/file"), root_ + "/in/file");
  EXPECT_EQ(name("not there"), root_ + "/not there");
  EXPECT_EQ(name("photos/a", 0), "photos/a");
}

TEST_F(NameFor, RefusesAPathThatLeadsOut) {
  for (const std::string path :
       {"../x", "folder/../../x", "/etc/passwd", "out/passwd", "..", "out"}) {
    const auto refused = name(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().kind, FailureKind::untrusted) << path;
    EXPECT_EQ(refused.error().cure, Cure::give_up) << path;
  }
}

TEST_F(NameFor, RefusesARootThatTheRunDoesNotHave) { EXPECT_FALSE(name("x", 2)); }

TEST_F(NameFor, WordsOfAListAreNotPaths) {
  EXPECT_EQ(name_for({.name = "../x"}, {"/work"}), "../x");
}

}  // namespace
}  // namespace tidemill::each
