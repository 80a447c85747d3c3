#include "tidemill/jobs/each/fleet/report_text.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/testing/own_folder.h"

namespace tidemill::each {
namespace {

using namespace std::chrono_literals;

CommandReport sample() {
  CommandReport report{.result = "17"};
  report.last.exit = {.status = 3,
                      .signal = 9,
                      .wall = 17'000us,
                      .user = 5us,
                      .system = 6us,
                      .max_rss = Bytes{4096}};
  report.last.out = {.head = std::string("out\0\xff", 5), .total = 5};
  report.last.err = {.head = "err", .total = 3};
  return report;
}

TEST(ReportText, SurvivesTheWay) {
  const auto text = pack(sample(), true);
  ASSERT_TRUE(text);
  const auto report = unpack_report(*text);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->result, "17");
  EXPECT_EQ(report->last.exit.status, 3);
  EXPECT_EQ(report->last.exit.signal, 9);
  EXPECT_EQ(report->last.exit.wall, 17'000us);
  EXPECT_EQ(report->last.exit.user, 5us);
  EXPECT_EQ(report->last.exit.system, 6us);
  EXPECT_EQ(report->last.exit.max_rss, Bytes{4096});
  EXPECT_EQ(report->last.out.head, std::string("out\0\xff", 5));
  EXPECT_EQ(report->last.out.total, 5U);
  EXPECT_EQ(report->last.err.head, "err");
}

TEST(ReportText, EveryShorterTextIsRefused) {
  const auto text = pack(sample(), true);
  ASSERT_TRUE(text);
  for (std::size_t size = 0; size < text->size(); ++size) {
    EXPECT_FALSE(unpack_report(std::string_view(*text).substr(0, size))) << size;
  }
}

TEST(ReportText, OutputThatWasSpilledIsSentWhole) {
  const testing::OwnFolder own;
  const std::string all(100'000, 'x');
  std::ofstream(own.path() + "/spill") << all;
  CommandReport report;
  report.last.out = {.head = "xx", .total = all.size(), .spill = own.path() + "/spill"};
  const auto whole = unpack_report(pack(report, true).value());
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->last.out.head, all);
  const auto head = unpack_report(pack(report, false).value());
  ASSERT_TRUE(head);
  EXPECT_EQ(head->last.out.head, "xx");
  EXPECT_EQ(head->last.out.total, all.size());
}

TEST(ReportText, TooMuchOutputIsAFailureThatNamesTheStream) {
  CommandReport report;
  report.last.err = {.head = "x", .total = kMostOutput.count + 1, .spill = "/nowhere"};
  const auto text = pack(report, true);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, FailureKind::over_limit);
  EXPECT_EQ(text.error().reason,
            "the command wrote 1,048,577 bytes to standard error, and a fleet carries at most "
            "1,048,576 per task");
}

}  // namespace
}  // namespace tidemill::each
