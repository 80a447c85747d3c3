#include "tidemill/jobs/books/report/book_report.h"

#include <utility>

#include "tidemill/jobs/books/messages.h"

namespace tidemill::books {
namespace {

using epub::Finding;
using epub::RuleId;
using epub::Severity;

void write(const std::vector<Finding>& findings, MessageWriter& message) {
  message.number(findings.size());
  for (const Finding& one : findings) {
    message.text(one.rule.text());  // by name: the table may have grown since
    message.text(one.place.entry);
    message.number(one.place.at.line);
    message.number(one.place.at.column);
    message.text(one.detail);
  }
}

bool read(MessageReader& message, std::vector<Finding>& findings) {
  const std::uint64_t count = message.number();
  if (count > message.left()) return false;  // each takes more than a byte
  for (std::uint64_t at = 0; at < count && message.is_good(); ++at) {
    const auto rule = epub::rule_named(message.text());
    if (!rule) return false;
    Finding one{.rule = *rule};
    one.place.entry = message.text();
    one.place.at.line = static_cast<std::uint32_t>(message.number());
    one.place.at.column = static_cast<std::uint32_t>(message.number());
    one.detail = message.text();
    findings.push_back(std::move(one));
  }
  return message.is_good();
}

bool read_counts(MessageReader& message, std::map<RuleId, std::uint64_t>& counts) {
  const std::uint64_t count = message.number();
  if (count > message.left()) return false;
  for (std::uint64_t at = 0; at < count && message.is_good(); ++at) {
    const auto rule = epub::rule_named(message.text());
    if (!rule) return false;
    counts[*rule] = message.number();
  }
  return message.is_good();
}

constexpr std::uint64_t kForm = 1;

}  // namespace

std::string_view name_of(BookFormat format) {
  switch (format) {
    case BookFormat::unknown:
      return "unknown";
    case BookFormat::epub2:
      return "EPUB 2";
    case BookFormat::epub3:
      return "EPUB 3";
    case BookFormat::pdf:
      return "PDF";
  }
  return "unknown";
}

std::string_view name_of(BookStatus status) {
  switch (status) {
    case BookStatus::valid:
      return "valid";
    case BookStatus::invalid:
      return "invalid";
    case BookStatus::errored:
      return "failed";
  }
  return "unknown";
}

BookStatus BookReport::status() const {
  if (is_errored) return BookStatus::errored;
  return errors() > 0 ? BookStatus::invalid : BookStatus::valid;
}

std::uint64_t BookReport::count(Severity severity) const {
  std::uint64_t sum = 0;
  for (const auto& [rule, times] : counts) {
    if (rule.severity() == severity) sum += times;
  }
  return sum;
}

std::uint64_t BookReport::errors() const { return count(Severity::error) + count(Severity::fatal); }

void BookReport::add(Finding finding) {
  ++counts[finding.rule];
  findings.push_back(std::move(finding));
}

BookReport report_of(BookFormat format, const epub::Findings& findings) {
  BookReport report{.format = format, .findings = findings.kept()};
  for (const Finding& one : report.findings) report.counts[one.rule] = findings.count(one.rule);
  return report;
}

std::string encoded(const BookReport& report) {
  MessageWriter message;
  message.number(kForm);
  message.number(static_cast<std::uint64_t>(report.format));
  message.number(report.is_errored ? 1 : 0);
  message.text(report.title);
  message.number(report.pages);
  write(report.findings, message);
  message.number(report.counts.size());
  for (const auto& [rule, times] : report.counts) {
    message.text(rule.text());
    message.number(times);
  }
  message.number(report.second ? 1 : 0);
  if (report.second) write(*report.second, message);
  return message.take();
}

std::optional<BookReport> decoded(std::string_view bytes) {
  MessageReader message(bytes);
  if (message.number() != kForm) return std::nullopt;
  const std::uint64_t format = message.number();
  if (format > static_cast<std::uint64_t>(BookFormat::pdf)) return std::nullopt;
  BookReport report{.format = static_cast<BookFormat>(format)};
  report.is_errored = message.number() != 0;
  report.title = message.text();
  report.pages = message.number();
  if (!read(message, report.findings) || !read_counts(message, report.counts)) return std::nullopt;
  if (message.number() != 0 && !read(message, report.second.emplace())) return std::nullopt;
  if (!message.is_good() || !message.is_at_end()) return std::nullopt;
  return report;
}

}  // namespace tidemill::books
