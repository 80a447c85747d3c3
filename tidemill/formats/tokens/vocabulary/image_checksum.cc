#include "tidemill/formats/tokens/vocabulary/image_checksum.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "tidemill/formats/tokens/vocabulary/image_layout.h"

namespace tidemill::tokens {
namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;

// Four independent lanes, because a single one would be bound by latency, not by memory.
std::uint64_t mix(std::string_view bytes, std::uint64_t seed) {
  std::array<std::uint64_t, 4> lanes{seed, seed + 1, seed + 2, seed + 3};
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = std::rotl(lanes[i] ^ load64(bytes.data() + at + 8 * i), 29) * kStep;
    }
  }
  std::array<char, 32> rest{};
  std::memcpy(rest.data(), bytes.data() + at, bytes.size() - at);
  for (std::size_t i = 0; i < 4; ++i) {
    lanes[i] = std::rotl(lanes[i] ^ load64(rest.data() + 8 * i), 29) * kStep;
  }
  const std::uint64_t first = fold(lanes[0] ^ bytes.size(), lanes[1] ^ kStep);
  return fold(first ^ lanes[2], lanes[3] ^ kStep) ^ lanes[2];
}

}  // namespace

std::uint64_t checksum_of_image(std::string_view image) {
  constexpr std::size_t kBegin = offsetof(ImageHeader, checksum);
  constexpr std::size_t kEnd = kBegin + sizeof(std::uint64_t);
  return mix(image.substr(kEnd), mix(image.substr(0, kBegin), 1));
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  while (bytes.size() > 8) {
    hash = fold(hash ^ load64(bytes.data()), kStep);
    bytes.remove_prefix(8);
  }
  std::uint64_t last = 0;
  std::memcpy(&last, bytes.data(), bytes.size());
  return fold(hash ^ last, kStep);
}

}  // namespace tidemill::tokens
