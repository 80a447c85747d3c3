#include "tidemill/formats/tokens/piece_counter.h"

#include <cstring>

#include "tidemill/formats/tokens/vocabulary/perfect_hash.h"

namespace tidemill::tokens {
namespace {

// The masks for 16 bytes, by the size of the piece. A longer piece is masked completely and its
// size is 0, which no key has.
constexpr auto kKept = [] {
  std::array<ShortKey, 17> kept{};
  for (std::size_t size = 1; size <= kShortBytes; ++size) {
    for (std::size_t i = 0; i < size; ++i) {
      (i < 8 ? kept[size].low : kept[size].high) |= std::uint64_t{0xff} << (i % 8 * 8);
    }
  }
  return kept;
}();

ShortKey key_at(const char* text, std::size_t size) {
  const std::size_t held = size & (0 - std::size_t{size <= kShortBytes});
  return {.low = load64(text) & kKept.data()[held].low,
          .high = (load64(text + 8) & kKept.data()[held].high) | std::uint64_t{held} << 56U};
}

}  // namespace

PieceCounter::PieceCounter(const Vocabulary& vocabulary)
    : encoder_(vocabulary),
      short_ones_(std::size_t{1} << kShortBits, ShortKey{.low = 1}),  // not the key of any piece
      long_ones_(std::size_t{1} << kLongBits) {}

std::uint64_t PieceCounter::count(std::string_view piece) {
  if (piece.empty()) return 0;
  const bool is_token = piece.size() <= kShortBytes ? vocabulary().has(short_key(piece))
                                                    : vocabulary().has_long(piece);
  return is_token ? 1 : encoder_.count(piece);
}

void PieceCounter::remember(std::string_view piece, std::uint64_t count) {
  if (piece.size() <= kShortBytes) {
    remember(key_at(piece.data(), piece.size()), count);
  } else if (piece.size() <= kMiddleBytes) {
    RememberedLong& place = place_of(piece);
    std::memcpy(place.bytes.data(), piece.data(), piece.size());
    place.size = static_cast<std::uint8_t>(piece.size());
    place.count = count;
  }
}

// Three loops over fewer and fewer pieces. Within a loop, the pieces do not depend on each other.
std::uint64_t PieceCounter::count_all(const char* text, std::span<const std::uint32_t> begins) {
  const std::uint64_t remembered = count_remembered(text, begins.data(), begins.size() - 1);
  const std::uint64_t tokens = count_tokens(text, begins.data());
  return remembered + tokens + count_hard_ones();
}

// Nothing in this loop branches on the text.
std::uint64_t PieceCounter::count_remembered(const char* text, const std::uint32_t* begin,
                                             std::size_t pieces) {
  constexpr std::uint64_t kKeyMask = (std::uint64_t{1} << kCountShift) - 1;
  if (missed_.size() <= pieces) missed_.resize(pieces + 1);
  std::uint32_t* const missed = missed_.data();
  const ShortKey* const known = short_ones_.data();
  std::size_t misses = 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    const ShortKey key = key_at(text + begin[i], begin[i + 1] - begin[i]);
    const ShortKey seen = known[place_of(key)];
    const std::uint64_t difference = (seen.low ^ key.low) | ((seen.high ^ key.high) & kKeyMask);
    const auto is_missed = static_cast<std::uint64_t>(difference != 0);
    missed[misses] = static_cast<std::uint32_t>(i);
    misses += is_missed;
    count += seen.high >> kCountShift & (is_missed - 1);
  }
  misses_ = misses;
  return count;
}

// Counts the missed pieces that are tokens of the vocabulary, after prefetching the slots of all of
// them. The others are left for the encoder.
std::uint64_t PieceCounter::count_tokens(const char* text, const std::uint32_t* begin) {
  slots_.clear();
  for (const std::uint32_t i : std::span(missed_).first(misses_)) {
    slots_.push_back(vocabulary().slot_for(key_at(text + begin[i], begin[i + 1] - begin[i])));
    __builtin_prefetch(slots_.back());
  }
  hard_ones_.clear();
  std::uint64_t count = 0;
  for (std::size_t m = 0; m < misses_; ++m) {
    const std::uint32_t i = missed_[m];
    const std::string_view piece(text + begin[i], begin[i + 1] - begin[i]);
    const ShortKey key = key_at(piece.data(), piece.size());
    std::uint64_t found = 0;
    if (piece.size() <= kShortBytes) {
      found = *slots_[m] == key ? 1 : 0;
      if (found != 0) remember(key, 1);
    } else {
      const RememberedLong& place = place_of(piece);
      if (std::string_view(place.bytes.data(), place.size) == piece) {
        found = place.count;
      } else if (vocabulary().has_long(piece)) {
        found = 1;
        remember(piece, 1);
      }
    }
    if (found == 0) hard_ones_.push_back(piece);
    count += found;
  }
  return count;
}

std::uint64_t PieceCounter::count_hard_ones() {
  counts_.resize(hard_ones_.size());
  encoder_.count(hard_ones_, counts_);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < hard_ones_.size(); ++i) {
    remember(hard_ones_[i], counts_[i]);
    count += counts_[i];
  }
  return count;
}

}  // namespace tidemill::tokens
