#include "tidemill/jobs/books/judge/pdf_findings.h"

#include <unistd.h>

#include <array>
#include <string>
#include <utility>

#include "tidemill/formats/pdf/pdf_check.h"
#include "tidemill/formats/pdf/pdf_rewrite.h"

namespace tidemill::books {
namespace {

using epub::RuleId;
using pdf::Code;

// NOLINTNEXTLINE(readability-function-size): a table
RuleId rule_of(Code code) {
  switch (code) {
    case Code::no_header:
      return "PDF-001";
    case Code::unusual_header:
      return "PDF-002";
    case Code::damaged_xref:
      return "PDF-003";
    case Code::damaged_trailer:
      return "PDF-004";
    case Code::damaged_stream:
      return "PDF-005";
    case Code::damaged_page_tree:
      return "PDF-006";
    case Code::encrypted:
      return "PDF-007";
    case Code::needs_password:
      return "PDF-008";
    case Code::damaged_object:
      return "PDF-009";
    case Code::other_warning:
      return "PDF-010";
    case Code::truncated:
      return "PDF-011";
    case Code::unreadable:
      return "PDF-012";
    case Code::damaged_linearization:
      return "PDF-013";
    case Code::is_signed:
      return "PDF-014";
    case Code::no_pages:
      return "PDF-015";
    case Code::bytes_around:
      return "PDF-016";
    case Code::no_catalog:
      return "PDF-017";
    case Code::reference_loop:
      return "PDF-018";
    case Code::stream_too_large:
      return "TIDE-001";
  }
  return "PDF-010";
}

// A PDF has no entries or lines: the place is an object and a byte offset.
std::string place_of(const pdf::PdfFinding& finding) {
  std::string place;
  const auto add = [&](std::string_view what, std::uint64_t number) {
    if (!place.empty()) place += ", ";
    place += std::string(what) + " " + std::to_string(number);
  };
  if (finding.object) add("object", *finding.object);
  if (finding.offset) add("byte", *finding.offset);
  return place;
}

// Whether the file can grow. The library does not report why a write failed.
bool has_room(int file) {
  const std::array<char, 4096> page{};
  const off_t end = ::lseek(file, 0, SEEK_END);
  return ::pwrite(file, page.data(), page.size(), end) == static_cast<ssize_t>(page.size());
}

}  // namespace

BookReport judge_pdf(int fd) {
  pdf::PdfReport seen = pdf::check_pdf(fd);
  BookReport report{.format = BookFormat::pdf, .pages = seen.pages.value_or(0)};
  for (pdf::PdfFinding& one : seen.findings) {
    epub::FindingPlace place{.entry = place_of(one)};
    report.add(
        {.rule = rule_of(one.code), .place = std::move(place), .detail = std::move(one.text)});
  }
  if (seen.not_kept > 0) {
    report.add({.rule = "TIDE-017",
                .detail = std::to_string(seen.not_kept) + " more findings are not shown"});
  }
  return report;
}

RepairReport repair_pdf(int fd, int out) {
  RepairReport report{.fate = Fate::declined, .before = judge_pdf(fd)};
  report.after = report.before;
  if (report.before.status() == BookStatus::valid) {
    report.fate = Fate::sound;
    return report;
  }
  const auto written = pdf::rewrite_pdf(fd, out);
  if (!written) {
    report.reason = written.error().reason;
    if (!has_room(out)) report.fate = Fate::errored;
    return report;
  }
  BookReport after = judge_pdf(out);
  report.reason = objection(report.before, after);
  if (report.reason.empty() && written->pages_after < written->pages_before) {
    report.reason = "pages would be lost";
  }
  if (!report.reason.empty()) return report;
  report.fate = Fate::planned;
  report.after = std::move(after);
  epub::Change change{
      .tier = epub::Repairability::safe,
      .name = "pdf-rewrite",
      .what = "rewrite the file, with a correct cross-reference table, trailer and lengths"};
  for (const auto& [rule, count] : report.before.counts) {
    if (rule.severity() >= epub::Severity::error && !report.after.counts.contains(rule)) {
      change.repairs.push_back(rule);
    }
  }
  report.plan.changes.push_back(std::move(change));
  return report;
}

}  // namespace tidemill::books
