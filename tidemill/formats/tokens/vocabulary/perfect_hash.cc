#include "tidemill/formats/tokens/vocabulary/perfect_hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

namespace tidemill::tokens {
namespace {

struct Hashed {
  std::uint64_t hash = 0;
  std::uint32_t key = 0;  // its index, plus one
};

class Maker {
 public:
  Maker(std::vector<Hashed> keys, unsigned slot_bits, std::uint64_t seed)
      : hashed_(std::move(keys)) {
    made_.seed = seed;
    made_.pilots.resize(std::size_t{1} << (slot_bits - 2));
    made_.slots.resize(std::size_t{1} << slot_bits);
    std::ranges::sort(hashed_, {}, [&](const Hashed& key) { return bucket_of(key); });
  }

  std::optional<PerfectHash> make() {
    auto buckets = split();
    std::ranges::sort(buckets, [](const auto& a, const auto& b) {
      return a.size() != b.size() ? a.size() > b.size() : a.data() < b.data();
    });
    for (const auto bucket : buckets) {
      if (!place(bucket)) return std::nullopt;
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::size_t bucket_of(const Hashed& key) const {
    return pilot_of(key.hash, made_.pilots.size() - 1);
  }

  [[nodiscard]] std::vector<std::span<const Hashed>> split() const {
    std::vector<std::span<const Hashed>> buckets;
    for (std::size_t from = 0; from < hashed_.size();) {
      std::size_t end = from;
      while (end < hashed_.size() && bucket_of(hashed_[end]) == bucket_of(hashed_[from])) ++end;
      buckets.push_back(std::span(hashed_).subspan(from, end - from));
      from = end;
    }
    return buckets;
  }

  bool place(std::span<const Hashed> bucket) {
    for (unsigned trial = 0; trial < 256; ++trial) {
      const auto pilot = static_cast<std::uint8_t>(trial);
      std::size_t placed = 0;
      for (const Hashed& key : bucket) {
        std::uint32_t& slot = made_.slots[slot_of(key.hash, pilot, made_.slots.size() - 1)];
        if (slot != 0) break;
        slot = key.key;
        ++placed;
      }
      if (placed == bucket.size()) {
        made_.pilots[bucket_of(bucket[0])] = pilot;
        return true;
      }
      for (const Hashed& key : bucket.first(placed)) {
        made_.slots[slot_of(key.hash, pilot, made_.slots.size() - 1)] = 0;
      }
    }
    return false;
  }

  std::vector<Hashed> hashed_;
  PerfectHash made_{};
};

}  // namespace

ShortKey short_key(std::string_view piece) {
  std::array<char, 16> bytes{};
  std::memcpy(bytes.data(), piece.data(), piece.size());
  bytes[15] = static_cast<char>(piece.size());
  return {.low = load64(bytes.data()), .high = load64(bytes.data() + 8)};
}

Result<PerfectHash> PerfectHash::of(std::size_t keys, const Hash& hash) {
  // At most four fifths full; otherwise there are too few free slots to choose from.
  auto slot_bits = static_cast<unsigned>(std::bit_width(keys * 5 / 4 + 255));
  for (std::uint64_t attempt = 1; attempt <= 64; ++attempt) {
    if (attempt % 16 == 0) ++slot_bits;
    const std::uint64_t seed = (attempt * 0xd1342543de82ef95U) | 1U;
    std::vector<Hashed> hashed(keys);
    for (std::uint32_t i = 0; i < keys; ++i) hashed[i] = {.hash = hash(i, seed), .key = i + 1};
    if (auto made = Maker(std::move(hashed), slot_bits, seed).make()) return std::move(*made);
  }
  return fail(Cure::give_up, "tokenizer", "vocabulary: no perfect hash was found");
}

}  // namespace tidemill::tokens
