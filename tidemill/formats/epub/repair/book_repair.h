// Repairs an EPUB in rounds of check and repair, then decides whether to accept the result.
//
// A repair is accepted only if it breaks no rule (error or warning) that was not broken before,
// leaves fewer errors, and keeps the text of every content document. Otherwise the book is not
// repaired, and Repaired::refusal says why. Books with DRM and signed books are declined.
//
// If the complete repair is not accepted, smaller ones are tried: without one of the fixers, each
// in turn; then each fixer alone; then the archive alone. An accepted result is repaired again by
// the same rules until nothing changes (at most kPasses times), so that a second repair has nothing
// to do.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/plan.h"
#include "tidemill/formats/epub/rules/finding.h"

namespace tidemill::epub {

struct EpubRepairOptions {
  Repairability most = Repairability::safe;  // container: the archive only; safe: documents too
  std::set<std::string> asked{};             // fixers of the tier ask that the user named
  std::set<std::string> refused{};           // fixers that must not run
  Profile profile = Profile::none;
};

struct Repaired {
  bool is_accepted = false;  // the output is the repaired book
  std::string refusal{};     // the reason if not accepted; empty: nothing to do
  bool is_failed = false;    // an output could not be written (disk full): a retry may succeed
  RepairPlan plan{};
  Findings before{};
  Findings after{};  // of the output; if refused, of the complete repair (empty: it ended early)
  Edition edition = Edition::epub3;
  bool is_read = false;  // the package document exists and has a known version
};

// Open descriptors, owned by the caller. All but `book` are empty files, open for reading and
// writing.
struct RepairFiles {
  int book = -1;
  int out = -1;      // the repaired book if accepted; otherwise discard it
  int scratch = -1;  // temporary
  int spare = -1;    // temporary
};

// One thread.
[[nodiscard]] Repaired repair_epub(const RepairFiles& files, std::string_view file_name,
                                   const EpubRepairOptions& options);

}  // namespace tidemill::epub
