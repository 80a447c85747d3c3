#include "tidemill/jobs/books/report/book_report.h"

#include <utility>

#include "tidemill/jobs/books/wire.h"

namespace tidemill::books {
namespace {

using epub::Finding;
using epub::RuleId;
using epub::Severity;

void write(const std::vector<Finding>& findings, WireWriter& wire) {
  wire.number(findings.size());
  for (const Finding& one : findings) {
    wire.text(one.rule.text());  // by name: the table may have grown since
    wire.text(one.place.entry);
    wire.number(one.place.at.line);
    wire.number(one.place.at.column);
    wire.text(one.detail);
  }
}

bool read(WireReader& wire, std::vector<Finding>& findings) {
  const std::uint64_t count = wire.number();
  if (count > wire.left()) return false;  // each takes more than a byte
  for (std::uint64_t at = 0; at < count && wire.is_good(); ++at) {
    const auto rule = epub::rule_named(wire.text());
    if (!rule) return false;
    Finding one{.rule = *rule};
    one.place.entry = wire.text();
    one.place.at.line = static_cast<std::uint32_t>(wire.number());
    one.place.at.column = static_cast<std::uint32_t>(wire.number());
    one.detail = wire.text();
    findings.push_back(std::move(one));
  }
  return wire.is_good();
}

bool read_counts(WireReader& wire, std::map<RuleId, std::uint64_t>& counts) {
  const std::uint64_t count = wire.number();
  if (count > wire.left()) return false;
  for (std::uint64_t at = 0; at < count && wire.is_good(); ++at) {
    const auto rule = epub::rule_named(wire.text());
    if (!rule) return false;
    counts[*rule] = wire.number();
  }
  return wire.is_good();
}

constexpr std::uint64_t kForm = 1;

}  // namespace

std::string_view name_of(Format format) {
  switch (format) {
    case Format::unknown:
      return "unknown";
    case Format::epub2:
      return "EPUB 2";
    case Format::epub3:
      return "EPUB 3";
    case Format::pdf:
      return "PDF";
  }
  return "unknown";
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::valid:
      return "valid";
    case Verdict::invalid:
      return "invalid";
    case Verdict::errored:
      return "failed";
  }
  return "unknown";
}

Verdict BookReport::verdict() const {
  if (is_errored) return Verdict::errored;
  return errors() > 0 ? Verdict::invalid : Verdict::valid;
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

BookReport report_of(Format format, const epub::Findings& findings) {
  BookReport report{.format = format, .findings = findings.kept()};
  for (const Finding& one : report.findings) report.counts[one.rule] = findings.count(one.rule);
  return report;
}

std::string encoded(const BookReport& report) {
  WireWriter wire;
  wire.number(kForm);
  wire.number(static_cast<std::uint64_t>(report.format));
  wire.number(report.is_errored ? 1 : 0);
  wire.text(report.title);
  wire.number(report.pages);
  write(report.findings, wire);
  wire.number(report.counts.size());
  for (const auto& [rule, times] : report.counts) {
    wire.text(rule.text());
    wire.number(times);
  }
  wire.number(report.second ? 1 : 0);
  if (report.second) write(*report.second, wire);
  return wire.take();
}

std::optional<BookReport> decoded(std::string_view bytes) {
  WireReader wire(bytes);
  if (wire.number() != kForm) return std::nullopt;
  const std::uint64_t format = wire.number();
  if (format > static_cast<std::uint64_t>(Format::pdf)) return std::nullopt;
  BookReport report{.format = static_cast<Format>(format)};
  report.is_errored = wire.number() != 0;
  report.title = wire.text();
  report.pages = wire.number();
  if (!read(wire, report.findings) || !read_counts(wire, report.counts)) return std::nullopt;
  if (wire.number() != 0 && !read(wire, report.second.emplace())) return std::nullopt;
  if (!wire.is_good() || !wire.is_at_end()) return std::nullopt;
  return report;
}

}  // namespace tidemill::books
