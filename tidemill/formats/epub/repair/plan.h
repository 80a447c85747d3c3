// Plan: what a repair would do to a book, and what it will not do and why.
#pragma once

#include <string>
#include <vector>

#include "tidemill/formats/epub/rules/rules.h"

namespace tidemill::epub {

// One thing that is changed.
struct Change {
  Mend tier = Mend::safe;
  std::string name{};  // of the fixer: "mimetype-first", "ncx-uid"; --fix and --no-fix name it
  std::vector<RuleId> mends{};  // the rules whose findings it is for
  std::string entry{};          // the entry that changes; empty: the archive
  std::string what{};           // a sentence
  std::string diff{};  // of a text: lines with - and +, a few around; empty: nothing to show

  bool operator==(const Change&) const = default;
};

// One thing that could not be mended, or must not be.
struct Declined {
  RuleId rule;
  std::string entry{};
  std::string why{};

  bool operator==(const Declined&) const = default;
};

struct Plan {
  std::vector<Change> changes{};
  std::vector<Declined> declined{};

  bool operator==(const Plan&) const = default;
};

}  // namespace tidemill::epub
