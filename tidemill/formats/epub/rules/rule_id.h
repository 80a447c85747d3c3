// The ids of all rules and their severities, in one table.
//
// Ids like RSC-005 are those of EPUBCheck, with its severities, so that reports can be compared;
// TIDE and PDF are our own. The tables in tables.h describe each rule, what to do about it and what
// repairs it.
//
// An id in the code is a RuleId, built at compile time: an id that is not in the table does not
// compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemill::epub {

enum class Severity : std::uint8_t { usage, info, warning, error, fatal };

struct Grade {
  std::string_view id{};
  Severity severity{};
};

constexpr Grade grade(std::string_view id, Severity severity) {
  return {.id = id, .severity = severity};
}

inline constexpr auto kGrades = std::to_array<Grade>({
    grade("ACC-009", Severity::usage),    grade("ACC-011", Severity::usage),
    grade("CHK-008", Severity::error),  // the only one of its kind
    grade("CSS-001", Severity::error),    grade("CSS-002", Severity::error),
    grade("CSS-003", Severity::warning),  grade("CSS-004", Severity::error),
    grade("CSS-005", Severity::usage),    grade("CSS-006", Severity::usage),
    grade("CSS-007", Severity::info),     grade("CSS-008", Severity::error),
    grade("CSS-015", Severity::error),    grade("CSS-019", Severity::warning),
    grade("CSS-028", Severity::usage),    grade("CSS-029", Severity::usage),
    grade("CSS-030", Severity::error),    grade("HTM-001", Severity::error),
    grade("HTM-003", Severity::error),    grade("HTM-004", Severity::error),
    grade("HTM-005", Severity::usage),    grade("HTM-007", Severity::warning),
    grade("HTM-009", Severity::error),    grade("HTM-010", Severity::usage),
    grade("HTM-011", Severity::error),    grade("HTM-025", Severity::warning),
    grade("HTM-044", Severity::usage),    grade("HTM-045", Severity::usage),
    grade("HTM-046", Severity::error),    grade("HTM-047", Severity::error),
    grade("HTM-048", Severity::error),    grade("HTM-051", Severity::warning),
    grade("HTM-052", Severity::error),    grade("HTM-054", Severity::error),
    grade("HTM-055", Severity::usage),    grade("HTM-056", Severity::error),
    grade("HTM-057", Severity::error),    grade("HTM-058", Severity::error),
    grade("HTM-059", Severity::error),    grade("HTM-060a", Severity::usage),
    grade("HTM-060b", Severity::usage),   grade("HTM-061", Severity::error),
    grade("MED-003", Severity::error),    grade("MED-004", Severity::error),
    grade("MED-005", Severity::error),    grade("MED-007", Severity::error),
    grade("MED-008", Severity::error),    grade("MED-009", Severity::error),
    grade("MED-010", Severity::error),    grade("MED-011", Severity::error),
    grade("MED-012", Severity::error),    grade("MED-013", Severity::error),
    grade("MED-014", Severity::error),    grade("MED-015", Severity::usage),
    grade("MED-016", Severity::warning),  grade("MED-017", Severity::warning),
    grade("MED-018", Severity::warning),  grade("NAV-001", Severity::error),
    grade("NAV-003", Severity::error),    grade("NAV-004", Severity::usage),
    grade("NAV-005", Severity::usage),    grade("NAV-006", Severity::usage),
    grade("NAV-007", Severity::usage),    grade("NAV-008", Severity::usage),
    grade("NAV-009", Severity::error),    grade("NAV-010", Severity::error),
    grade("NAV-011", Severity::warning),  grade("NCX-001", Severity::error),
    grade("NCX-004", Severity::usage),    grade("NCX-006", Severity::usage),
    grade("OPF-001", Severity::error),    grade("OPF-002", Severity::fatal),
    grade("OPF-003", Severity::usage),    grade("OPF-004", Severity::warning),
    grade("OPF-004a", Severity::error),   grade("OPF-004b", Severity::error),
    grade("OPF-004c", Severity::error),   grade("OPF-004d", Severity::error),
    grade("OPF-004e", Severity::warning), grade("OPF-004f", Severity::warning),
    grade("OPF-005", Severity::error),    grade("OPF-006", Severity::error),
    grade("OPF-007", Severity::warning),  grade("OPF-007a", Severity::error),
    grade("OPF-007b", Severity::error),   grade("OPF-007c", Severity::error),
    grade("OPF-010", Severity::error),    grade("OPF-011", Severity::error),
    grade("OPF-012", Severity::error),    grade("OPF-013", Severity::warning),
    grade("OPF-014", Severity::error),    grade("OPF-015", Severity::error),
    grade("OPF-016", Severity::error),    grade("OPF-017", Severity::error),
    grade("OPF-018", Severity::warning),  grade("OPF-018b", Severity::usage),
    grade("OPF-021", Severity::warning),  grade("OPF-025", Severity::error),
    grade("OPF-026", Severity::error),    grade("OPF-027", Severity::error),
    grade("OPF-028", Severity::error),    grade("OPF-029", Severity::error),
    grade("OPF-030", Severity::error),    grade("OPF-031", Severity::error),
    grade("OPF-032", Severity::error),    grade("OPF-033", Severity::error),
    grade("OPF-034", Severity::error),    grade("OPF-035", Severity::warning),
    grade("OPF-036", Severity::usage),    grade("OPF-037", Severity::warning),
    grade("OPF-038", Severity::warning),  grade("OPF-039", Severity::warning),
    grade("OPF-040", Severity::error),    grade("OPF-041", Severity::error),
    grade("OPF-042", Severity::error),    grade("OPF-043", Severity::error),
    grade("OPF-044", Severity::error),    grade("OPF-045", Severity::error),
    grade("OPF-047", Severity::usage),    grade("OPF-048", Severity::error),
    grade("OPF-049", Severity::error),    grade("OPF-050", Severity::error),
    grade("OPF-052", Severity::error),    grade("OPF-053", Severity::warning),
    grade("OPF-054", Severity::error),    grade("OPF-055", Severity::warning),
    grade("OPF-060", Severity::error),    grade("OPF-062", Severity::usage),
    grade("OPF-063", Severity::warning),  grade("OPF-064", Severity::info),
    grade("OPF-065", Severity::error),    grade("OPF-066", Severity::error),
    grade("OPF-067", Severity::error),    grade("OPF-070", Severity::warning),
    grade("OPF-071", Severity::error),    grade("OPF-072", Severity::usage),
    grade("OPF-073", Severity::error),    grade("OPF-074", Severity::error),
    grade("OPF-075", Severity::error),    grade("OPF-076", Severity::error),
    grade("OPF-077", Severity::warning),  grade("OPF-078", Severity::error),
    grade("OPF-079", Severity::warning),  grade("OPF-080", Severity::warning),
    grade("OPF-081", Severity::error),    grade("OPF-082", Severity::error),
    grade("OPF-083", Severity::error),    grade("OPF-084", Severity::error),
    grade("OPF-085", Severity::warning),  grade("OPF-086", Severity::warning),
    grade("OPF-086b", Severity::usage),   grade("OPF-087", Severity::usage),
    grade("OPF-088", Severity::usage),    grade("OPF-089", Severity::error),
    grade("OPF-090", Severity::usage),    grade("OPF-091", Severity::error),
    grade("OPF-092", Severity::error),    grade("OPF-093", Severity::error),
    grade("OPF-094", Severity::error),    grade("OPF-095", Severity::error),
    grade("OPF-096", Severity::error),    grade("OPF-096b", Severity::usage),
    grade("OPF-097", Severity::usage),    grade("OPF-098", Severity::error),
    grade("OPF-099", Severity::error),    grade("PDF-001", Severity::fatal),
    grade("PDF-002", Severity::warning),  grade("PDF-003", Severity::error),
    grade("PDF-004", Severity::error),    grade("PDF-005", Severity::error),
    grade("PDF-006", Severity::error),    grade("PDF-007", Severity::info),
    grade("PDF-008", Severity::error),    grade("PDF-009", Severity::error),
    grade("PDF-010", Severity::warning),  grade("PDF-011", Severity::error),
    grade("PDF-012", Severity::fatal),    grade("PDF-013", Severity::warning),
    grade("PDF-014", Severity::info),     grade("PDF-015", Severity::error),
    grade("PDF-016", Severity::info),     grade("PDF-017", Severity::error),
    grade("PDF-018", Severity::error),    grade("PKG-001", Severity::warning),
    grade("PKG-003", Severity::error),    grade("PKG-004", Severity::fatal),
    grade("PKG-005", Severity::error),    grade("PKG-006", Severity::error),
    grade("PKG-007", Severity::error),    grade("PKG-008", Severity::fatal),
    grade("PKG-009", Severity::error),    grade("PKG-010", Severity::warning),
    grade("PKG-011", Severity::error),    grade("PKG-012", Severity::usage),
    grade("PKG-013", Severity::error),    grade("PKG-014", Severity::warning),
    grade("PKG-015", Severity::fatal),    grade("PKG-016", Severity::warning),
    grade("PKG-017", Severity::warning),  grade("PKG-018", Severity::fatal),
    grade("PKG-020", Severity::error),    grade("PKG-021", Severity::error),
    grade("PKG-022", Severity::warning),  grade("PKG-023", Severity::usage),
    grade("PKG-024", Severity::usage),    grade("PKG-025", Severity::error),
    grade("PKG-026", Severity::error),    grade("PKG-027", Severity::fatal),
    grade("RSC-001", Severity::error),    grade("RSC-002", Severity::fatal),
    grade("RSC-003", Severity::error),    grade("RSC-004", Severity::info),
    grade("RSC-005", Severity::error),    grade("RSC-006", Severity::error),
    grade("RSC-006b", Severity::usage),   grade("RSC-007", Severity::error),
    grade("RSC-007w", Severity::warning), grade("RSC-008", Severity::error),
    grade("RSC-009", Severity::warning),  grade("RSC-010", Severity::error),
    grade("RSC-011", Severity::error),    grade("RSC-012", Severity::error),
    grade("RSC-013", Severity::error),    grade("RSC-014", Severity::error),
    grade("RSC-015", Severity::error),    grade("RSC-016", Severity::fatal),
    grade("RSC-017", Severity::warning),  grade("RSC-019", Severity::warning),
    grade("RSC-020", Severity::error),    grade("RSC-021", Severity::error),
    grade("RSC-024", Severity::usage),    grade("RSC-025", Severity::usage),
    grade("RSC-026", Severity::error),    grade("RSC-027", Severity::warning),
    grade("RSC-028", Severity::error),    grade("RSC-029", Severity::error),
    grade("RSC-030", Severity::error),    grade("RSC-031", Severity::warning),
    grade("RSC-032", Severity::error),    grade("RSC-033", Severity::error),
    grade("TIDE-001", Severity::error),   grade("TIDE-002", Severity::error),
    grade("TIDE-003", Severity::fatal),   grade("TIDE-004", Severity::fatal),
    grade("TIDE-005", Severity::fatal),   grade("TIDE-006", Severity::error),
    grade("TIDE-007", Severity::error),   grade("TIDE-008", Severity::error),
    grade("TIDE-009", Severity::error),   grade("TIDE-010", Severity::error),
    grade("TIDE-011", Severity::error),   grade("TIDE-012", Severity::error),
    grade("TIDE-013", Severity::warning), grade("TIDE-014", Severity::error),
    grade("TIDE-015", Severity::info),    grade("TIDE-016", Severity::info),
    grade("TIDE-017", Severity::warning), grade("TIDE-018", Severity::error),
    grade("TIDE-019", Severity::fatal),   grade("TIDE-020", Severity::warning),
    grade("TIDE-021", Severity::fatal),
});

// Immutable.
class RuleId {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): "RSC-005" is a RuleId wherever one is wanted
  consteval RuleId(const char* id) : index_(index_of(id)) {}

  [[nodiscard]] static constexpr RuleId from_index(std::size_t index) {
    RuleId rule;
    rule.index_ = static_cast<std::uint16_t>(index);
    return rule;
  }

  [[nodiscard]] constexpr std::size_t index() const { return index_; }
  [[nodiscard]] constexpr std::string_view text() const { return kGrades[index_].id; }
  [[nodiscard]] constexpr Severity severity() const { return kGrades[index_].severity; }

  constexpr auto operator<=>(const RuleId&) const = default;

 private:
  constexpr RuleId() = default;
  static consteval std::uint16_t index_of(std::string_view id) {
    for (std::size_t at = 0; at < kGrades.size(); ++at) {
      if (kGrades[at].id == id) return static_cast<std::uint16_t>(at);
    }
    throw "this id is not in the table";
  }

  std::uint16_t index_ = 0;
};

}  // namespace tidemill::epub
