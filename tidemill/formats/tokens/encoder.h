// Encoder: counts the tokens that the bytes of a piece are merged to.
//
// Two algorithms with the same result. Short pieces are merged as BPE is defined (merge_lane.h).
// For long pieces that would take quadratic time, so they are encoded from left to right: a
// sequence of tokens is the encoding of its bytes exactly when each token may follow the one before
// it. So the longest token that may come next is taken, and dropped again if it leads to a dead
// end. Dead ends are remembered, so the time is linear. (The idea comes from github/rust-gems,
// crate `bpe`.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tidemill/formats/tokens/vocabulary/merge_lane.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary.h"

namespace tidemill::tokens {

// One thread. Keeps the memory that its longest piece needed.
class Encoder {
 public:
  explicit Encoder(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}

  // Counts the tokens of pieces, which must not be empty. Several in one call are faster than one
  // call each.
  void count(std::span<const std::string_view> pieces, std::span<std::uint32_t> counts);
  [[nodiscard]] std::uint32_t count(std::string_view piece) {
    std::uint32_t count = 0;
    this->count({&piece, 1}, {&count, 1});
    return count;
  }

  // The tokens of a piece; valid until the next call.
  [[nodiscard]] std::span<const TokenId> encode(std::string_view piece);

  [[nodiscard]] const Vocabulary& vocabulary() const { return *vocabulary_; }
  // The number of tokens that encode() has tried in total: it must stay linear.
  [[nodiscard]] std::uint64_t tries() const { return tries_; }

 private:
  static constexpr std::size_t kLanes = 8;

  template <std::size_t Places>
  void merge(std::array<MergeLane<Places>, kLanes>& lanes, std::span<const std::string_view> pieces,
             std::size_t shorter, std::span<std::uint32_t> counts);
  [[nodiscard]] TokenId fitting(std::string_view rest, std::size_t at, TokenId last);
  [[nodiscard]] bool repeats(std::string_view piece, std::size_t at, TokenId last) const;
  [[nodiscard]] std::size_t length_of(TokenId token) const { return vocabulary_->length_of(token); }
  [[nodiscard]] bool may_end(std::size_t place) const {
    return (dead_ends_[place / 64] >> (place % 64) & 1U) == 0;
  }

  const Vocabulary* vocabulary_;
  std::array<MergeLane<16>, kLanes> short_lanes_;
  std::array<MergeLane<64>, kLanes> long_lanes_;
  std::vector<TokenId> tokens_{};
  std::vector<std::uint64_t> dead_ends_{};  // one bit per position
  std::uint64_t tries_ = 0;
};

}  // namespace tidemill::tokens
