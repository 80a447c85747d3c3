#include "tidemill/formats/epub/rules/finding.h"

#include <utility>

namespace tidemill::epub {
namespace {

// People read the details, but an attribute in a book may have megabytes.
constexpr std::size_t kLongestDetail = 500;

void shorten(std::string& detail) {
  if (detail.size() <= kLongestDetail) return;
  std::size_t end = kLongestDetail;
  while (end > 0 && (static_cast<unsigned char>(detail[end]) & 0xc0U) == 0x80U) --end;
  detail.resize(end);
  detail += "…";
  detail.shrink_to_fit();
}

}  // namespace

void Findings::add(RuleId rule, FindingPlace place, std::string detail) {
  if (counts_.empty()) counts_.resize(kGrades.size());
  if (++counts_[rule.index()] > kKept) return;
  shorten(detail);
  kept_.push_back({.rule = rule, .place = std::move(place), .detail = std::move(detail)});
}

void Findings::add(RuleId rule, std::string_view entry, xml::Position at, std::string detail) {
  add(rule, FindingPlace{.entry = std::string(entry), .at = at}, std::move(detail));
}

void Findings::take(Findings from) {
  if (from.counts_.empty()) return;
  for (Finding& one : from.kept_) {
    --from.counts_[one.rule.index()];
    add(one.rule, std::move(one.place), std::move(one.detail));
  }
  if (counts_.empty()) counts_.resize(kGrades.size());
  for (std::size_t at = 0; at < counts_.size(); ++at) counts_[at] += from.counts_[at];
}

std::uint64_t Findings::count(RuleId rule) const {
  return counts_.empty() ? 0 : counts_[rule.index()];
}

std::uint64_t Findings::count(Severity severity) const {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < counts_.size(); ++at) {
    if (kGrades[at].severity == severity) sum += counts_[at];
  }
  return sum;
}

bool Findings::is_valid() const {
  return count(Severity::fatal) == 0 && count(Severity::error) == 0;
}

}  // namespace tidemill::epub
