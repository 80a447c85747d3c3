// What each rule means: in our words, with a hint and what mends it. docs/rules.md is made of this
// table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tidemill/formats/epub/rules/rule_id.h"

namespace tidemill::epub {

// What may mend a finding of this rule. container: the ZIP around the book; safe: there is exactly
// one answer that keeps all content; ask: only when it is named.
enum class Mend : std::uint8_t { none, container, safe, ask };

struct Rule {
  std::string_view id{};
  std::string_view title{};    // a short statement: "a file that is referred to is not in the book"
  std::string_view trigger{};  // when exactly, one sentence for docs/rules.md
  std::string_view hint{};     // what the person can do
  Mend mend = Mend::none;
  bool is_reported = false;  // some check of ours reports it
};

[[nodiscard]] std::span<const Rule> rules();  // as many as kGrades, in the same order
[[nodiscard]] const Rule& rule_of(RuleId id);
[[nodiscard]] std::optional<RuleId> rule_named(
    std::string_view id);  // "rsc-005" too; nothing: unknown

[[nodiscard]] std::string_view name_of(Severity severity);
[[nodiscard]] std::string_view name_of(Mend mend);

// Raised when a change of the rules may change what is found: books checked by an older one are
// checked again.
inline constexpr std::uint32_t kRuleSet = 2;

}  // namespace tidemill::epub
