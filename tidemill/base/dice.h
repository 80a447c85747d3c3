// Dice: the source of randomness. It is passed in, so that the same seed gives the same draws.
#pragma once

#include <cstdint>

namespace tidemill {

// One thread: the owner locks it.
class Dice {
 public:
  virtual ~Dice() = default;
  [[nodiscard]] virtual double draw() = 0;  // uniform over [0, 1)
};

// SplitMix64: eight bytes of state, good enough to spread retries, not for cryptography.
class SeededDice final : public Dice {
 public:
  explicit SeededDice(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] double draw() override { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

}  // namespace tidemill
