// Finds the pieces of a text, many per call. Nothing here can fail.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidemill/formats/tokens/split.h"

namespace tidemill::tokens {

// Piece i is from begins[i] to begins[i + 1]; there are `count` of them.
struct Pieces {
  static constexpr std::size_t kMost = 4096;
  std::array<std::uint32_t, kMost + 72> begins;
  std::size_t count = 0;
};

// Continues at `at`, the beginning of a piece; returns the end of the last piece found. Finds none
// at the end of the text, or if the end of the first piece is uncertain (see piece_end). 64 bytes
// after the text must be readable.
using FindPieces = std::size_t (*)(std::string_view text, std::size_t at, bool is_whole,
                                   Pieces& pieces);

[[nodiscard]] FindPieces finder_of(SplitRules rules);

}  // namespace tidemill::tokens
