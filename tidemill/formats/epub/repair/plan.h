// RepairPlan: the changes a repair makes to a book, and the faults it declines to repair, with the
// reason.
#pragma once

#include <string>
#include <vector>

#include "tidemill/formats/epub/rules/rules.h"

namespace tidemill::epub {

// One change.
struct Change {
  Repairability tier = Repairability::safe;
  std::string name{};  // of the fixer, as for --fix and --no-fix: "mimetype-first", "ncx-uid"
  std::vector<RuleId> repairs{};  // the rules whose findings it repairs
  std::string entry{};            // the entry that changes; empty: the archive
  std::string what{};             // a sentence
  std::string diff{};  // text only: lines with - and +, with some context; empty: nothing to show

  bool operator==(const Change&) const = default;
};

// One fault that cannot or must not be repaired.
struct Declined {
  RuleId rule;
  std::string entry{};
  std::string why{};

  bool operator==(const Declined&) const = default;
};

struct RepairPlan {
  std::vector<Change> changes{};
  std::vector<Declined> declined{};

  bool operator==(const RepairPlan&) const = default;
};

}  // namespace tidemill::epub
