#include "tidemill/formats/tokens/piece_finder.h"

#include <algorithm>
#include <bit>

#include "tidemill/formats/tokens/ascii_block.h"
#include "tidemill/formats/tokens/vocabulary/image_layout.h"

namespace tidemill::tokens {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080U;

template <SplitRules Pattern>
std::size_t find_pieces(std::string_view text, std::size_t at, bool is_whole, Pieces& pieces) {
  std::uint32_t* next = pieces.begins.data();
  std::uint32_t* const last = next + Pieces::kMost;
  while (at < text.size() && next < last) {
    // Text that is not ASCII is split piece by piece.
    std::uint64_t starts = 1;
    if ((load64(text.data() + at) & kHighBits) == 0) {
      starts =
          starts_in_block<Pattern>(text.data() + at, std::min<std::size_t>(64, text.size() - at));
    }
    if (starts == 1) {
      const std::size_t end = piece_end(Pattern, text, at, is_whole);
      if (end == kUncertain) break;
      *next++ = static_cast<std::uint32_t>(at);
      at = end;
      continue;
    }
    const auto from = static_cast<std::uint32_t>(at);
    at += 63 - static_cast<std::size_t>(std::countl_zero(starts));
    starts &= starts - 1;
    *next++ = from;
    do {
      *next++ = from + static_cast<std::uint32_t>(std::countr_zero(starts));
      starts &= starts - 1;
    } while (starts != 0);
    --next;  // the last start is the first one of the next block
  }
  *next = static_cast<std::uint32_t>(at);
  pieces.count = static_cast<std::size_t>(next - pieces.begins.data());
  return at;
}

}  // namespace

FindPieces finder_of(SplitRules rules) {
  switch (rules) {
    case SplitRules::cl100k:
      return find_pieces<SplitRules::cl100k>;
    case SplitRules::qwen:
      return find_pieces<SplitRules::qwen>;
    case SplitRules::o200k:
      break;
  }
  return find_pieces<SplitRules::o200k>;
}

}  // namespace tidemill::tokens
