// The fixers: each knows one kind of fault and its one answer.
//
// A fixer looks at what the check found, changes the draft, and says what it did. It never guesses:
// where there is more than one answer, or content would be lost, it declines. It works on the bytes
// of a document, so that all it does not mean to change stays as it was, to the byte.
#pragma once

#include <span>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/draft.h"
#include "tidemill/formats/epub/repair/plan.h"

namespace tidemill::epub {

struct Fixer {
  std::string_view name{};
  Mend tier = Mend::safe;
  std::string_view about{};  // a sentence for docs/rules.md
  // Looks at the inspection of the draft as it was written last; adds to the plan what it changed
  // or declined.
  void (*mend)(const Inspection& found, Draft& draft, Plan& plan) = nullptr;
};

[[nodiscard]] std::span<const Fixer> container_fixers();  // in the order in which they act
[[nodiscard]] std::span<const Fixer> safe_fixers();       // likewise
[[nodiscard]] std::span<const Fixer> ask_fixers();

}  // namespace tidemill::epub
