#include "tidemill/jobs/books/judge/filter.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::books {
namespace {

using command::in_quotes;
using command::misuse;
using epub::RuleId;
using epub::Severity;

std::optional<Severity> severity_named(std::string_view name) {
  for (const Severity one :
       {Severity::usage, Severity::info, Severity::warning, Severity::error, Severity::fatal}) {
    if (epub::name_of(one) == name) return one;
  }
  return std::nullopt;
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

// The id comes after the last colon: a path may contain colons, an id does not.
Result<Filter::Exception> Filter::exception_of(std::string_view text, std::string_view flag) {
  const std::size_t colon = text.rfind(':');
  const std::string_view id = text.substr(colon == std::string_view::npos ? 0 : colon + 1);
  const auto rule = epub::rule_named(id);
  if (!rule) {
    return misuse("--" + std::string(flag) + ": no such rule: " + in_quotes(id),
                  "run 'tidemill books rules' to list them");
  }
  Exception exception{.rule = *rule};
  if (colon != std::string_view::npos) {
    auto glob = walk::Glob::compile(text.substr(0, colon));
    if (!glob) return misuse("--" + std::string(flag) + ": " + glob.error().reason);
    exception.glob = *std::move(glob);
  }
  return exception;
}

Result<void> Filter::ignore(const std::string& text) {
  LET(auto exception, exception_of(text, "ignore"));
  exceptions_.push_back(std::move(exception));
  return {};
}

Result<void> Filter::regrade(const std::string& text) {
  const std::size_t sign = text.rfind('=');
  const auto severity =
      sign == std::string::npos ? std::nullopt : severity_named(text.substr(sign + 1));
  if (!severity) {
    return misuse(
        "--severity: not a valid setting: " + in_quotes(text),
        "use ID=LEVEL or GLOB:ID=LEVEL; the levels are usage, info, warning, error and fatal");
  }
  LET(auto exception, exception_of(text.substr(0, sign), "severity"));
  exception.severity = severity;
  exceptions_.push_back(std::move(exception));
  return {};
}

std::optional<Severity> Filter::severity(std::string_view path, RuleId rule) const {
  std::optional<Severity> severity = rule.severity();
  for (const Exception& one : exceptions_) {
    if (one.rule != rule) continue;
    if (!one.glob || one.glob->matches(path, name_in(path), false)) severity = one.severity;
  }
  return severity;
}

Shown Filter::look(std::string_view path, const BookReport& report) const {
  Shown shown{.path = path, .report = &report};
  for (const auto& [rule, times] : report.counts) {
    const auto grade = severity(path, rule);
    if (!grade) continue;
    shown.counts[*grade] += times;
    shown.rules[rule] = times;
  }
  for (const epub::Finding& finding : report.findings) {
    const auto grade = severity(path, finding.rule);
    if (grade && *grade >= least_) shown.remarks.push_back({&finding, *grade});
  }
  // Findings of the same severity stay in the order of finding: their addresses are in that order.
  std::ranges::sort(shown.remarks, [](const Remark& a, const Remark& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.finding < b.finding;
  });
  const bool is_bad =
      shown.counts.contains(Severity::error) || shown.counts.contains(Severity::fatal);
  shown.status = report.is_errored ? BookStatus::errored
                 : is_bad          ? BookStatus::invalid
                                   : BookStatus::valid;
  return shown;
}

}  // namespace tidemill::books
