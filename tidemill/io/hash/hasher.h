// Hasher: one hash after the other, of bytes that come in pieces. It is made once for a worker and
// keeps its state and its provider's context, so a file costs no allocation. Should the provider
// fail in the middle (no memory), the digest is an empty one, of size 0: never a wrong one.
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
  // Fails when the machine's OpenSSL has no such algorithm.
  [[nodiscard]] static Result<Hasher> make(Algorithm algorithm);
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  ~Hasher();

  [[nodiscard]] Algorithm algorithm() const;
  void update(std::span<const std::byte> bytes);
  [[nodiscard]] Digest finish();  // and is ready for the next one
  // Everything at once: the short way for what lies in one buffer. Not between update and finish.
  [[nodiscard]] Digest of(std::span<const std::byte> bytes);

 private:
  struct State;
  explicit Hasher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::hash
