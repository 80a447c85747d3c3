#include "tidemill/jobs/each/printer.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "tidemill/testing/recording_console.h"

namespace tidemill::each {
namespace {

class PrinterTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] static EachPipeline::Item item(std::uint64_t sequence, const std::string& out,
                                               const std::string& err = "") {
    Piece piece{.id = sequence + 1, .name = "n" + std::to_string(sequence), .sequence = sequence};
    piece.last.out = {.head = out, .total = out.size()};
    piece.last.err = {.head = err, .total = err.size()};
    return {.id = piece.id, .item = std::move(piece), .attempts = 1, .outcome = Ran{}};
  }
  [[nodiscard]] std::size_t files() const {
    if (!std::filesystem::exists(folder_)) return 0;
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  testing::RecordingConsole console_;
  const std::string folder_ = ::testing::TempDir() + "printer-" + std::to_string(::getpid());
};

TEST_F(PrinterTest, PrintsEachOutputWhenItComes) {
  const Options options;
  Printer printer(options, folder_, console_);
  ASSERT_TRUE(printer.print(item(1, "b\n", "eb\n")));
  ASSERT_TRUE(printer.print(item(0, "a\n", "ea\n")));
  EXPECT_EQ(console_.said().out, "b\na\n");
  EXPECT_EQ(console_.said().err, "eb\nea\n");
}

TEST_F(PrinterTest, KeepOrderWaitsForTheTurn) {
  const Options options{.keep_order = true};
  Printer printer(options, folder_, console_);
  ASSERT_TRUE(printer.print(item(2, "c")));
  ASSERT_TRUE(printer.print(item(1, "b")));
  EXPECT_EQ(console_.said().out, "");
  ASSERT_TRUE(printer.print(item(0, "a")));
  EXPECT_EQ(console_.said().out, "abc");
  ASSERT_TRUE(printer.print(item(4, "e")));
  ASSERT_TRUE(printer.finish());  // 3 never came: it was not run
  EXPECT_EQ(console_.said().out, "abce");
}

TEST_F(PrinterTest, WhatHasToWaitLongDoesNotWaitInMemory) {
  const Options options{.keep_order = true};
  Printer printer(options, folder_, console_);
  const std::string large(Printer::kMostInMemory.count / 4, 'x');
  for (std::uint64_t i = 1; i <= 8; ++i) ASSERT_TRUE(printer.print(item(i, large)));
  EXPECT_EQ(files(), 4U);
  ASSERT_TRUE(printer.print(item(0, "first")));
  EXPECT_EQ(console_.said().out.size(), 5 + 8 * large.size());
  EXPECT_EQ(files(), 0U);
}

TEST_F(PrinterTest, TagsAreEscaped) {
  const Options options{.tag = true};
  Printer printer(options, folder_, console_);
  auto evil = item(0, "a\nb\n");
  evil.item.name = "x\x1b[31m";
  ASSERT_TRUE(printer.print(std::move(evil)));
  EXPECT_EQ(console_.said().out, "x\\x1b[31m\ta\nx\\x1b[31m\tb\n");
}

TEST_F(PrinterTest, WithJsonOutputsGoToStandardError) {
  const Options options{.report = Report::json};
  Printer printer(options, folder_, console_);
  ASSERT_TRUE(printer.print(item(0, "o", "e")));
  EXPECT_EQ(console_.said().out, "");
  EXPECT_EQ(console_.said().err, "oe");
}

TEST_F(PrinterTest, ResultsAreFilesAndNothingIsPrinted) {
  std::filesystem::create_directories(folder_);
  const Options options{.results = folder_};
  Printer printer(options, folder_, console_);
  auto both = item(6, "o", "e");
  ASSERT_TRUE(printer.keep(both.item));
  ASSERT_TRUE(printer.print(std::move(both)));
  EXPECT_EQ(console_.said().out + console_.said().err, "");
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/7.out"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/7.err"));
}

TEST_F(PrinterTest, AClosedOutputIsAFailure) {
  const Options options;
  Printer printer(options, folder_, console_);
  console_.close();
  EXPECT_FALSE(printer.print(item(0, "a")));
}

}  // namespace
}  // namespace tidemill::each
