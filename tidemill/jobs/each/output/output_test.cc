#include "tidemill/jobs/each/output/output.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace tidemill::each {
namespace {

class OutputTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] proc::Captured spilled(const std::string& bytes) const {
    std::ofstream(path("spill"), std::ios::binary) << bytes;
    return {.head = bytes.substr(0, 10), .total = bytes.size(), .spill = path("spill")};
  }
  [[nodiscard]] static proc::Captured in_memory(const std::string& bytes) {
    return {.head = bytes, .total = bytes.size()};
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] static std::string copied(const proc::Captured& captured) {
    std::string all;
    EXPECT_TRUE(copy_all(captured, collect(all)));
    return all;
  }
  [[nodiscard]] static std::string tagged(const proc::Captured& captured) {
    std::string all;
    EXPECT_TRUE(copy_tagged(captured, "n", collect(all)));
    return all;
  }
  [[nodiscard]] static Put collect(std::string& all) {
    return [&](std::string_view piece) {
      all += piece;
      return Result<void>();
    };
  }

  const std::string folder_ = ::testing::TempDir() + "output-" + std::to_string(::getpid());
  const std::string large_ = [] {
    std::string text;
    for (int i = 0; i < 30'000; ++i) text += "line " + std::to_string(i) + "\n";
    return text;
  }();
};

TEST_F(OutputTest, EverythingIsCopiedFromMemoryOrFromTheFile) {
  EXPECT_EQ(copied({}), "");
  EXPECT_EQ(copied(in_memory(std::string("a\0b", 3))), std::string("a\0b", 3));
  EXPECT_EQ(copied(spilled(large_)), large_);
}

TEST_F(OutputTest, FailsWhenTheSpillFileIsMissing) {
  std::string all;
  EXPECT_FALSE(copy_all({.total = 5, .spill = path("none")}, collect(all)));
}

TEST_F(OutputTest, TagsEveryLineAcrossChunkBoundaries) {
  EXPECT_EQ(tagged(in_memory("")), "");
  EXPECT_EQ(tagged(in_memory("a\nb\n")), "n\ta\nn\tb\n");
  EXPECT_EQ(tagged(in_memory("a\n\nb")), "n\ta\nn\t\nn\tb\n");
  const std::string all = tagged(spilled(large_));
  EXPECT_EQ(all.size(), large_.size() + 30'000 * 2);
  EXPECT_TRUE(all.ends_with("n\tline 29999\n"));
  EXPECT_EQ(all.find("\nline"), std::string::npos);
}

TEST_F(OutputTest, TailStartsWithACompleteLine) {
  EXPECT_EQ(tail_of(in_memory("short"), 100), "short");
  EXPECT_EQ(tail_of(in_memory("first\nsecond\nthird\n"), 10), "third\n");
  EXPECT_EQ(tail_of(in_memory("onelongline"), 4), "line");
  EXPECT_EQ(tail_of(spilled(large_), 25), "line 29998\nline 29999\n");
}

TEST_F(OutputTest, KeepAsWritesTheCompleteOutputAndLeavesNoOtherFiles) {
  proc::Captured memory = in_memory("abc");
  ASSERT_TRUE(keep_as(memory, path("1.out")));
  EXPECT_EQ(content("1.out"), "abc");
  proc::Captured file = spilled(large_);
  ASSERT_TRUE(keep_as(file, path("2.out")));
  EXPECT_EQ(content("2.out"), large_);
  EXPECT_EQ(file.spill, "");
  proc::Captured none;
  ASSERT_TRUE(keep_as(none, path("3.out")));
  EXPECT_FALSE(std::filesystem::exists(path("3.out")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
  proc::Captured nowhere = in_memory("abc");
  EXPECT_FALSE(keep_as(nowhere, path("no/such/folder")));
}

}  // namespace
}  // namespace tidemill::each
