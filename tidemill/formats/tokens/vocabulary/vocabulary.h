// Vocabulary: the tokens of a model, ready to be asked. Either the file of a table, mapped where it
// lies (so it costs nothing to open and processes share it), or an image in memory.
//
// Opening fails (step "tokenizer") when the file is missing, of another version or byte order, cut
// short or damaged: a checksum over all of it is looked at first. After that nothing can fail.
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

// Immutable: any number of threads may ask it.
class Vocabulary {
 public:
  [[nodiscard]] static Result<Vocabulary> open(const std::string& path);
  [[nodiscard]] static Result<Vocabulary> of_image(std::string image);

  // Stands for the contents.
  [[nodiscard]] std::uint64_t checksum() const { return header().checksum; }
  [[nodiscard]] std::size_t size() const { return header().tokens; }
  [[nodiscard]] std::size_t longest() const { return header().longest; }

  // Is a piece of 1 to 15 bytes one token as it stands?
  [[nodiscard]] bool has(ShortKey key) const { return *slot_for(key) == key; }
  // Where it would be, for those who want to have it fetched before they ask.
  [[nodiscard]] const ShortKey* slot_for(ShortKey key) const {
    const std::uint64_t hash = hash_of(key, seed_);
    return slots_ + slot_of(hash, pilots_[pilot_of(hash, pilot_mask_)], slot_mask_);
  }
  // The same for a longer one.
  [[nodiscard]] bool has_long(std::string_view piece) const;

  // What the two merge to; kNoMerge when they do not.
  [[nodiscard]] TokenId merged(TokenId left, TokenId right) const {
    const std::uint64_t pair = pack_pair(left, right);
    return merged_at(slot_for_pair(pair), pair);
  }
  // The same in two steps, for those who want to have the slot fetched before they ask.
  [[nodiscard]] const std::uint64_t* slot_for_pair(std::uint64_t pair) const {
    const std::uint64_t hash = hash_of_pair(pair, pair_seed_);
    return pairs_ + slot_of(hash, pair_pilots_[pilot_of(hash, pair_pilot_mask_)], pair_mask_);
  }
  [[nodiscard]] static TokenId merged_at(const std::uint64_t* slot, std::uint64_t pair) {
    // Without a branch: whether two merge cannot be guessed.
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

  // May `right` follow `left`? Exactly when the bytes of both, encoded together, are these two.
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
  [[nodiscard]] bool has_sound_header(std::string_view image) const;
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
