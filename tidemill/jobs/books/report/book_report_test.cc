// Encoding of reports: decoding returns what was encoded, and bytes that are not a report are
// refused.
#include "tidemill/jobs/books/report/book_report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/jobs/books/messages.h"
#include "tidemill/jobs/books/report/repair_report.h"

namespace tidemill::books {
namespace {

epub::RuleId any_rule() {
  const auto at = *rc::gen::inRange<std::size_t>(0, epub::rules().size());
  return epub::rule_named(epub::rules()[at].id).value_or(epub::RuleId("RSC-005"));
}

std::vector<epub::Finding> any_findings() {
  std::vector<epub::Finding> findings;
  const auto count = *rc::gen::inRange(0, 5);
  for (int at = 0; at < count; ++at) {
    findings.push_back({.rule = any_rule(),
                        .place = {.entry = *rc::gen::arbitrary<std::string>(),
                                  .at = {.line = *rc::gen::arbitrary<std::uint32_t>(),
                                         .column = *rc::gen::arbitrary<std::uint32_t>()}},
                        .detail = *rc::gen::arbitrary<std::string>()});
  }
  return findings;
}

BookReport any_report() {
  BookReport report{.format = static_cast<BookFormat>(*rc::gen::inRange(0, 4)),
                    .is_errored = *rc::gen::arbitrary<bool>(),
                    .title = *rc::gen::arbitrary<std::string>(),
                    .pages = *rc::gen::arbitrary<std::uint64_t>()};
  for (epub::Finding& one : any_findings()) report.add(std::move(one));
  if (*rc::gen::arbitrary<bool>()) report.counts[any_rule()] = *rc::gen::arbitrary<std::uint64_t>();
  if (*rc::gen::arbitrary<bool>()) report.second = any_findings();
  return report;
}

RepairReport any_repair() {
  RepairReport report{.fate = static_cast<Fate>(*rc::gen::inRange(0, 5)),
                      .reason = *rc::gen::arbitrary<std::string>(),
                      .before = any_report(),
                      .after = any_report(),
                      .output = *rc::gen::arbitrary<std::string>(),
                      .backup = *rc::gen::arbitrary<std::string>()};
  const auto changes = *rc::gen::inRange(0, 4);
  for (int at = 0; at < changes; ++at) {
    report.plan.changes.push_back(
        {.tier = static_cast<epub::Repairability>(*rc::gen::inRange(0, 4)),
         .name = *rc::gen::arbitrary<std::string>(),
         .repairs = {any_rule(), any_rule()},
         .entry = *rc::gen::arbitrary<std::string>(),
         .what = *rc::gen::arbitrary<std::string>(),
         .diff = *rc::gen::arbitrary<std::string>()});
    report.plan.declined.push_back({.rule = any_rule(), .why = *rc::gen::arbitrary<std::string>()});
  }
  return report;
}

RC_GTEST_PROP(BookReport, IsReadAsItWasWritten, ()) {
  const BookReport report = any_report();
  RC_ASSERT(decoded(encoded(report)) == report);
}

RC_GTEST_PROP(BookReport, RefusesTruncatedAndTrailingBytes, ()) {
  const std::string whole = encoded(any_report());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    RC_ASSERT(!decoded(std::string_view(whole).substr(0, size)));
  }
  RC_ASSERT(!decoded(whole + *rc::gen::nonEmpty<std::string>()));
}

RC_GTEST_PROP(RepairReport, IsReadAsItWasWritten, ()) {
  const RepairReport report = any_repair();
  RC_ASSERT(decoded_repair(encoded(report)) == report);
}

RC_GTEST_PROP(RepairReport, RefusesTruncatedAndTrailingBytes, ()) {
  const std::string whole = encoded(any_repair());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    RC_ASSERT(!decoded_repair(std::string_view(whole).substr(0, size)));
  }
  RC_ASSERT(!decoded_repair(whole + *rc::gen::nonEmpty<std::string>()));
}

// A changed byte gives another report or none: never a crash, and never a report that cannot be
// encoded.
RC_GTEST_PROP(BookReport, CorruptedBytesAreRefusedOrRoundTrip, ()) {
  std::string bytes = encoded(any_report());
  const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  bytes[at] = *rc::gen::arbitrary<char>();
  if (const auto read = decoded(bytes)) RC_ASSERT(decoded(encoded(*read)) == *read);
  std::string repair = encoded(any_repair());
  repair[at % repair.size()] = *rc::gen::arbitrary<char>();
  if (const auto read = decoded_repair(repair)) {
    RC_ASSERT(decoded_repair(encoded(*read)) == *read);
  }
}

RC_GTEST_PROP(BookReport, RandomBytesAreRefusedOrRoundTrip, ()) {
  const auto bytes = *rc::gen::arbitrary<std::string>();
  if (const auto read = decoded(bytes)) RC_ASSERT(decoded(encoded(*read)) == *read);
  if (const auto read = decoded_repair(bytes)) RC_ASSERT(decoded_repair(encoded(*read)) == *read);
}

// A count that is larger than the rest of the bytes is refused.
TEST(BookReport, RefusesHugeCountsWithoutAllocating) {
  MessageWriter message;
  for (const std::uint64_t number : {1U, 1U, 0U}) message.number(number);
  message.text("title");
  message.number(0);
  message.number(~std::uint64_t{0});  // findings
  EXPECT_FALSE(decoded(message.take()));
}

TEST(BookReport, RefusesUnknownVersionsFormatsAndRules) {
  const auto with = [](std::uint64_t form, std::uint64_t format, std::string_view rule) {
    MessageWriter message;
    message.number(form);
    message.number(format);
    message.number(0);
    message.text("");
    message.number(0);
    message.number(1);
    message.text(rule);
    message.text("entry");
    message.number(1);
    message.number(2);
    message.text("detail");
    message.number(0);
    message.number(0);
    return decoded(message.take()).has_value();
  };
  EXPECT_TRUE(with(1, 3, "RSC-005"));
  EXPECT_FALSE(with(2, 3, "RSC-005"));
  EXPECT_FALSE(with(1, 4, "RSC-005"));
  EXPECT_FALSE(with(1, 3, "XYZ-001"));
}

TEST(BookReport, VerdictUsesTheCountsNotTheKeptFindings) {
  epub::Findings findings;
  for (int at = 0; at < 300; ++at) findings.add(epub::RuleId("RSC-005"), {.entry = "a"}, "same");
  findings.add(epub::RuleId("OPF-097"), {.entry = "b"});
  BookReport report = report_of(BookFormat::epub3, findings);
  EXPECT_EQ(report.findings.size(), epub::Findings::kKept + 1);
  EXPECT_EQ(report.count(epub::Severity::error), 300U);
  EXPECT_EQ(report.status(), BookStatus::invalid);
  report.counts.erase(epub::RuleId("RSC-005"));
  EXPECT_EQ(report.status(), BookStatus::valid);
  report.is_errored = true;
  EXPECT_EQ(report.status(), BookStatus::errored);
}

TEST(Messages, ReadsNumbersOfAnySizeAndNothingPastTheEnd) {
  MessageWriter writer;
  const std::vector<std::uint64_t> numbers = {0, 127, 128, 1U << 14U, ~std::uint64_t{0}};
  for (const std::uint64_t number : numbers) writer.number(number);
  const std::string bytes = writer.take();
  MessageReader reader(bytes);
  for (const std::uint64_t number : numbers) EXPECT_EQ(reader.number(), number);
  EXPECT_TRUE(reader.is_good());
  EXPECT_TRUE(reader.is_at_end());
  EXPECT_EQ(reader.number(), 0U);
  EXPECT_FALSE(reader.is_good());
  MessageReader endless(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12));
  EXPECT_EQ(endless.number(), 0U);
  EXPECT_FALSE(endless.is_good());
}

}  // namespace
}  // namespace tidemill::books
