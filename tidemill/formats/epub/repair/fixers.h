// Fixers: each repairs one kind of fault that has exactly one correct fix.
//
// A fixer reads the findings of the check, changes the draft, and records its changes in the plan.
// It never guesses: if there is more than one possible fix, or content would be lost, it declines.
// It edits the bytes of a document, so that everything else stays identical to the byte.
#pragma once

#include <span>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/draft.h"
#include "tidemill/formats/epub/repair/plan.h"

namespace tidemill::epub {

struct Fixer {
  std::string_view name{};
  Repairability tier = Repairability::safe;
  std::string_view about{};  // a sentence for docs/rules.md
  // `found` is the inspection of the book before this round. Adds the changes it made or declined
  // to the plan.
  void (*repair)(const Inspection& found, BookDraft& draft, RepairPlan& plan) = nullptr;
};

[[nodiscard]] std::span<const Fixer> container_fixers();  // in the order in which they run
[[nodiscard]] std::span<const Fixer> safe_fixers();       // in the order in which they run
[[nodiscard]] std::span<const Fixer> ask_fixers();

}  // namespace tidemill::epub
