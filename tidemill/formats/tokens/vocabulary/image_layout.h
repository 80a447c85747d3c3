// The layout of a token table: `make_token_table` writes it and Vocabulary maps it.
//
// A header, then the sections that it lists, each aligned to 64 bytes, without pointers: the file
// is used in place. Numbers are in the byte order of the machine that built it. The checksum covers
// the complete file except the checksum itself.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tidemill::tokens {

using TokenId = std::uint32_t;

inline constexpr TokenId kNoToken = ~TokenId{0};
inline constexpr std::size_t kMaxTokenBytes = 1024;
inline constexpr unsigned kTokenBits = 21;
inline constexpr std::size_t kMaxTokens = (std::size_t{1} << kTokenBits) - 1;
inline constexpr TokenId kNoMerge = TokenId{1} << kTokenBits;  // greater than every token
inline constexpr std::size_t kShortBytes = 15;  // a piece up to this long fits a ShortKey

inline constexpr std::string_view kImageMagic = "TIDETOKN";
inline constexpr std::uint32_t kImageVersion = 1;
inline constexpr std::uint32_t kByteOrder = 0x01020304;

enum class Section : std::uint8_t {
  pilots,       // u8: selects the slots for the keys of a bucket
  slots,        // ShortKey: pieces of up to 15 bytes that are one token, by perfect hash
  long_slots,   // LongKey: longer pieces, by open addressing
  long_bytes,   // char: their bytes
  byte_pairs,   // TokenId: the merge of two bytes
  pair_pilots,  // u8: as pilots, for pairs
  pairs,        // u64: the merge of two tokens (pack_pair), by perfect hash
  splits,       // TokenId[2]: the two tokens that a token is merged from; for a byte, itself
  prefixes,     // TokenId: the longest shorter token that a token begins with
  lengths,      // u16: the length of a token in bytes
  trie_starts,  // u32: the node of two bytes, 0: none
  trie,         // u64: nodes (TrieNode)
  count,
};

struct ImageHeader {
  std::array<char, 8> magic{};
  std::uint32_t byte_order = kByteOrder;
  std::uint32_t version = kImageVersion;
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;
  std::uint64_t seed = 0;
  std::uint64_t pair_seed = 0;
  std::uint32_t tokens = 0;
  std::uint32_t longest = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(Section::count)> begins{};
  std::array<std::uint64_t, static_cast<std::size_t>(Section::count)> sizes{};  // in bytes
};

// Up to 15 bytes, padded with zeros, and their number in the last byte.
struct ShortKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const ShortKey&) const = default;
};

struct LongKey {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;  // 0: an empty slot
};

[[nodiscard]] inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

[[nodiscard]] inline std::uint64_t hash_of(ShortKey key, std::uint64_t seed) {
  return fold(key.low ^ seed, key.high ^ 0x9e3779b97f4a7c15U);
}

[[nodiscard]] inline std::uint64_t load64(const char* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

[[nodiscard]] std::uint64_t hash_of(std::string_view bytes);

// The position of a key in a perfect hash: the upper half of its hash selects the pilot; the lower
// half and the pilot select the slot.
[[nodiscard]] inline std::size_t pilot_of(std::uint64_t hash, std::size_t pilot_mask) {
  return hash >> 32U & pilot_mask;
}
[[nodiscard]] inline std::size_t slot_of(std::uint64_t hash, std::uint8_t pilot,
                                         std::size_t slot_mask) {
  return (hash ^ pilot) & slot_mask;
}

[[nodiscard]] constexpr std::uint64_t pack_pair(TokenId left, TokenId right) {
  return std::uint64_t{left} << kTokenBits | right;
}
inline constexpr unsigned kPairBits = 2 * kTokenBits;
inline constexpr std::uint64_t kPairMask = (std::uint64_t{1} << kPairBits) - 1;
inline constexpr std::uint64_t kNoPair = ~std::uint64_t{0};  // its left side is not a valid token

[[nodiscard]] constexpr std::uint64_t hash_of_pair(std::uint64_t pair, std::uint64_t seed) {
  const std::uint64_t product = pair * seed;
  return product ^ product >> 32U;
}

// A node, in bits: label 8, children - 1 8, token + 1 22 (stored in 24), first child 24 (0: no
// children). The children of a node are adjacent.
struct TrieNode {
  std::uint64_t bits = 0;
  [[nodiscard]] unsigned label() const { return static_cast<unsigned>(bits & 0xffU); }
  [[nodiscard]] unsigned children() const { return static_cast<unsigned>(bits >> 8U & 0xffU) + 1; }
  [[nodiscard]] TokenId token() const {  // kNoToken: no token ends here
    return static_cast<TokenId>(bits >> 16U & 0x3fffffU) - 1;
  }
  [[nodiscard]] std::uint32_t first_child() const {
    return static_cast<std::uint32_t>(bits >> 40U);
  }
};
inline constexpr std::size_t kMaxTrieNodes = std::size_t{1} << 24U;

}  // namespace tidemill::tokens
