#include "tidemill/jobs/docs/command/written.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace tidemill::docs {
namespace {

class WrittenFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::unique_ptr<Written> opened() {
    auto written = Written::open(path_);
    EXPECT_TRUE(written) << text_of(written.error());
    return *std::move(written);
  }

  const std::string path_ = ::testing::TempDir() + "docs-written-" + std::to_string(::getpid());
};

TEST_F(WrittenFile, RemembersALineAcrossProcesses) {
  EXPECT_TRUE(opened()->remember("d1", "Then:\n\n`/ai-file` to *finance*\n\nEnd."));
  const auto later = opened();
  EXPECT_TRUE(later->holds("d1", "/ai-file to finance")) << "without its quotes and marks";
  EXPECT_TRUE(later->holds("d1", "/ai-file to finance End.")) << "joined with what followed";
  EXPECT_FALSE(later->holds("d2", "/ai-file to finance")) << "another document";
  EXPECT_FALSE(later->holds("d1", "/ai-file to the harbour")) << "what a person wrote";
}

TEST_F(WrittenFile, KeepsNothingOfOrdinaryText) {
  EXPECT_TRUE(opened()->remember("d1", "The price is 3/4 of it.\n\n`/related`"));
  EXPECT_EQ(std::filesystem::file_size(path_), 0U);
}

TEST_F(WrittenFile, SurvivesALineThatAKillCutOff) {
  EXPECT_TRUE(opened()->remember("d1", "/ai why?"));
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 9);
  const auto next = opened();
  EXPECT_FALSE(next->holds("d1", "/ai why?"));
  EXPECT_TRUE(next->remember("d1", "/ai how?"));
  EXPECT_TRUE(opened()->holds("d1", "/ai how?"));
}

TEST_F(WrittenFile, RefusesALinkInItsPlace) {
  const std::string elsewhere = path_ + "-elsewhere";
  std::ofstream(elsewhere) << "precious\n";
  std::filesystem::create_symlink(elsewhere, path_);
  EXPECT_FALSE(Written::open(path_));
  std::filesystem::remove(elsewhere);
}

}  // namespace
}  // namespace tidemill::docs
