#include "tidemill/jobs/books/report/report_writer.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "tidemill/formats/text/printable.h"

namespace tidemill::books {
namespace {

// The rules of severity error or above: the two checkers are compared by them.
std::set<epub::RuleId> grave(const std::vector<epub::Finding>& findings) {
  std::set<epub::RuleId> rules;
  for (const epub::Finding& one : findings) {
    if (one.rule.severity() >= epub::Severity::error) rules.insert(one.rule);
  }
  return rules;
}

}  // namespace

void BookTotals::add(const Shown& shown, epub::Severity fail_on) {
  ++found;
  ++statuses[shown.status];
  std::map<epub::RuleId, epub::Severity> given;  // rules that are not shown keep their own
  for (const Remark& remark : shown.remarks) given.emplace(remark.finding->rule, remark.severity);
  for (const auto& [rule, places] : shown.rules) {
    const epub::Severity severity = given.emplace(rule, rule.severity()).first->second;
    RuleTally& tally = rules[rule];
    tally.severity = tally.books == 0 ? severity : std::max(tally.severity, severity);
    ++tally.books;
    tally.places += places;
  }
  fails = fails || shown.status == BookStatus::errored ||
          std::ranges::any_of(shown.counts, [&](const auto& one) { return one.first >= fail_on; });
  const BookReport& report = *shown.report;
  if (report.second && grave(report.findings) != grave(*report.second)) ++disagreements;
}

std::uint64_t BookTotals::count(BookStatus status) const {
  const auto found_at = statuses.find(status);
  return found_at == statuses.end() ? 0 : found_at->second;
}

std::vector<RuleGroup> groups_of(const Shown& shown) {
  std::vector<RuleGroup> groups;
  std::map<epub::RuleId, std::size_t> group_at;
  std::map<std::pair<epub::RuleId, std::string_view>, std::size_t> kind_at;
  for (const Remark& remark : shown.remarks) {
    const epub::RuleId rule = remark.finding->rule;
    const auto [group, is_new] = group_at.try_emplace(rule, groups.size());
    if (is_new) groups.push_back({.rule = rule, .severity = remark.severity});
    RuleGroup& own = groups[group->second];
    const auto [kind, is_new_kind] =
        kind_at.try_emplace({rule, remark.finding->detail}, own.kinds.size());
    if (is_new_kind) own.kinds.push_back({.first = remark.finding});
    ++own.kinds[kind->second].places;
    ++own.places;
  }
  for (RuleGroup& group : groups) {
    const auto counted = shown.rules.find(group.rule);
    if (counted != shown.rules.end()) group.places = std::max(group.places, counted->second);
  }
  return groups;
}

Disagreement disagreement_of(const Shown& shown) {
  if (!shown.report->second) return {};
  std::map<epub::RuleId, unsigned> sides;
  for (const auto& [rule, count] : shown.report->counts) sides[rule] |= 1U;
  for (const epub::Finding& one : *shown.report->second) sides[one.rule] |= 2U;
  Disagreement disagreement;
  for (const auto& [rule, side] : sides) {
    if (rule.severity() < epub::Severity::warning || side == 3) continue;
    (side == 1 ? disagreement.ours : disagreement.theirs).push_back(rule);
  }
  return disagreement;
}

std::string list_of(const std::vector<epub::RuleId>& rules) {
  std::string text;
  for (const epub::RuleId rule : rules) {
    text += (text.empty() ? "" : ", ") + std::string(rule.text());
  }
  return text;
}

std::vector<std::pair<epub::RuleId, RuleTally>> by_frequency(const BookTotals& totals) {
  std::vector<std::pair<epub::RuleId, RuleTally>> rows(totals.rules.begin(), totals.rules.end());
  std::ranges::sort(rows, [](const auto& a, const auto& b) {
    const auto weight = [](const auto& one) {
      return std::pair(one.second.books, one.second.places);
    };
    return weight(a) != weight(b) ? weight(a) > weight(b) : a.first < b.first;
  });
  return rows;
}

std::string place_text(const epub::FindingPlace& place) {
  std::string text = text::printable(place.entry);
  if (place.at.line == 0) return text;
  text += ":" + std::to_string(place.at.line);
  if (place.at.column > 0) text += ":" + std::to_string(place.at.column);
  return text;
}

std::string sentence_of(const epub::Finding& finding) {
  std::string text(epub::rule_of(finding.rule).title);
  if (!finding.detail.empty()) text += (text.empty() ? "" : ": ") + text::printable(finding.detail);
  return text;
}

}  // namespace tidemill::books
