// ReportWriter: formats the outcome of a check. It receives the books one at a time, sorted by
// path, so that memory does not grow with their number; each call returns the text to write next.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/jobs/books/judge/filter.h"
#include "tidemill/jobs/books/options.h"

namespace tidemill::books {

struct RuleTally {
  std::uint64_t books = 0;
  std::uint64_t places = 0;
  epub::Severity severity{};  // the most severe in any book
};

// Sums over all books.
struct BookTotals {
  std::uint64_t found = 0;
  std::uint64_t unchanged = 0;  // of them, taken from the cache
  std::map<BookStatus, std::uint64_t> statuses{};
  std::map<epub::RuleId, RuleTally> rules{};
  std::uint64_t disagreements = 0;  // books on which the two checkers disagree
  std::chrono::nanoseconds elapsed{0};
  bool fails = false;  // a book is errored or has a finding at or above --fail-on

  void add(const Shown& shown, epub::Severity fail_on);
  [[nodiscard]] std::uint64_t count(BookStatus status) const;
};

struct Heading {
  std::string version{};  // of the program
  std::string checker{};  // "tidemill", "EPUBCheck 5.3.0", …
  std::vector<std::string> roots{};
};

class ReportWriter {
 public:
  ReportWriter() = default;
  ReportWriter(const ReportWriter&) = delete;
  ReportWriter& operator=(const ReportWriter&) = delete;
  virtual ~ReportWriter() = default;

  [[nodiscard]] virtual std::string begin(const Heading& heading) = 0;
  [[nodiscard]] virtual std::string book(const Shown& shown) = 0;
  [[nodiscard]] virtual std::string end(const BookTotals& totals) = 0;
};

struct TextLook {
  bool has_colour = false;
  bool by_rule = false;
  bool has_sums = true;
};

[[nodiscard]] std::unique_ptr<ReportWriter> text_report(TextLook look);
[[nodiscard]] std::unique_ptr<ReportWriter> json_report();
[[nodiscard]] std::unique_ptr<ReportWriter> jsonl_report();
[[nodiscard]] std::unique_ptr<ReportWriter> markdown_report();
[[nodiscard]] std::unique_ptr<ReportWriter> html_report();
[[nodiscard]] std::unique_ptr<ReportWriter> junit_report();
[[nodiscard]] std::unique_ptr<ReportWriter> sarif_report();

// Places of one rule in one book with the same message.
struct PlaceGroup {
  const epub::Finding* first = nullptr;
  std::uint64_t places = 0;
};
// One rule in one book, as shown. A book can break one rule in hundreds of places.
struct RuleGroup {
  epub::RuleId rule;
  epub::Severity severity{};
  std::uint64_t places = 0;         // including those that were not kept
  std::vector<PlaceGroup> kinds{};  // in the order of finding
};
// The most severe first, then in the order of finding.
[[nodiscard]] std::vector<RuleGroup> groups_of(const Shown& shown);

// Rules that only one of the two checkers reports for a book, from warnings upwards.
struct Disagreement {
  std::vector<epub::RuleId> ours{};
  std::vector<epub::RuleId> theirs{};
};
[[nodiscard]] Disagreement disagreement_of(const Shown& shown);
// "RSC-005, RSC-007"
[[nodiscard]] std::string list_of(const std::vector<epub::RuleId>& rules);

// The rules sorted by number of books, then of places, the most frequent first.
[[nodiscard]] std::vector<std::pair<epub::RuleId, RuleTally>> by_frequency(
    const BookTotals& totals);

// "OEBPS/ch1.xhtml:12:40"; the entry is escaped for display.
[[nodiscard]] std::string place_text(const epub::FindingPlace& place);
// "the rule's title: the detail", escaped for display.
[[nodiscard]] std::string sentence_of(const epub::Finding& finding);

}  // namespace tidemill::books
