// The report as text: the findings, the most severe first, and what to do next.
#include <algorithm>
#include <utility>

#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/books/report/report_writer.h"

namespace tidemill::books {
namespace {

using epub::RuleId;
using epub::Severity;

constexpr std::size_t kKindsShown = 5;     // of one rule in one book
constexpr std::size_t kRulesShown = 12;    // in the table at the end
constexpr std::size_t kDetailWidth = 200;  // the book controls how long a detail is

constexpr std::string_view kIndent = "                   ";  // to the column after the id

class BookTextReport final : public ReportWriter {
 public:
  explicit BookTextReport(TextLook look) : look_(look) {}

  std::string begin(const Heading& /*heading*/) override { return {}; }

  std::string book(const Shown& shown) override {
    const std::string differently = second(shown);
    const bool is_quiet =
        shown.remarks.empty() && shown.status == BookStatus::valid && differently.empty();
    if (look_.by_rule || is_quiet) return {};
    std::string text = title(shown);
    for (const RuleGroup& group : groups_of(shown)) text += lines(group);
    return text + differently + "\n";
  }

  std::string end(const BookTotals& totals) override {
    if (look_.has_sums) return rules(totals) + sums(totals) + advice(totals);
    return look_.by_rule ? rules(totals) : "";
  }

 private:
  [[nodiscard]] std::string painted(std::string_view colour, std::string text) const {
    if (!look_.has_colour) return text;
    return "\x1b[" + std::string(colour) + "m" + text + "\x1b[0m";
  }

  [[nodiscard]] std::string graded(Severity severity, std::string text) const {
    switch (severity) {
      case Severity::fatal:
      case Severity::error:
        return painted("31", std::move(text));
      case Severity::warning:
        return painted("33", std::move(text));
      case Severity::info:
      case Severity::usage:
        return painted("2", std::move(text));
    }
    return text;
  }

  [[nodiscard]] std::string title(const Shown& shown) const {
    std::string counts;
    const auto add = [&](Severity severity, std::string_view one, std::string_view many) {
      const auto found = shown.counts.find(severity);
      if (found == shown.counts.end()) return;
      counts += (counts.empty() ? "" : ", ") + text::counted(found->second, one, many);
    };
    add(Severity::fatal, "fatal error", "fatal errors");
    add(Severity::error, "error", "errors");
    add(Severity::warning, "warning", "warnings");
    const std::string_view colour = shown.status == BookStatus::valid ? "32" : "31";
    std::string status(name_of(shown.status));
    status.resize(8, ' ');
    std::string text = painted(colour, status) + painted("1", text::printable(shown.path));
    if (shown.report->format != BookFormat::unknown) {
      text += "  " + std::string(name_of(shown.report->format));
    }
    return text + (counts.empty() ? "" : ", " + counts) + "\n";
  }

  // One place: a single line. Several: a line for the rule, and each kind of finding below it.
  [[nodiscard]] std::string lines(const RuleGroup& group) const {
    std::string grade(epub::name_of(group.severity));
    grade.resize(8, ' ');
    std::string id(group.rule.text());
    id.resize(9, ' ');
    const std::string title(epub::rule_of(group.rule).title);
    std::string text = "  " + graded(group.severity, grade) + id;
    if (group.places == 1) {
      const epub::Finding& only = *group.kinds.front().first;
      const std::string place = place_text(only.place);
      return text + (place.empty() ? "" : place + "  ") + title +
             (only.detail.empty() ? "" : ": " + text::fit(only.detail, kDetailWidth)) + "\n";
    }
    text += title + ", " + text::count_text(group.places) + " places\n";
    const std::size_t shown = std::min(group.kinds.size(), kKindsShown);
    std::uint64_t listed = 0;
    for (std::size_t at = 0; at < shown; ++at) {
      text += line(group.kinds[at]);
      listed += group.kinds[at].places;
    }
    if (listed < group.places) {
      text += kIndent;
      text += painted("2", "... and " + text::count_text(group.places - listed) + " more") + "\n";
    }
    return text;
  }

  [[nodiscard]] static std::string line(const PlaceGroup& kind) {
    std::string text = place_text(kind.first->place);
    if (kind.places > 1) text += " (and " + text::count_text(kind.places - 1) + " more)";
    if (!text.empty() && !kind.first->detail.empty()) text += "  ";
    return std::string(kIndent) + text + text::fit(kind.first->detail, kDetailWidth) + "\n";
  }

  // Rules that only one of the two checkers reports.
  [[nodiscard]] static std::string second(const Shown& shown) {
    const Disagreement found = disagreement_of(shown);
    std::string text;
    if (!found.ours.empty()) text += "  only tidemill reports " + list_of(found.ours) + "\n";
    if (!found.theirs.empty()) text += "  only EPUBCheck reports " + list_of(found.theirs) + "\n";
    return text;
  }

  [[nodiscard]] std::string rules(const BookTotals& totals) const {
    auto rows = by_frequency(totals);
    if (!look_.by_rule) {
      std::erase_if(rows, [](const auto& one) { return one.second.severity < Severity::warning; });
    }
    if (rows.empty() || (!look_.by_rule && totals.found < 2)) return {};
    const std::size_t all = rows.size();
    if (!look_.by_rule && rows.size() > kRulesShown) {
      rows.erase(rows.begin() + kRulesShown, rows.end());
    }
    std::string text = "     BOOKS    PLACES  RULE\n";
    for (const auto& [rule, tally] : rows) text += row(rule, tally);
    if (rows.size() < all) {
      text +=
          "  ... and " + text::count_text(all - rows.size()) + " more; use --by-rule to list all\n";
    }
    return text + "\n";
  }

  [[nodiscard]] std::string row(RuleId rule, const RuleTally& tally) const {
    const auto right = [](std::string text, std::size_t width) {
      if (text.size() < width) text.insert(0, width - text.size(), ' ');
      return text;
    };
    std::string id(rule.text());
    id.resize(9, ' ');
    const epub::Rule& what = epub::rule_of(rule);
    std::string text = right(text::count_text(tally.books), 10) +
                       right(text::count_text(tally.places), 10) + "  " +
                       graded(tally.severity, id) + std::string(what.title);
    if (what.repair == epub::Repairability::container || what.repair == epub::Repairability::safe) {
      text += painted("32", "  (may be repairable)");
    }
    return text + "\n";
  }

  [[nodiscard]] std::string sums(const BookTotals& totals) const {
    std::string text = text::counted(totals.found, "book");
    if (totals.unchanged > 0) {
      text += " (" + text::count_text(totals.unchanged) + " unchanged)";
    }
    text += ": " + painted("32", text::count_text(totals.count(BookStatus::valid)) + " valid");
    const auto bad = [&](BookStatus status) {
      const std::uint64_t count = totals.count(status);
      std::string part = text::count_text(count) + " " + std::string(name_of(status));
      text += ", " + (count > 0 ? painted("31", std::move(part)) : part);
    };
    bad(BookStatus::invalid);
    bad(BookStatus::errored);
    text += ".";
    if (totals.disagreements > 0) {
      text += " Different results: " + text::counted(totals.disagreements, "book") + ".";
    }
    return text + " Time: " + text::duration_text(totals.elapsed) + ".\n";
  }

  [[nodiscard]] static std::string advice(const BookTotals& totals) {
    const bool can_repair = std::ranges::any_of(totals.rules, [](const auto& one) {
      const epub::Repairability repair = epub::rule_of(one.first).repair;
      return one.second.severity >= Severity::error &&
             (repair == epub::Repairability::container || repair == epub::Repairability::safe);
    });
    if (!can_repair) return {};
    return "To see what can be repaired, run tidemill books repair with the same paths.\n";
  }

  const TextLook look_;
};

}  // namespace

std::unique_ptr<ReportWriter> text_report(TextLook look) {
  return std::make_unique<BookTextReport>(look);
}

}  // namespace tidemill::books
