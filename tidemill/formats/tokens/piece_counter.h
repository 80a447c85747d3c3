// PieceCounter: counts the tokens of a piece. Texts are repetitive, so the counts of recent pieces
// are cached in a small table: the vocabulary itself is larger than the fast caches of a processor.
// Nothing here can fail.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tidemill/formats/tokens/encoder.h"
#include "tidemill/formats/tokens/vocabulary/image_layout.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary.h"

namespace tidemill::tokens {

// One thread. The vocabulary must outlive the counter.
class PieceCounter {
 public:
  explicit PieceCounter(const Vocabulary& vocabulary);

  // For any bytes; an empty piece has no tokens.
  [[nodiscard]] std::uint64_t count(std::string_view piece);

  // The tokens of many pieces: piece i is from begins[i] to begins[i + 1]. 16 bytes after the last
  // piece must be readable.
  [[nodiscard]] std::uint64_t count_all(const char* text, std::span<const std::uint32_t> begins);

  [[nodiscard]] Encoder& encoder() { return encoder_; }
  [[nodiscard]] const Vocabulary& vocabulary() const { return encoder_.vocabulary(); }

 private:
  static constexpr unsigned kShortBits = 14;
  static constexpr unsigned kLongBits = 10;
  static constexpr std::size_t kMiddleBytes = 47;

  struct RememberedLong {
    std::array<char, kMiddleBytes> bytes{};
    std::uint8_t size = 0;
    std::uint64_t count = 0;
  };

  // Weaker than the vocabulary's hash, but a collision only evicts an entry.
  [[nodiscard]] static std::size_t place_of(ShortKey key) {
    return (key.low * 0xa0761d6478bd642fU + key.high * 0x9e3779b97f4a7c15U) >> (64U - kShortBits);
  }
  [[nodiscard]] RememberedLong& place_of(std::string_view piece) {
    return long_ones_[hash_of(piece) >> (64U - kLongBits)];
  }
  void remember(ShortKey key, std::uint64_t count) {
    short_ones_[place_of(key)] = {.low = key.low, .high = key.high | count << kCountShift};
  }
  void remember(std::string_view piece, std::uint64_t count);  // reads at least 16 bytes

  [[nodiscard]] std::uint64_t count_remembered(const char* text, const std::uint32_t* begin,
                                               std::size_t pieces);
  [[nodiscard]] std::uint64_t count_tokens(const char* text, const std::uint32_t* begin);
  [[nodiscard]] std::uint64_t count_hard_ones();

  static constexpr unsigned kCountShift = 60;

  Encoder encoder_;
  // A key and, in the upper half of its last byte, the count, which is at most the size.
  std::vector<ShortKey> short_ones_;
  std::vector<RememberedLong> long_ones_;

  // The state of one call of count_all().
  std::vector<std::uint32_t> missed_{};  // the pieces not in the cache: the first misses_ entries
  std::size_t misses_ = 0;
  std::vector<const ShortKey*> slots_{};
  std::vector<std::string_view> hard_ones_{};  // the pieces that are not a single token
  std::vector<std::uint32_t> counts_{};
};

}  // namespace tidemill::tokens
