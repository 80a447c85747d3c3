// Rows: in what the stub follows a real Outline server. Each row can be turned off, so that a test
// can show that it fails without it.
#pragma once

#include <string>

#include "tests/docs/stub/refusal.h"

namespace tidemill::docs_stub {

struct Rows {
  bool ids = false;       // comments.create takes version 4 only, and an id is taken for ever
  bool joins = false;     // a newline inside a paragraph becomes a blank
  bool escapes = false;   // escapes and entities are decoded, and those that markdown needs added
  bool revision = false;  // lastRevision is ignored (1.9.2)
  bool live = false;      // saves of the live editor do not raise the revision (1.9.2)
  bool filters = false;   // filters of documents.list and .search are ignored (1.9.2)
  bool whole = false;     // texts are kept as a tree; a whole text replaces it, a patch a part
  bool breaks = false;    // a hard break is written as backslash, n
  bool drafts = false;    // documents.list leaves drafts out
  bool limits = false;    // Retry-After has a fraction
  bool sizes = false;     // long comments and titles are refused (by every version, also without)
  bool created = false;   // the revision after documents.create is raised once more in a moment
  bool is_next = true;    // of two small things in fences: how they are written

  // A text is kept byte for byte without these.
  [[nodiscard]] bool has_markdown() const { return joins || escapes || whole || breaks; }
};

// version: "1.9.2" or "next"; rows: "all", "none" or names with commas between.
[[nodiscard]] Checked<Rows> rows_of(const std::string& version, const std::string& rows);

}  // namespace tidemill::docs_stub
