// Counts the pages of a PDF with its own walk over the page tree: without recursion, and entering
// each node once. For this folder only.
#pragma once

#include <cstdint>

class QPDF;

namespace tidemill::pdf {

struct PageWalk {
  std::uint32_t pages = 0;
  bool has_loop = false;       // a node is its own ancestor, or is in the tree twice
  bool has_strangers = false;  // children that are not dictionaries
  bool is_too_deep = false;    // libqpdf would recurse too deep: do not let it walk the tree
};

// May throw any exception of libqpdf.
[[nodiscard]] PageWalk walk_pages(QPDF& pdf);

}  // namespace tidemill::pdf
