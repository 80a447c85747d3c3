// MergeLane: merges one piece from bytes to tokens, one merge at a time, exactly as BPE is defined:
// first the pair that is earliest in the order of merges, the leftmost if there are several.
//
// Each merge depends on the one before it, and on two lookups in a table that is larger than the
// fast caches of the processor. So an encoder works on several lanes, and a merge has two steps:
// all lanes aim, then all land, so that their memory accesses overlap. Nothing here branches on
// lookup results: sentinels at both ends hold a token that merges with nothing. Nothing here can
// fail.
#pragma once

#include <xmmintrin.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tidemill/formats/tokens/vocabulary/image_layout.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary.h"

namespace tidemill::tokens {

// One thread. Places: 16 or 64; a piece may have as many bytes, minus two for 64.
template <std::size_t Places>
class MergeLane {
 public:
  static constexpr std::size_t kLongest = Places == 64 ? 62 : Places;

  void begin(const Vocabulary& vocabulary, std::string_view piece) {
    const std::size_t size = piece.size();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(piece.data());
    entries_.fill(kNone);
    std::uint32_t* const entries = entries_.data();
    TokenId* const tokens = tokens_.data();
    tokens[0] = kSentinel;
    tokens[1] = bytes[0];
    for (std::size_t i = 1; i < size; ++i) {
      tokens[i + 1] = bytes[i];
      entries[i] = entry(vocabulary.merged_bytes(bytes[i - 1], bytes[i]), i);
    }
    tokens[size + 1] = kSentinel;
    places_ = (std::uint64_t{1} << size << 1U) | ((std::uint64_t{1} << size << 1U) - 1);
    count_ = static_cast<std::uint32_t>(size);
  }

  // Finds the next merge and prefetches its lookups. False: there is none.
  bool aim(const Vocabulary& vocabulary) {
    const std::uint32_t lowest = lowest_entry();
    if (lowest >= kNone) return false;
    const TokenId token = lowest >> kPlaceBits & kSentinel;
    const std::size_t at = lowest & (Places - 1);
    // The next place is removed, so the neighbours change.
    const std::uint64_t from_here = std::uint64_t{1} << at;
    const std::uint64_t behind = places_ & ~(from_here | (from_here - 1));
    const std::uint64_t gone = behind & (~behind + 1);
    const std::uint64_t left = places_ & (from_here - 1);
    places_ ^= gone;
    --count_;
    const auto next = static_cast<std::size_t>(std::countr_zero(behind ^ gone));
    const auto before = static_cast<std::size_t>(63 ^ __builtin_clzll(left));
    TokenId* const tokens = tokens_.data();
    tokens[at] = token;
    // The last place has no entry, because it has no right neighbour.
    entries_.data()[static_cast<std::size_t>(std::countr_zero(gone)) & (Places - 1)] = kNone;
    right_.pair = pack_pair(token, tokens[next]);
    right_.place = at;
    right_.slot = vocabulary.slot_for_pair(right_.pair);
    __builtin_prefetch(right_.slot);
    left_.pair = pack_pair(tokens[before], token);
    left_.place = before;
    left_.slot = vocabulary.slot_for_pair(left_.pair);
    __builtin_prefetch(left_.slot);
    return true;
  }

  void land() {
    entries_.data()[right_.place] =
        entry(Vocabulary::merged_at(right_.slot, right_.pair), right_.place);
    entries_.data()[left_.place] =
        entry(Vocabulary::merged_at(left_.slot, left_.pair), left_.place);
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  static constexpr unsigned kPlaceBits = std::countr_zero(Places);
  static constexpr TokenId kSentinel = kNoMerge - 1;  // merges with nothing
  // An entry is a merge and its place, so that the lowest entry is the next merge. With this bit
  // set, an entry read as a float is a normal number with the same order: the minimum of four
  // floats is one SSE instruction.
  static constexpr std::uint32_t kFloat = std::uint32_t{1} << 28U;
  static constexpr std::uint32_t kNone = kFloat | kNoMerge << kPlaceBits;
  static_assert(kNoMerge << kPlaceBits < kFloat);

  static std::uint32_t entry(TokenId token, std::size_t place) {
    return kFloat | token << kPlaceBits | static_cast<std::uint32_t>(place);
  }

  template <std::size_t Count>
  static __m128 least(const std::uint32_t* entries) {
    if constexpr (Count == 4) {
      return _mm_load_ps(reinterpret_cast<const float*>(entries));
    } else {
      return _mm_min_ps(least<Count / 2>(entries), least<Count / 2>(entries + Count / 2));
    }
  }
  [[nodiscard]] std::uint32_t lowest_entry() const {
    __m128 lowest = least<Places>(entries_.data());
    lowest = _mm_min_ps(lowest, _mm_movehl_ps(lowest, lowest));
    lowest = _mm_min_ss(lowest, _mm_shuffle_ps(lowest, lowest, 1));
    return std::bit_cast<std::uint32_t>(_mm_cvtss_f32(lowest));
  }

  struct Look {
    std::uint64_t pair = 0;
    const std::uint64_t* slot = nullptr;
    std::size_t place = 0;
  };

  alignas(16) std::array<std::uint32_t, Places> entries_;  // entry 0 is before the first byte
  std::array<TokenId, Places + 2> tokens_;
  std::uint64_t places_ = 0;  // a bit for each remaining place
  std::uint32_t count_ = 0;
  Look right_{};
  Look left_{};
};

}  // namespace tidemill::tokens
