// Vocabulary: the tokens of a model, ready for lookups. Either a mapped table file (opening it does
// not copy it, and processes share it) or an image in memory.
//
// Opening fails (step "tokenizer") if the file is missing, of another version or byte order,
// truncated or damaged: the checksum of the complete file is verified. After that nothing can fail.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/vocabulary/image_layout.h"

namespace tidemill::tokens {

struct UnmapImage {
  std::size_t size = 0;
  void operator()(const char* bytes) const;
};

// Immutable: any number of threads may use it.
class Vocabulary {
 public:
  [[nodiscard]] static Result<Vocabulary> open(const std::string& path);
  [[nodiscard]] static Result<Vocabulary> of_image(std::string image);

  // Identifies the contents.
  [[nodiscard]] std::uint64_t checksum() const { return header().checksum; }
  [[nodiscard]] std::size_t size() const { return header().tokens; }
  [[nodiscard]] std::size_t longest() const { return header().longest; }

  // Whether a piece of 1 to 15 bytes is one token without merging.
  [[nodiscard]] bool has(ShortKey key) const { return *slot_for(key) == key; }
  // The slot where the key would be, for prefetching.
  [[nodiscard]] const ShortKey* slot_for(ShortKey key) const {
    const std::uint64_t hash = hash_of(key, seed_);
    return slots_ + slot_of(hash, pilots_[pilot_of(hash, pilot_mask_)], slot_mask_);
  }
  // has() for a longer piece.
  [[nodiscard]] bool has_long(std::string_view piece) const;

  // The token that the two merge to; kNoMerge: they do not merge.
  [[nodiscard]] TokenId merged(TokenId left, TokenId right) const {
    const std::uint64_t pair = pack_pair(left, right);
    return merged_at(slot_for_pair(pair), pair);
  }
  // merged() in two steps, for prefetching the slot.
  [[nodiscard]] const std::uint64_t* slot_for_pair(std::uint64_t pair) const {
    const std::uint64_t hash = hash_of_pair(pair, pair_seed_);
    return pairs_ + slot_of(hash, pair_pilots_[pilot_of(hash, pair_pilot_mask_)], pair_mask_);
  }
  [[nodiscard]] static TokenId merged_at(const std::uint64_t* slot, std::uint64_t pair) {
    // Without a branch: whether two tokens merge is unpredictable.
    const std::uint64_t seen = *slot;
    const auto differ = static_cast<TokenId>(((seen ^ pair) & kPairMask) != 0);
    return (static_cast<TokenId>(seen >> kPairBits) & (differ - 1)) | differ << kTokenBits;
  }
  [[nodiscard]] TokenId merged_bytes(unsigned char left, unsigned char right) const {
    return byte_pairs_[left | static_cast<unsigned>(right) << 8U];
  }

  [[nodiscard]] TokenId left_of(TokenId token) const { return splits_[std::size_t{2} * token]; }
  [[nodiscard]] TokenId right_of(TokenId token) const {
    return splits_[std::size_t{2} * token + 1];
  }
  [[nodiscard]] TokenId prefix_of(TokenId token) const { return prefixes_[token]; }
  [[nodiscard]] std::size_t length_of(TokenId token) const { return lengths_[token]; }

  // Whether the bytes of both, encoded together, are exactly these two tokens.
  [[nodiscard]] bool may_follow(TokenId left, TokenId right) const;

  // Calls `found(token, length)` for every token that `text` begins with, the shortest first.
  template <class Found>
  void tokens_at(std::string_view text, Found found) const;
  [[nodiscard]] TokenId longest_at(std::string_view text) const {
    TokenId longest = kNoToken;
    tokens_at(text, [&](TokenId token, std::size_t) { longest = token; });
    return longest;
  }

 private:
  Vocabulary() = default;
  [[nodiscard]] static Result<Vocabulary> over(std::string_view image, const std::string& name);
  [[nodiscard]] bool has_valid_header(std::string_view image) const;
  void find_sections();
  [[nodiscard]] const ImageHeader& header() const {
    return *reinterpret_cast<const ImageHeader*>(base_);
  }
  template <class T>
  [[nodiscard]] const T* section(Section which) const {
    return reinterpret_cast<const T*>(base_ + header().begins[static_cast<std::size_t>(which)]);
  }
  [[nodiscard]] std::size_t entries(Section which, std::size_t entry) const {
    return header().sizes[static_cast<std::size_t>(which)] / entry;
  }

  std::unique_ptr<const char, UnmapImage> mapped_{};
  std::unique_ptr<std::string> image_{};
  const char* base_ = nullptr;

  std::uint64_t seed_ = 0;
  const std::uint8_t* pilots_ = nullptr;
  std::size_t pilot_mask_ = 0;
  std::size_t slot_mask_ = 0;
  const ShortKey* slots_ = nullptr;
  const LongKey* long_slots_ = nullptr;
  const char* long_bytes_ = nullptr;
  std::size_t long_mask_ = 0;
  const TokenId* byte_pairs_ = nullptr;
  std::uint64_t pair_seed_ = 0;
  const std::uint8_t* pair_pilots_ = nullptr;
  std::size_t pair_pilot_mask_ = 0;
  const std::uint64_t* pairs_ = nullptr;
  std::size_t pair_mask_ = 0;
  const TokenId* splits_ = nullptr;
  const TokenId* prefixes_ = nullptr;
  const std::uint16_t* lengths_ = nullptr;
  const std::uint32_t* trie_starts_ = nullptr;
  const TrieNode* trie_ = nullptr;
};

template <class Found>
void Vocabulary::tokens_at(std::string_view text, Found found) const {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  found(TokenId{byte(0)}, std::size_t{1});
  if (text.size() < 2) return;
  std::uint32_t at = trie_starts_[byte(0) | static_cast<unsigned>(byte(1)) << 8U];
  if (at == 0) return;
  for (std::size_t depth = 2;; ++depth) {
    const TrieNode node = trie_[at];
    if (node.token() != kNoToken) found(node.token(), depth);
    if (depth == text.size() || node.first_child() == 0) return;
    const std::uint32_t end = node.first_child() + node.children();
    for (at = node.first_child(); at < end && trie_[at].label() != byte(depth);) ++at;
    if (at == end) return;
  }
}

}  // namespace tidemill::tokens
