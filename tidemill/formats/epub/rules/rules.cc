#include "tidemill/formats/epub/rules/rules.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

#include "tidemill/formats/epub/rules/tables.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

std::span<const Rule> rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> all;
    for (const auto& part : {content_rules(), package_rules(), file_rules()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    assert(all.size() == kGrades.size());
    return all;
  }();
  return kRules;
}

const Rule& rule_of(RuleId id) {
  assert(rules()[id.index()].id == id.text());
  return rules()[id.index()];
}

std::optional<RuleId> rule_named(std::string_view id) {
  const auto* found = std::ranges::find_if(
      kGrades, [&](const Grade& grade) { return same_in_any_case(grade.id, id); });
  if (found == kGrades.end()) return std::nullopt;
  return RuleId::from_index(static_cast<std::size_t>(found - kGrades.begin()));
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::usage:
      return "usage";
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
    case Severity::fatal:
      return "fatal";
  }
  return "unknown";
}

std::string_view name_of(Repairability repair) {
  switch (repair) {
    case Repairability::none:
      return "none";
    case Repairability::container:
      return "container";
    case Repairability::safe:
      return "safe";
    case Repairability::ask:
      return "ask";
  }
  return "unknown";
}

}  // namespace tidemill::epub
