#include "tidemill/jobs/each/output/output_log.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace tidemill::each {
namespace {

namespace fs = std::filesystem;

class OutputLogTest : public ::testing::Test {
 protected:
  void SetUp() override { log_ = OutputLog::make(folder_, 2).value(); }
  void TearDown() override {
    log_.reset();
    fs::remove_all(folder_);
  }

  [[nodiscard]] OutputLog::Record append(std::size_t worker, engine::TaskId id,
                                         const std::string& out, const std::string& err = "") {
    return log_
        ->append(worker, {.id = id,
                          .out = {.head = out, .total = out.size()},
                          .err = {.head = err, .total = err.size()}})
        .value();
  }
  [[nodiscard]] std::size_t left() const { return OutputLog::read(folder_).value().size(); }
  [[nodiscard]] std::size_t files() const {
    if (!fs::exists(folder_)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  const std::string folder_ = ::testing::TempDir() + "output-log-" + std::to_string(::getpid());
  std::unique_ptr<OutputLog> log_;
};

TEST_F(OutputLogTest, NoOutputMakesNoFile) {
  EXPECT_EQ(left(), 0U);
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputLogTest, ReadsBackExactlyWhatWasAppended) {
  const auto record = append(1, 7, std::string("a\0b", 3), "error");
  const auto outputs = OutputLog::read(folder_).value();
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].id, 7U);
  EXPECT_FALSE(outputs[0].is_event);
  EXPECT_EQ(outputs[0].out.head, std::string("a\0b", 3));
  EXPECT_EQ(outputs[0].err.head, "error");
  EXPECT_EQ(outputs[0].err.total, 5U);
}

TEST_F(OutputLogTest, RecordsTheSpillFileOfAStream) {
  const auto record =
      log_->append(0, {.id = 1, .out = {.head = "he", .total = 99, .spill = folder_ + "/1-1.out"}});
  ASSERT_TRUE(record);
  const auto outputs = OutputLog::read(folder_).value();
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].out.spill, folder_ + "/1-1.out");
  EXPECT_EQ(outputs[0].out.total, 99U);
}

TEST_F(OutputLogTest, DoesNotReadPrintedOutputAgain) {
  auto first = append(0, 1, "a");
  auto second = append(0, 2, "b");
  auto third = append(1, 3, "c");
  second.mark_printed();
  second.mark_printed();
  EXPECT_EQ(left(), 2U);
  first.mark_printed();
  third.mark_printed();
  EXPECT_EQ(left(), 0U);
}

TEST_F(OutputLogTest, AFullFileIsRemovedOnceAllOfItIsPrinted) {
  const std::string large(OutputLog::kSegmentBytes, 'x');
  auto first = append(0, 1, large);
  auto second = append(0, 2, large);
  EXPECT_EQ(files(), 2U);
  first.mark_printed();
  EXPECT_EQ(files(), 1U);
  second.mark_printed();
  log_.reset();
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(OutputLogTest, UnprintedOutputSurvivesTheProcess) {
  append(0, 1, "a").mark_printed();
  (void)append(0, 2, "b");
  log_.reset();
  const auto outputs = OutputLog::read(folder_).value();
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].id, 2U);
}

// As after a power cut: a missing or wrong byte loses its record and everything after it.
TEST_F(OutputLogTest, SkipsATornOrCorruptRecord) {
  (void)append(0, 1, "first");
  (void)append(0, 2, "second");
  log_.reset();
  const fs::path path = fs::directory_iterator(folder_)->path();
  std::ifstream whole(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  const std::size_t half = bytes.size() / 2;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, length);
    EXPECT_EQ(left(), length < half ? 0U : 1U) << length;
  }
  for (std::size_t at = half; at < bytes.size(); ++at) {
    std::string wrong = bytes;
    wrong[at] = static_cast<char>(wrong[at] ^ 64);
    std::ofstream(path, std::ios::binary) << wrong;
    EXPECT_EQ(left(), 1U) << at;
  }
}

}  // namespace
}  // namespace tidemill::each
