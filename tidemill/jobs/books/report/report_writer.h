// ReportWriter: the outcome of a check in one format. It is handed the books in the order of their
// paths, one after the other, so that a million of them need no memory; each call answers the text
// to be written next.
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
  epub::Severity severity{};  // the gravest it was given
};

// Sums over all books.
struct Totals {
  std::uint64_t found = 0;
  std::uint64_t unchanged = 0;  // of them, known from the shelf
  std::map<Verdict, std::uint64_t> verdicts{};
  std::map<epub::RuleId, RuleTally> rules{};
  std::uint64_t disagreements = 0;  // books that two checkers judge differently
  std::chrono::nanoseconds elapsed{0};
  bool fails = false;  // a book has what --fail-on names

  void add(const Shown& shown, epub::Severity fail_on);
  [[nodiscard]] std::uint64_t count(Verdict verdict) const;
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
  [[nodiscard]] virtual std::string end(const Totals& totals) = 0;
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

// The places of one rule in one book that say the same.
struct Kind {
  const epub::Finding* first = nullptr;
  std::uint64_t places = 0;
};
// What is shown of one rule in one book. A book can break one rule in hundreds of places.
struct RuleGroup {
  epub::RuleId rule;
  epub::Severity severity{};
  std::uint64_t places = 0;   // with those that were not kept
  std::vector<Kind> kinds{};  // in the order of finding
};
// The gravest first, then in the order of finding.
[[nodiscard]] std::vector<RuleGroup> groups_of(const Shown& shown);

// What only one of two checkers says of a book, of warnings and what is graver.
struct Disagreement {
  std::vector<epub::RuleId> ours{};
  std::vector<epub::RuleId> theirs{};
};
[[nodiscard]] Disagreement disagreement_of(const Shown& shown);
// "RSC-005, RSC-007"
[[nodiscard]] std::string list_of(const std::vector<epub::RuleId>& rules);

// The rules by the number of books, then of places, the most frequent first.
[[nodiscard]] std::vector<std::pair<epub::RuleId, RuleTally>> by_frequency(const Totals& totals);

// "OEBPS/ch1.xhtml:12:40"; the entry escaped for people.
[[nodiscard]] std::string place_text(const epub::Place& place);
// "the rule's title: the detail", escaped for people.
[[nodiscard]] std::string sentence_of(const epub::Finding& finding);

}  // namespace tidemill::books
