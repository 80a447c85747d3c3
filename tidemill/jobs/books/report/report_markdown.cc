// The report as Markdown, for a ticket or a wiki.
#include <string>

#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/books/report/markup_text.h"
#include "tidemill/jobs/books/report/report_writer.h"

namespace tidemill::books {
namespace {

std::string disagreement(const Shown& shown) {
  const Disagreement found = disagreement_of(shown);
  std::string text;
  if (!found.ours.empty()) text += "\nOnly tidemill reports " + list_of(found.ours) + ".\n";
  if (!found.theirs.empty()) text += "\nOnly EPUBCheck reports " + list_of(found.theirs) + ".\n";
  return text;
}

// One line for all places of a rule with the same message.
std::string row(const RuleGroup& group, const PlaceGroup& kind) {
  std::string place = code_span(place_text(kind.first->place), Within::table);
  if (kind.places > 1) place += " and " + text::count_text(kind.places - 1) + " more";
  return "| " + std::string(epub::name_of(group.severity)) + " | " +
         std::string(group.rule.text()) + " | " + place + " | " +
         for_markdown(sentence_of(*kind.first)) + " |\n";
}

std::string rules(const BookTotals& totals) {
  if (totals.rules.empty()) return {};
  std::string text = "\n| rule | severity | books | places | finding |\n|---|---|---:|---:|---|\n";
  for (const auto& [rule, tally] : by_frequency(totals)) {
    text += "| " + std::string(rule.text()) + " | " + std::string(epub::name_of(tally.severity)) +
            " | " + text::count_text(tally.books) + " | " + text::count_text(tally.places) + " | " +
            for_markdown(epub::rule_of(rule).title) + " |\n";
  }
  return text;
}

class MarkdownReport final : public ReportWriter {
 public:
  std::string begin(const Heading& heading) override {
    return "# E-book report\n\nChecked by " + for_markdown(heading.checker) + ", tidemill " +
           for_markdown(heading.version) + ".\n";
  }

  std::string book(const Shown& shown) override {
    const std::string differently = disagreement(shown);
    if (shown.remarks.empty() && shown.status == BookStatus::valid && differently.empty())
      return {};
    std::string text = "\n## " + code_span(text::printable(shown.path), Within::line) + "\n\n" +
                       std::string(name_of(shown.status));
    if (shown.report->format != BookFormat::unknown) {
      text += ", " + std::string(name_of(shown.report->format));
    }
    text += "\n";
    if (!shown.remarks.empty()) {
      text += "\n| severity | rule | place | finding |\n|---|---|---|---|\n";
    }
    for (const RuleGroup& group : groups_of(shown)) {
      for (const PlaceGroup& kind : group.kinds) text += row(group, kind);
    }
    return text + differently;
  }

  std::string end(const BookTotals& totals) override {
    std::string text =
        "\n## Summary\n\n| | |\n|---|---:|\n| found | " + text::count_text(totals.found) + " |\n";
    for (const BookStatus status : {BookStatus::valid, BookStatus::invalid, BookStatus::errored}) {
      text += "| " + std::string(name_of(status)) + " | " + text::count_text(totals.count(status)) +
              " |\n";
    }
    return text + rules(totals);
  }
};

}  // namespace

std::unique_ptr<ReportWriter> markdown_report() { return std::make_unique<MarkdownReport>(); }

}  // namespace tidemill::books
