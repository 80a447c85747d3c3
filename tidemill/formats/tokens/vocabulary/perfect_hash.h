// PerfectHash: a table in which every key has a slot of its own, so that looking one up is a single
// comparison. The keys of a bucket (about three) share a pilot, a byte that is tried out until all
// of them fall on free slots; the largest buckets choose first. Fails when there are too many keys.
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
  std::vector<std::uint32_t> slots{};  // which key is in it, plus one

  // `hash(key, seed)` of `keys` different keys. A seed is odd.
  using Hash = std::function<std::uint64_t(std::size_t key, std::uint64_t seed)>;
  [[nodiscard]] static Result<PerfectHash> of(std::size_t keys, const Hash& hash);
};

// Of a piece of 1 to 15 bytes.
[[nodiscard]] ShortKey short_key(std::string_view piece);

}  // namespace tidemill::tokens
