// Bytes: an amount of memory or data. A separate type, so that it cannot be added to a count.
#pragma once

#include <compare>
#include <cstdint>

namespace tidemill {

struct Bytes {
  std::uint64_t count = 0;

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    count += other.count;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    count -= other.count;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
};

[[nodiscard]] constexpr Bytes kib(std::uint64_t n) { return {n << 10U}; }
[[nodiscard]] constexpr Bytes mib(std::uint64_t n) { return {n << 20U}; }

}  // namespace tidemill
