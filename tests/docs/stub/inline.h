// The inline half of the markdown reader: from the text of a paragraph to spans with marks.
#pragma once

#include <string>
#include <vector>

#include "tests/docs/stub/links.h"
#include "tests/docs/stub/rows.h"
#include "tests/docs/stub/tree.h"

namespace tidemill::docs_stub {

struct InlineText {
  std::vector<Span> spans{};
  int empties = 0;       // a backslash alone is an empty paragraph in front of the rest
  bool has_rest = true;  // there is something beside them
};

[[nodiscard]] InlineText read_inline(const std::string& raw, const Rows& rows,
                                     const References& references, bool is_task = false);

// Is there a box for a tick, wherever it stands? `is_ticked` says what is in it.
[[nodiscard]] bool has_box(const std::string& raw, bool& is_ticked);

// The character references in it decoded. Named ones: those of entities.cc.
[[nodiscard]] bool read_entity(const std::string& text, std::size_t& at, std::string& decoded);

void add_span(std::vector<Span>& spans, Span span);  // joined with the last if their marks agree

}  // namespace tidemill::docs_stub
