#include "tidemill/jobs/books/report/settled_item.h"

#include <set>
#include <string>

#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::books {
namespace {

using command::ItemState;
using epub::Severity;

// "2 errors, 1 warning: RSC-005, RSC-007"
std::string counts_of(const Shown& shown) {
  std::string text;
  const auto add = [&](Severity severity, std::string_view what) {
    const auto found = shown.counts.find(severity);
    if (found == shown.counts.end() || found->second == 0) return;
    text += (text.empty() ? "" : ", ") + text::counted(found->second, what);
  };
  add(Severity::fatal, "fatal error");
  add(Severity::error, "error");
  add(Severity::warning, "warning");
  std::set<epub::RuleId> rules;
  std::string list;
  for (const Remark& remark : shown.remarks) {
    if (remark.severity < Severity::warning || !rules.insert(remark.finding->rule).second) continue;
    list += (list.empty() ? ": " : ", ") + std::string(remark.finding->rule.text());
  }
  return text.empty() ? "no findings" : text + list;
}

std::string line_of(const Remark& remark) {
  const epub::Finding& finding = *remark.finding;
  std::string text(epub::name_of(remark.severity));
  text += " " + std::string(finding.rule.text());
  if (!finding.place.entry.empty()) text += "  " + finding.place.entry;
  if (finding.place.at.line > 0) {
    text += ":" + std::to_string(finding.place.at.line);
    text += ":" + std::to_string(finding.place.at.column);
  }
  text += "  " + std::string(epub::rule_of(finding.rule).title);
  return finding.detail.empty() ? text : text + ": " + finding.detail;
}

ItemState state_of(BookStatus status) {
  if (status == BookStatus::valid) return ItemState::good;
  return status == BookStatus::invalid ? ItemState::bad : ItemState::failed;
}

ItemState state_of(Fate fate) {
  if (fate == Fate::declined) return ItemState::bad;
  return fate == Fate::errored ? ItemState::failed : ItemState::good;
}

}  // namespace

command::SettledItem settled_item(const Shown& shown) {
  command::SettledItem item{.name = std::string(shown.path), .state = state_of(shown.status)};
  item.details.push_back(counts_of(shown));
  if (shown.report->format != BookFormat::unknown) {
    item.details.push_back(std::string(name_of(shown.report->format)) + "  " + shown.report->title);
  }
  for (const Remark& remark : shown.remarks) item.details.push_back(line_of(remark));
  return item;
}

command::SettledItem settled_item(std::string_view path, const RepairReport& report) {
  command::SettledItem item{.name = std::string(path), .state = state_of(report.fate)};
  std::string head(name_of(report.fate));
  if (report.is_better()) {
    head += ", errors: " + text::count_text(report.before.errors()) + " -> " +
            text::count_text(report.after.errors());
  }
  item.details.push_back(report.reason.empty() ? head : head + ": " + report.reason);
  for (const epub::Change& change : report.plan.changes) {
    item.details.push_back(change.name + "  " + (change.entry.empty() ? "" : change.entry + ": ") +
                           change.what);
  }
  for (const epub::Declined& declined : report.plan.declined) {
    item.details.push_back("not repaired: " + std::string(declined.rule.text()) + "  " +
                           declined.entry + ": " + declined.why);
  }
  return item;
}

}  // namespace tidemill::books
