// Finds the pieces of a text, many at a time. Nothing here can fail.
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

// Goes on at `at`, the begin of a piece; says where the last piece that it found ends. None are
// found when the text is over or the first one is not certain, as piece_end has it. 64 bytes behind
// the text can be read.
using FindPieces = std::size_t (*)(std::string_view text, std::size_t at, bool is_whole,
                                   Pieces& pieces);

[[nodiscard]] FindPieces finder_of(Rules rules);

}  // namespace tidemill::tokens
