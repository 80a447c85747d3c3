// Hasher: computes hashes of data that arrives in pieces, one after another. Created once per
// worker, it keeps its state and the OpenSSL context, so that hashing a file allocates nothing. If
// OpenSSL fails during a hash (out of memory), the digest is empty (size 0), never wrong.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tidemill/base/result.h"
#include "tidemill/io/hash/algorithm.h"

namespace tidemill::hash {

// One thread.
class Hasher {
 public:
  // Fails when OpenSSL on this machine does not support the algorithm, or without memory.
  [[nodiscard]] static Result<Hasher> make(Algorithm algorithm);
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  ~Hasher();

  [[nodiscard]] Algorithm algorithm() const;
  void update(std::span<const std::byte> bytes);
  [[nodiscard]] Digest finish();  // and resets, for the next hash
  // Hashes one buffer in a single call. Do not call it between update() and finish().
  [[nodiscard]] Digest of(std::span<const std::byte> bytes);

 private:
  struct State;
  explicit Hasher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::hash
