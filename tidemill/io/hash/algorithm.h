// Algorithm: the supported hash algorithms. XXH3 is the fastest and good enough to find duplicates;
// the others are cryptographic, for users who need a hash that cannot be forged. The numbers are
// stored on disk: never change one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemill::hash {

enum class Algorithm : std::uint8_t { xxh3 = 1, sha256 = 2, sha512 = 3, sha3_256 = 4, blake2b = 5 };

inline constexpr std::size_t kWidest = 64;

[[nodiscard]] std::string_view name_of(Algorithm algorithm);  // "xxh3", "sha256", "sha3-256", …
[[nodiscard]] std::optional<Algorithm> algorithm_named(std::string_view name);
[[nodiscard]] std::optional<Algorithm> algorithm_numbered(std::int64_t number);
[[nodiscard]] std::size_t width_of(Algorithm algorithm);  // size of a digest in bytes

struct Digest {
  std::array<unsigned char, kWidest> bytes{};
  std::uint8_t size = 0;

  [[nodiscard]] std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes.data()), size};  // NOLINT: bytes are chars here
  }
  [[nodiscard]] std::string hex() const;
  bool operator==(const Digest&) const = default;
};

}  // namespace tidemill::hash
