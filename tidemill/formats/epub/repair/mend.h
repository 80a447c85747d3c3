// Mends an EPUB: rounds of check and repair until nothing more can be done, and a judgement at the
// end.
//
// A repair is accepted only when, by the same rules, no rule is broken that was not broken before,
// and fewer errors are left. The text of every content document is the same as before.
// Otherwise there is no repair, and the plan says why. Books with DRM and signed ones are declined.
//
// What would not pass as a whole is tried again in smaller parts: without one of the fixers, each
// in turn, then each alone, then the archive alone. What was accepted is mended again by the same
// rules until nothing more is, so that a second repair has nothing to do.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/plan.h"
#include "tidemill/formats/epub/rules/finding.h"

namespace tidemill::epub {

struct MendOptions {
  Mend most = Mend::safe;           // container: only that; safe: both
  std::set<std::string> asked{};    // fixers of the tier ask that were named
  std::set<std::string> refused{};  // fixers that must not act
  Profile profile = Profile::none;
};

struct Mended {
  bool is_accepted = false;  // the output holds the repaired book
  std::string refusal{};  // why not, when there is nothing accepted; empty: there was nothing to do
  bool is_failed = false;  // the refusal is the machine's (no room): the book may be mended later
  Plan plan{};
  Findings before{};
  Findings after{};  // of the output; when not accepted, of the best try
  Edition edition = Edition::epub3;
  bool is_read = false;  // there is a package document
};

// Open descriptors; they stay the caller's. All but `book` are empty files that can be read and
// written.
struct MendFiles {
  int book = -1;
  int out = -1;      // the repaired book, when it is accepted; else to be thrown away
  int scratch = -1;  // to be thrown away
  int spare = -1;    // likewise
};

// One thread.
[[nodiscard]] Mended mend_epub(const MendFiles& files, std::string_view file_name,
                               const MendOptions& options);

}  // namespace tidemill::epub
