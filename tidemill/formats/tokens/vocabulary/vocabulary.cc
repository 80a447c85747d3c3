#include "tidemill/formats/tokens/vocabulary/vocabulary.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/tokens/vocabulary/image_checksum.h"

namespace tidemill::tokens {
namespace {

std::unexpected<Failure> no_table(const std::string& name, const std::string& why) {
  return fail(Cure::give_up, "tokenizer", name + ": " + why);
}

std::unexpected<Failure> no_file(const std::string& path, int error) {
  auto failure = no_table(path, std::strerror(error));  // NOLINT(concurrency-mt-unsafe): glibc's is
  failure.error().hint =
      "reinstall tidemill, which includes the token tables, or set TIDEMILL_TOKENS";
  return failure;
}

bool is_power_of_two(std::uint64_t n) { return std::has_single_bit(n); }

}  // namespace

void UnmapImage::operator()(const char* bytes) const {
  ::munmap(const_cast<char*>(bytes), size);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

Result<Vocabulary> Vocabulary::open(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat seen{};
  if (!file.is_open() || ::fstat(file.number(), &seen) != 0) return no_file(path, errno);
  const auto size = static_cast<std::size_t>(seen.st_size);
  if (!S_ISREG(seen.st_mode) || size < sizeof(ImageHeader))
    return no_table(path, "not a token table");
  void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file.number(), 0);
  if (bytes == MAP_FAILED) return no_file(path, errno);
  std::unique_ptr<const char, UnmapImage> mapped(static_cast<const char*>(bytes), UnmapImage{size});
  LET(Vocabulary vocabulary, over({mapped.get(), size}, path));
  vocabulary.mapped_ = std::move(mapped);
  return vocabulary;
}

Result<Vocabulary> Vocabulary::of_image(std::string image) {
  auto kept = std::make_unique<std::string>(std::move(image));
  LET(Vocabulary vocabulary, over(*kept, "image"));
  vocabulary.image_ = std::move(kept);
  return vocabulary;
}

Result<Vocabulary> Vocabulary::over(std::string_view image, const std::string& name) {
  if (image.size() < sizeof(ImageHeader)) return no_table(name, "not a token table");
  Vocabulary vocabulary;
  vocabulary.base_ = image.data();
  const ImageHeader& header = vocabulary.header();
  if (std::string_view(header.magic.data(), header.magic.size()) != kImageMagic) {
    return no_table(name, "not a token table");
  }
  if (header.byte_order != kByteOrder || header.version != kImageVersion) {
    return no_table(name, "a token table of another version or machine type");
  }
  if (header.size != image.size()) return no_table(name, "the token table is truncated");
  if (header.checksum != checksum_of_image(image) || !vocabulary.has_valid_header(image)) {
    return no_table(name, "the token table is damaged");
  }
  vocabulary.find_sections();
  return vocabulary;
}

// Checks that every section is inside the image and that their sizes are consistent. The contents
// are not checked: the checksum shows that they are unchanged.
bool Vocabulary::has_valid_header(std::string_view image) const {
  const ImageHeader& h = header();
  for (std::size_t i = 0; i < h.begins.size(); ++i) {
    if (h.begins[i] % 64 != 0 || h.begins[i] > image.size()) return false;
    if (h.sizes[i] > image.size() - h.begins[i]) return false;
  }
  const auto count = [&](Section which, std::size_t entry) { return entries(which, entry); };
  return h.tokens >= 256 && h.tokens <= kMaxTokens && h.longest >= 1 &&
         h.longest <= kMaxTokenBytes && is_power_of_two(count(Section::pilots, 1)) &&
         is_power_of_two(count(Section::slots, sizeof(ShortKey))) &&
         count(Section::slots, sizeof(ShortKey)) >= 256 && count(Section::pilots, 1) >= 2 &&
         is_power_of_two(count(Section::long_slots, sizeof(LongKey))) &&
         is_power_of_two(count(Section::pairs, 8)) && count(Section::pairs, 8) >= 256 &&
         is_power_of_two(count(Section::pair_pilots, 1)) && count(Section::pair_pilots, 1) >= 2 &&

         count(Section::byte_pairs, 4) == 65536 && count(Section::trie_starts, 4) == 65536 &&
         count(Section::splits, 8) == h.tokens && count(Section::prefixes, 4) == h.tokens &&
         count(Section::lengths, 2) == h.tokens && count(Section::trie, 8) >= 1;
}

void Vocabulary::find_sections() {
  seed_ = header().seed;
  pilots_ = section<std::uint8_t>(Section::pilots);
  pilot_mask_ = entries(Section::pilots, 1) - 1;
  slots_ = section<ShortKey>(Section::slots);
  slot_mask_ = entries(Section::slots, sizeof(ShortKey)) - 1;
  long_slots_ = section<LongKey>(Section::long_slots);
  long_mask_ = entries(Section::long_slots, sizeof(LongKey)) - 1;
  long_bytes_ = section<char>(Section::long_bytes);
  byte_pairs_ = section<TokenId>(Section::byte_pairs);
  pair_seed_ = header().pair_seed;
  pair_pilots_ = section<std::uint8_t>(Section::pair_pilots);
  pair_pilot_mask_ = entries(Section::pair_pilots, 1) - 1;
  pairs_ = section<std::uint64_t>(Section::pairs);
  pair_mask_ = entries(Section::pairs, 8) - 1;
  splits_ = section<TokenId>(Section::splits);
  prefixes_ = section<TokenId>(Section::prefixes);
  lengths_ = section<std::uint16_t>(Section::lengths);
  trie_starts_ = section<std::uint32_t>(Section::trie_starts);
  trie_ = section<TrieNode>(Section::trie);
}

bool Vocabulary::has_long(std::string_view piece) const {
  if (piece.size() > longest()) return false;
  for (std::size_t at = hash_of(piece) & long_mask_;; at = (at + 1) & long_mask_) {
    const LongKey key = long_slots_[at];
    if (key.length == 0) return false;
    if (std::string_view(long_bytes_ + key.begin, key.length) == piece) return true;
  }
}

// Undoes the merges of both, the latest first: if the seam itself could have been merged before one
// of the merges that made the two tokens, they would never have been adjacent. Which of the two is
// undone next is unpredictable, so there is no branch for it.
bool Vocabulary::may_follow(TokenId left, TokenId right) const {
  TokenId limit = kNoMerge;
  for (;;) {
    if (merged(left, right) < limit) return false;
    const auto is_left = static_cast<TokenId>(left > right);
    const TokenId later = is_left != 0 ? left : right;
    if (later < 256) return true;  // a byte was never merged
    const TokenId part = splits_[2 * std::size_t{later} + is_left];
    limit = later + (1 - is_left);
    const TokenId keep = 0 - is_left;  // all bits set if the left one is undone
    left = (part & keep) | (left & ~keep);
    right = (part & ~keep) | (right & keep);
  }
}

}  // namespace tidemill::tokens
