// Counts the pages of a PDF by a walk over the page tree of our own: no recursion, and a node is
// entered once. For this folder only.
#pragma once

#include <cstdint>

class QPDF;

namespace tidemill::pdf {

struct PageWalk {
  std::uint32_t pages = 0;
  bool has_loop = false;       // a node is its own ancestor, or stands in the tree twice
  bool has_strangers = false;  // what is neither a page nor a node with kids
  bool is_too_deep = false;    // libqpdf walks by recursion: better not
};

// May throw what libqpdf throws.
[[nodiscard]] PageWalk walk_pages(QPDF& pdf);

}  // namespace tidemill::pdf
