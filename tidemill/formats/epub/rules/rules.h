// Descriptions of the rules: title, trigger, hint, and what repairs a finding. docs/rules.md is
// generated from this table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tidemill/formats/epub/rules/rule_id.h"

namespace tidemill::epub {

// The kind of repair for a finding of this rule. container: rewrites the ZIP file only; safe: there
// is exactly one fix, and it keeps all content; ask: applied only if the user names the fixer.
enum class Repairability : std::uint8_t { none, container, safe, ask };

struct Rule {
  std::string_view id{};
  std::string_view title{};    // a short statement: "a file that is referred to is not in the book"
  std::string_view trigger{};  // the exact condition, one sentence for docs/rules.md
  std::string_view hint{};     // what the user can do
  Repairability repair = Repairability::none;
  bool is_reported = false;  // one of our checks reports it
};

[[nodiscard]] std::span<const Rule> rules();  // as many as kGrades, in the same order
[[nodiscard]] const Rule& rule_of(RuleId id);
[[nodiscard]] std::optional<RuleId> rule_named(
    std::string_view id);  // ignores case; nullopt: unknown

[[nodiscard]] std::string_view name_of(Severity severity);
[[nodiscard]] std::string_view name_of(Repairability repair);

// Version of the rule set. Increase it when a change may alter the findings: books checked with an
// older version are checked again.
inline constexpr std::uint32_t kRuleSet = 2;

}  // namespace tidemill::epub
