// Builds the image of a vocabulary: makes each section separately and appends it to the image.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/tokens/vocabulary/image_checksum.h"
#include "tidemill/formats/tokens/vocabulary/image_layout.h"
#include "tidemill/formats/tokens/vocabulary/merge_book.h"
#include "tidemill/formats/tokens/vocabulary/perfect_hash.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary_plan.h"

namespace tidemill::tokens {
namespace {

std::unexpected<Failure> refuse(const char* what) {
  return fail(Cure::give_up, "tokenizer", std::string("vocabulary: ") + what);
}

class Image {
 public:
  Image() : bytes_(sizeof(ImageHeader), '\0') {}

  template <class T>
  void lay(Section which, const std::vector<T>& entries) {
    bytes_.resize((bytes_.size() + 63) / 64 * 64);
    const auto index = static_cast<std::size_t>(which);
    header_.begins[index] = bytes_.size();
    header_.sizes[index] = entries.size() * sizeof(T);
    bytes_.append(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(T));
  }

  [[nodiscard]] ImageHeader& header() { return header_; }

  [[nodiscard]] std::string finish() && {
    bytes_.append(64, '\0');
    std::ranges::copy(kImageMagic, header_.magic.begin());
    header_.size = bytes_.size();
    std::memcpy(bytes_.data(), &header_, sizeof header_);
    header_.checksum = checksum_of_image(bytes_);
    std::memcpy(bytes_.data(), &header_, sizeof header_);
    return std::move(bytes_);
  }

 private:
  ImageHeader header_{};
  std::string bytes_;
};

void lay_long_pieces(std::span<const std::string> pieces, Image& image) {
  std::vector<LongKey> slots(std::bit_ceil(pieces.size() * 2 + 1));
  std::vector<char> bytes;
  for (const std::string& piece : pieces) {
    std::size_t at = hash_of(piece) & (slots.size() - 1);
    while (slots[at].length != 0) at = (at + 1) & (slots.size() - 1);
    slots[at] = {.begin = static_cast<std::uint32_t>(bytes.size()),
                 .length = static_cast<std::uint32_t>(piece.size())};
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  image.lay(Section::long_slots, slots);
  image.lay(Section::long_bytes, bytes);
}

Result<void> lay_pieces(std::vector<std::string> pieces, Image& image) {
  std::ranges::sort(pieces, [](auto& a, auto& b) {
    return std::pair(a.size(), std::string_view(a)) < std::pair(b.size(), std::string_view(b));
  });
  pieces.erase(std::ranges::unique(pieces).begin(), pieces.end());
  const auto first_long = std::ranges::find_if(
      pieces, [](const std::string& piece) { return piece.size() > kShortBytes; });
  const auto short_ones = static_cast<std::size_t>(first_long - pieces.begin());
  LET(const auto hash, PerfectHash::of(short_ones, [&](std::size_t i, std::uint64_t seed) {
        return hash_of(short_key(pieces[i]), seed);
      }));
  std::vector<ShortKey> slots;
  for (const std::uint32_t key : hash.slots) {
    slots.push_back(key == 0 ? ShortKey{} : short_key(pieces[key - 1]));
  }
  image.header().seed = hash.seed;
  image.lay(Section::pilots, hash.pilots);
  image.lay(Section::slots, slots);
  lay_long_pieces(std::span(pieces).subspan(short_ones), image);
  return {};
}

Result<void> lay_merges(const MergeBook& book, Image& image) {
  std::vector<TokenId> byte_pairs(65536, kNoMerge);
  std::vector<std::uint64_t> pairs;  // in the order of tokens, from 256 on
  std::vector<TokenId> splits;
  for (TokenId token = 0; token < book.size(); ++token) {
    const TokenId left = book.left_of(token);
    const TokenId right = book.right_of(token);
    splits.insert(splits.end(), {left, right});
    if (token < 256) continue;
    if (left < 256 && right < 256) byte_pairs[left | right << 8U] = token;
    pairs.push_back(pack_pair(left, right) | std::uint64_t{token} << kPairBits);
  }
  LET(const auto hash, PerfectHash::of(pairs.size(), [&](std::size_t i, std::uint64_t seed) {
        return hash_of_pair(pairs[i] & kPairMask, seed);
      }));
  std::vector<std::uint64_t> slots;
  for (const std::uint32_t key : hash.slots) slots.push_back(key == 0 ? kNoPair : pairs[key - 1]);
  image.header().pair_seed = hash.seed;
  image.lay(Section::byte_pairs, byte_pairs);
  image.lay(Section::pair_pilots, hash.pilots);
  image.lay(Section::pairs, slots);
  image.lay(Section::splits, splits);
  return {};
}

struct Sorted {
  std::string_view bytes{};
  TokenId token = 0;
};

// Builds the trie level by level, so that the children of a node are adjacent. A node is a range of
// the sorted tokens that share their first bytes.
class TrieMaker {
 public:
  explicit TrieMaker(const MergeBook& book) : prefixes_(book.size(), kNoToken) {
    for (TokenId token = 0; token < book.size(); ++token) {
      sorted_.push_back({.bytes = book.bytes_of(token), .token = token});
    }
    std::ranges::sort(sorted_, {}, &Sorted::bytes);
  }

  void make() {
    open_.push_back({.first = 0, .end = sorted_.size(), .depth = 0});
    nodes_.emplace_back();
    for (std::size_t at = 0; at < nodes_.size(); ++at) grow(at);
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      if (open_[at].depth != 2) continue;
      const std::string_view bytes = sorted_[open_[at].first].bytes;
      starts_[static_cast<unsigned char>(bytes[0]) |
              static_cast<unsigned>(static_cast<unsigned char>(bytes[1])) << 8U] =
          static_cast<std::uint32_t>(at);
    }
  }

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  void lay(Image& image) const {
    image.lay(Section::prefixes, prefixes_);
    image.lay(Section::trie_starts, starts_);
    image.lay(Section::trie, nodes_);
  }

 private:
  struct Range {
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t depth = 0;
    TokenId prefix = kNoToken;  // the longest token on the path to it
  };

  void grow(std::size_t at) {
    Range range = open_[at];
    std::uint64_t bits = nodes_[at].bits;
    if (sorted_[range.first].bytes.size() == range.depth) {
      const TokenId token = sorted_[range.first++].token;
      prefixes_[token] = range.prefix;
      range.prefix = token;
      bits |= (std::uint64_t{token} + 1) << 16U;
    }
    if (range.first < range.end) {
      bits |= std::uint64_t{nodes_.size()} << 40U;
      const std::size_t before = nodes_.size();
      for (std::size_t from = range.first; from < range.end;) from = add_child(range, from);
      bits |= std::uint64_t{nodes_.size() - before - 1} << 8U;
    }
    nodes_[at].bits = bits;
  }

  std::size_t add_child(const Range& range, std::size_t from) {
    const auto label = static_cast<unsigned char>(sorted_[from].bytes[range.depth]);
    std::size_t end = from;
    while (end < range.end &&
           static_cast<unsigned char>(sorted_[end].bytes[range.depth]) == label) {
      ++end;
    }
    nodes_.push_back({.bits = label});
    open_.push_back({.first = from, .end = end, .depth = range.depth + 1, .prefix = range.prefix});
    return end;
  }

  std::vector<Sorted> sorted_{};
  std::vector<TokenId> prefixes_;
  std::vector<Range> open_{};  // the range of every node
  std::vector<TrieNode> nodes_{};
  std::vector<std::uint32_t> starts_ = std::vector<std::uint32_t>(65536, 0);
};

Result<MergeBook> book_of(const VocabularyPlan& plan) {
  MergeBook book;
  for (const Merge& merge : plan.merges) {
    if (!book.has(merge.left) || !book.has(merge.right)) {
      return refuse("a merge joins something that is not a token");
    }
    book.add(merge);
  }
  return book;
}

}  // namespace

Result<std::string> image_of(const VocabularyPlan& plan) {
  LET(const MergeBook book, book_of(plan));
  if (book.size() >= kMaxTokens) return refuse("too many tokens");
  Image image;
  image.header().tokens = static_cast<std::uint32_t>(book.size());
  std::vector<std::string> pieces = plan.whole_pieces;
  std::vector<std::uint16_t> lengths;
  for (TokenId token = 0; token < book.size(); ++token) {
    pieces.push_back(book.bytes_of(token));
    lengths.push_back(static_cast<std::uint16_t>(book.bytes_of(token).size()));
  }
  std::erase_if(pieces, [](const std::string& piece) { return piece.empty(); });
  const std::size_t longest = std::ranges::max(pieces, {}, &std::string::size).size();
  if (longest > kMaxTokenBytes) return refuse("a token is too long");
  image.header().longest = static_cast<std::uint32_t>(longest);
  TRY(lay_pieces(std::move(pieces), image));
  TRY(lay_merges(book, image));
  image.lay(Section::lengths, lengths);
  TrieMaker trie(book);
  trie.make();
  if (trie.size() > kMaxTrieNodes) return refuse("too many bytes");
  trie.lay(image);
  return std::move(image).finish();
}

}  // namespace tidemill::tokens
