#include "tidemill/jobs/books/parts.h"

#include "tidemill/formats/epub/rules/rules.h"
#include "tidemill/state/history/part_builder.h"

namespace tidemill::books {
namespace {

using history::HistoryPart;
using history::PartBuilder;
using history::PartForm;

template <class Verdicts>
HistoryPart verdicts_part(const Verdicts& verdicts) {
  PartBuilder part({.name = "verdicts",
                    .title = "Verdicts",
                    .label = "verdict",
                    .form = PartForm::bars,
                    .columns = {{.name = "books"}}});
  for (const auto& [verdict, books] : verdicts) {
    if (books > 0) part.add(name_of(verdict), {books});
  }
  return part.in_order();
}

HistoryPart findings_part(const BookTotals& totals) {
  PartBuilder findings({.name = "findings_by_rule",
                        .title = "Findings by rule",
                        .label = "rule",
                        .form = PartForm::bars,
                        .columns = {{.name = "findings"}, {.name = "books"}}});
  for (const auto& [id, tally] : totals.rules) {
    const epub::Rule& rule = epub::rule_of(id);
    findings.add(rule.id, {tally.places, tally.books}, rule.title);
  }
  return findings.largest();
}

HistoryPart repairs_part(const RepairTotals& totals) {
  const bool is_planned = totals.count(Fate::planned) > 0;
  PartBuilder repairs({.name = "repairs_by_rule",
                       .title = is_planned ? "Planned repairs by rule" : "Repairs by rule",
                       .label = "rule",
                       .form = PartForm::bars,
                       .columns = {{.name = "repairs"}, {.name = "books"}}});
  for (const auto& [id, tally] : totals.rules) {
    const epub::Rule& rule = epub::rule_of(id);
    repairs.add(rule.id, {tally.repairs, tally.books}, rule.title);
  }
  return repairs.largest();
}

}  // namespace

std::vector<HistoryPart> parts_of(const BookTotals& totals) {
  return {verdicts_part(totals.statuses), findings_part(totals)};
}

std::vector<HistoryPart> parts_of(const RepairTotals& totals) {
  return {verdicts_part(totals.fates), repairs_part(totals)};
}

}  // namespace tidemill::books
