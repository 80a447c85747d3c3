// Finding is one fault of a book; Findings collects them with bounded memory.
//
// A book can have a million faults. Findings keeps the first kKept places of each rule and counts
// the rest, so the counts are always exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/rules/rule_id.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// The place of a finding: an entry of the archive (empty: the book itself) and a position in it.
struct FindingPlace {
  std::string entry{};
  xml::Position at{};

  auto operator<=>(const FindingPlace&) const = default;
};

struct Finding {
  RuleId rule;
  FindingPlace place{};
  std::string
      detail{};  // the name or value at fault; plain text, may contain any bytes of the book

  bool operator==(const Finding&) const = default;
};

// One thread.
class Findings {
 public:
  static constexpr std::size_t kKept = 200;  // places per rule

  void add(RuleId rule, FindingPlace place, std::string detail = {});
  void add(RuleId rule, std::string_view entry, xml::Position at, std::string detail = {});

  // Appends findings collected elsewhere, as if they were added now.
  void take(Findings from);

  // In the order in which they were added.
  [[nodiscard]] const std::vector<Finding>& kept() const { return kept_; }
  [[nodiscard]] std::uint64_t count(RuleId rule) const;  // including those not kept
  [[nodiscard]] std::uint64_t count(Severity severity) const;
  [[nodiscard]] bool has(RuleId rule) const { return count(rule) > 0; }
  // Has neither errors nor fatal errors.
  [[nodiscard]] bool is_valid() const;

 private:
  std::vector<Finding> kept_;
  std::vector<std::uint64_t> counts_;  // by the rule's index
};

}  // namespace tidemill::epub
