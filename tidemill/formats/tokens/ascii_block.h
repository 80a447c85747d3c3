// Where pieces begin in up to 64 bytes of ASCII, all at once: a word of 64 bits for each class of
// bytes, and the patterns as sums and shifts of these words.
//
//      text      x = y->zed;\n\n  if (a
//      letters   1...1..111.......11..1
//      starts    1.1.1.1..1....11..1..      bit i: a piece begins at byte i
//
// A block begins where a piece does, so nothing is carried from one to the next. What is decided by
// bytes behind the block, or by bytes that are no ASCII, is left out: the last start that is
// certain is where the next block begins. Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tidemill/formats/tokens/split.h"

namespace tidemill::tokens {

// The starts that are certain, at least bit 0; a piece ends where the next one begins. `text`: 64
// bytes that can be read, of which `known` are text, at the begin of a piece.
template <Rules Pattern>
[[nodiscard]] std::uint64_t starts_in_block(const char* text, std::size_t known);

}  // namespace tidemill::tokens
