#include "tidemill/io/hash/algorithm.h"

#include <algorithm>

#include "tidemill/base/hex.h"

namespace tidemill::hash {
namespace {

struct Known {
  Algorithm algorithm;
  std::string_view name;
  std::size_t width;
};

constexpr std::array kKnown{
    Known{.algorithm = Algorithm::xxh3, .name = "xxh3", .width = 16},
    Known{.algorithm = Algorithm::sha256, .name = "sha256", .width = 32},
    Known{.algorithm = Algorithm::sha512, .name = "sha512", .width = 64},
    Known{.algorithm = Algorithm::sha3_256, .name = "sha3-256", .width = 32},
    Known{.algorithm = Algorithm::blake2b, .name = "blake2b", .width = 64},
};

const Known* find(Algorithm algorithm) {
  const auto* found = std::ranges::find(kKnown, algorithm, &Known::algorithm);
  return found == kKnown.end() ? nullptr : found;
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  const Known* known = find(algorithm);
  return known == nullptr ? "unknown" : known->name;
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
  const auto* found = std::ranges::find(kKnown, name, &Known::name);
  if (found == kKnown.end()) return std::nullopt;
  return found->algorithm;
}

std::optional<Algorithm> algorithm_numbered(std::int64_t number) {
  const auto* found = std::ranges::find(kKnown, number, [](const Known& known) {
    return static_cast<std::int64_t>(known.algorithm);
  });
  if (found == kKnown.end()) return std::nullopt;
  return found->algorithm;
}

std::size_t width_of(Algorithm algorithm) {
  const Known* known = find(algorithm);
  return known == nullptr ? 0 : known->width;
}

std::string Digest::hex() const { return hex_of(std::span(bytes).first(size)); }

}  // namespace tidemill::hash
