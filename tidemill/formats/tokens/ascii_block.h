// Finds all pieces that begin in up to 64 bytes of ASCII at once: a 64-bit word for each class of
// bytes, and the patterns as sums and shifts of these words.
//
//      text      x = y->zed;\n\n  if (a
//      letters   1...1..111.......11..1
//      starts    1.1.1.1..1....11..1..      bit i: a piece begins at byte i
//
// A block begins where a piece begins, so no state is carried between blocks. Starts that depend on
// bytes after the block, or on bytes that are not ASCII, are omitted: the next block begins at the
// last certain start. Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tidemill/formats/tokens/split.h"

namespace tidemill::tokens {

// Returns the starts that are certain, at least bit 0; a piece ends where the next one begins.
// `text`: 64 readable bytes, of which `known` are text, beginning with a piece.
template <SplitRules Pattern>
[[nodiscard]] std::uint64_t starts_in_block(const char* text, std::size_t known);

}  // namespace tidemill::tokens
