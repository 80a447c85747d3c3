// PerfectHash: a table in which every key has its own slot, so that a lookup is a single
// comparison. The keys of a bucket (about three) share a pilot: a byte, found by trial, with which
// all of them fall on free slots. The largest buckets are placed first. Fails if no seed gives a
// perfect hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/vocabulary/image_layout.h"

namespace tidemill::tokens {

struct PerfectHash {
  std::uint64_t seed = 0;
  std::vector<std::uint8_t> pilots{};
  std::vector<std::uint32_t> slots{};  // the index of its key, plus one; 0: empty

  // `hash(key, seed)` hashes the key with index `key`; the `keys` keys must differ. Seeds are odd.
  using Hash = std::function<std::uint64_t(std::size_t key, std::uint64_t seed)>;
  [[nodiscard]] static Result<PerfectHash> of(std::size_t keys, const Hash& hash);
};

// The key of a piece of 1 to 15 bytes.
[[nodiscard]] ShortKey short_key(std::string_view piece);

}  // namespace tidemill::tokens
