#include "tidemill/jobs/each/output/printer.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "tidemill/testing/recording_console.h"

namespace tidemill::each {
namespace {

class PrinterTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] static EachPipeline::Item item(std::uint64_t sequence, const std::string& out,
                                               const std::string& err = "") {
    EachItem piece{
        .id = sequence + 1, .name = "n" + std::to_string(sequence), .sequence = sequence};
    piece.last.out = {.head = out, .total = out.size()};
    piece.last.err = {.head = err, .total = err.size()};
    return {.id = piece.id, .item = std::move(piece), .attempts = 1, .outcome = EachResult{}};
  }
  void make(const EachOptions& options, std::vector<TaskOutput> left = {}) {
    auto made = Printer::make(options, folder_, console_, std::move(left));
    ASSERT_TRUE(made) << text_of(made.error());
    printer_ = *std::move(made);
  }
  // What the worker does when a task has ended, followed by what the sink does.
  void settle(EachPipeline::Item&& ended) {
    ASSERT_TRUE(printer_->keep(0, ended.item, 1, nullptr));
    ASSERT_TRUE(printer_->print(std::move(ended)));
  }
  // The outputs that another process would find unprinted.
  [[nodiscard]] std::vector<std::string> logged() const {
    std::vector<std::string> outputs;
    for (const TaskOutput& output : OutputLog::read(folder_).value()) {
      outputs.push_back(output.out.head);
    }
    std::ranges::sort(outputs);
    return outputs;
  }
  [[nodiscard]] std::size_t files() const {
    if (!std::filesystem::exists(folder_)) return 0;
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  testing::RecordingConsole console_;
  std::unique_ptr<Printer> printer_;
  const std::string folder_ = ::testing::TempDir() + "printer-" + std::to_string(::getpid());
};

TEST_F(PrinterTest, PrintsEachOutputWhenItComes) {
  const EachOptions options;
  make(options);
  ASSERT_TRUE(printer_->print(item(1, "b\n", "eb\n")));
  ASSERT_TRUE(printer_->print(item(0, "a\n", "ea\n")));
  EXPECT_EQ(console_.said().out, "b\na\n");
  EXPECT_EQ(console_.said().err, "eb\nea\n");
}

TEST_F(PrinterTest, KeepOrderPrintsInTaskOrder) {
  const EachOptions options{.keep_order = true};
  make(options);
  ASSERT_TRUE(printer_->print(item(2, "c")));
  ASSERT_TRUE(printer_->print(item(1, "b")));
  EXPECT_EQ(console_.said().out, "");
  ASSERT_TRUE(printer_->print(item(0, "a")));
  EXPECT_EQ(console_.said().out, "abc");
  ASSERT_TRUE(printer_->print(item(4, "e")));
  ASSERT_TRUE(printer_->finish());  // task 3 was not run
  EXPECT_EQ(console_.said().out, "abce");
}

TEST_F(PrinterTest, AnOutputIsInTheLogUntilItIsPrinted) {
  const EachOptions options;
  make(options);
  auto first = item(0, "a");
  auto second = item(1, "b");
  ASSERT_TRUE(printer_->keep(0, first.item, 1, nullptr));
  ASSERT_TRUE(printer_->keep(0, second.item, 1, nullptr));
  EXPECT_EQ(logged(), (std::vector<std::string>{"a", "b"}));
  ASSERT_TRUE(printer_->print(std::move(second)));
  EXPECT_EQ(logged(), std::vector<std::string>{"a"});
  ASSERT_TRUE(printer_->print(std::move(first)));
  printer_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(PrinterTest, KeepsOutputInTheLogWhenPrintingFails) {
  const EachOptions options;
  make(options);
  auto lost = item(0, "a");
  ASSERT_TRUE(printer_->keep(0, lost.item, 1, nullptr));
  console_.close();
  EXPECT_FALSE(printer_->print(std::move(lost)));
  printer_.reset();
  EXPECT_EQ(logged(), std::vector<std::string>{"a"});
}

TEST_F(PrinterTest, MovesWaitingOutputToFilesAtTheEndOfABatch) {
  const EachOptions options{.keep_order = true};
  make(options);
  settle(item(1, "b", "eb"));
  settle(item(2, "c"));
  ASSERT_TRUE(printer_->sync());
  EXPECT_TRUE(logged().empty());
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/held-2.out"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/held-2.err"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/held-3.out"));
  settle(item(0, "a"));
  EXPECT_EQ(console_.said().out, "abc");
  EXPECT_EQ(console_.said().err, "eb");
  printer_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(PrinterTest, PrintsOutputLeftByAnEarlierProcessFirst) {
  const EachOptions options;
  make(options, {{.id = 9, .out = {.head = "left", .total = 4}}});
  ASSERT_TRUE(printer_->start());
  settle(item(0, "new"));
  EXPECT_EQ(console_.said().out, "leftnew");
}

TEST_F(PrinterTest, KeepOrderPrintsLeftoverOutputInTaskOrder) {
  const EachOptions options{.keep_order = true, .tag = true};
  std::vector<TaskOutput> left;
  left.push_back({.id = 2, .name = "two", .out = {.head = "x\n", .total = 2}});
  left.push_back({.id = 9, .name = "nine", .out = {.head = "y\n", .total = 2}});
  make(options, std::move(left));
  ASSERT_TRUE(printer_->start());
  EXPECT_EQ(console_.said().out, "");
  settle(item(0, "a\n"));  // task 1
  auto third = item(1, "c\n");
  third.item.id = 3;
  settle(std::move(third));
  EXPECT_EQ(console_.said().out, "n0\ta\ntwo\tx\nn1\tc\n");
  ASSERT_TRUE(printer_->finish());
  EXPECT_TRUE(console_.said().out.ends_with("n1\tc\nnine\ty\n"));
}

TEST_F(PrinterTest, LogsEventsExactlyAsPrinted) {
  const EachOptions options{.report = EachOutput::jsonl};
  make(options);
  auto ended = item(0, "a", "ea");
  ASSERT_TRUE(printer_->keep(0, ended.item, 2, nullptr));
  const auto left = OutputLog::read(folder_).value();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_TRUE(left[0].is_event);
  ASSERT_TRUE(printer_->print(std::move(ended)));
  EXPECT_EQ(console_.said().out, left[0].out.head);
  EXPECT_EQ(console_.said().err, "");
}

TEST_F(PrinterTest, TagsAreEscaped) {
  const EachOptions options{.tag = true};
  make(options);
  auto evil = item(0, "a\nb\n");
  evil.item.name = "x\x1b[31m";
  ASSERT_TRUE(printer_->print(std::move(evil)));
  EXPECT_EQ(console_.said().out, "x\\x1b[31m\ta\nx\\x1b[31m\tb\n");
}

TEST_F(PrinterTest, JsonReportSendsOutputToStandardError) {
  const EachOptions options{.report = EachOutput::json};
  make(options);
  ASSERT_TRUE(printer_->print(item(0, "o", "e")));
  EXPECT_EQ(console_.said().out, "");
  EXPECT_EQ(console_.said().err, "oe");
}

TEST_F(PrinterTest, WritesResultsToFilesAndPrintsNothing) {
  std::filesystem::create_directories(folder_);
  const EachOptions options{.results = folder_};
  make(options);
  auto both = item(6, "o", "e");
  ASSERT_TRUE(printer_->keep(0, both.item, 1, nullptr));
  ASSERT_TRUE(printer_->print(std::move(both)));
  EXPECT_EQ(console_.said().out + console_.said().err, "");
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/7.out"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/7.err"));
}

TEST_F(PrinterTest, AClosedOutputIsAFailure) {
  const EachOptions options;
  make(options);
  console_.close();
  EXPECT_FALSE(printer_->print(item(0, "a")));
}

}  // namespace
}  // namespace tidemill::each
