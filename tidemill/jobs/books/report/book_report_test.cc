// Reports as bytes: what is written is read again as it was, and what is no report is refused,
// whoever sent it.
#include "tidemill/jobs/books/report/book_report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/jobs/books/report/repair_report.h"
#include "tidemill/jobs/books/wire.h"

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
  BookReport report{.format = static_cast<Format>(*rc::gen::inRange(0, 4)),
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
    report.plan.changes.push_back({.tier = static_cast<epub::Mend>(*rc::gen::inRange(0, 4)),
                                   .name = *rc::gen::arbitrary<std::string>(),
                                   .mends = {any_rule(), any_rule()},
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

RC_GTEST_PROP(BookReport, CutOffOrFollowedByMoreItIsRefused, ()) {
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

RC_GTEST_PROP(RepairReport, CutOffOrFollowedByMoreItIsRefused, ()) {
  const std::string whole = encoded(any_repair());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    RC_ASSERT(!decoded_repair(std::string_view(whole).substr(0, size)));
  }
  RC_ASSERT(!decoded_repair(whole + *rc::gen::nonEmpty<std::string>()));
}

// A byte changed is another report or none: never a crash, and never one that cannot be written.
RC_GTEST_PROP(BookReport, ChangedBytesAreAReportOrNone, ()) {
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

RC_GTEST_PROP(BookReport, RandomBytesAreNone, ()) {
  const auto bytes = *rc::gen::arbitrary<std::string>();
  if (const auto read = decoded(bytes)) RC_ASSERT(decoded(encoded(*read)) == *read);
  if (const auto read = decoded_repair(bytes)) RC_ASSERT(decoded_repair(encoded(*read)) == *read);
}

// A header that promises more than there is must not be believed.
TEST(BookReport, HugeCountsAreRefusedWithoutMemory) {
  WireWriter wire;
  for (const std::uint64_t number : {1U, 1U, 0U}) wire.number(number);
  wire.text("title");
  wire.number(0);
  wire.number(~std::uint64_t{0});  // findings
  EXPECT_FALSE(decoded(wire.take()));
}

TEST(BookReport, WhatIsNotKnownIsRefused) {
  const auto with = [](std::uint64_t form, std::uint64_t format, std::string_view rule) {
    WireWriter wire;
    wire.number(form);
    wire.number(format);
    wire.number(0);
    wire.text("");
    wire.number(0);
    wire.number(1);
    wire.text(rule);
    wire.text("entry");
    wire.number(1);
    wire.number(2);
    wire.text("detail");
    wire.number(0);
    wire.number(0);
    return decoded(wire.take()).has_value();
  };
  EXPECT_TRUE(with(1, 3, "RSC-005"));
  EXPECT_FALSE(with(2, 3, "RSC-005"));
  EXPECT_FALSE(with(1, 4, "RSC-005"));
  EXPECT_FALSE(with(1, 3, "XYZ-001"));
}

TEST(BookReport, IsJudgedByWhatWasCountedNotByWhatWasKept) {
  epub::Findings findings;
  for (int at = 0; at < 300; ++at) findings.add(epub::RuleId("RSC-005"), {.entry = "a"}, "same");
  findings.add(epub::RuleId("OPF-097"), {.entry = "b"});
  BookReport report = report_of(Format::epub3, findings);
  EXPECT_EQ(report.findings.size(), epub::Findings::kKept + 1);
  EXPECT_EQ(report.count(epub::Severity::error), 300U);
  EXPECT_EQ(report.verdict(), Verdict::invalid);
  report.counts.erase(epub::RuleId("RSC-005"));
  EXPECT_EQ(report.verdict(), Verdict::valid);
  report.is_errored = true;
  EXPECT_EQ(report.verdict(), Verdict::errored);
}

TEST(Wire, NumbersOfAnySizeAndNothingBeyondTheEnd) {
  WireWriter writer;
  const std::vector<std::uint64_t> numbers = {0, 127, 128, 1U << 14U, ~std::uint64_t{0}};
  for (const std::uint64_t number : numbers) writer.number(number);
  const std::string bytes = writer.take();
  WireReader reader(bytes);
  for (const std::uint64_t number : numbers) EXPECT_EQ(reader.number(), number);
  EXPECT_TRUE(reader.is_good());
  EXPECT_TRUE(reader.is_at_end());
  EXPECT_EQ(reader.number(), 0U);
  EXPECT_FALSE(reader.is_good());
  WireReader endless(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12));
  EXPECT_EQ(endless.number(), 0U);
  EXPECT_FALSE(endless.is_good());
}

}  // namespace
}  // namespace tidemill::books
