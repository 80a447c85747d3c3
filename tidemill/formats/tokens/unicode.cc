#include "tidemill/formats/tokens/unicode.h"

#include <array>
#include <cstddef>

namespace tidemill::tokens {
namespace {

#include "tidemill/formats/tokens/unicode_tables.inc"

constexpr std::size_t kBlock = 128;
constexpr std::size_t kCodePoints = 0x110000;

constexpr auto kKinds = [] {
  std::array<Kinds, kBlocks.size()> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto digit = static_cast<unsigned>(kBlocks[i] - '0');
    kinds[i] = digit == 0 ? Kinds{0} : static_cast<Kinds>(1U << (digit - 1));
  }
  return kinds;
}();

constexpr auto kBlockOf = [] {
  std::array<std::uint8_t, kCodePoints / kBlock> blocks{};
  std::size_t at = 0;
  for (const auto& run : kBlockRuns) {
    for (unsigned i = 0; i < run[1]; ++i) blocks[at++] = static_cast<std::uint8_t>(run[0]);
  }
  return blocks;
}();

}  // namespace

Kinds kind_of(char32_t code) {
  if (code >= kCodePoints) return 0;
  return kKinds[kBlockOf[code / kBlock] * kBlock + code % kBlock];
}

}  // namespace tidemill::tokens
