// Utf8Cleaner: bytes in, valid UTF-8 out. What is no UTF-8 becomes U+FFFD, one for each maximal
// subpart, as the WHATWG's decoder has it; a byte order mark is kept. Bytes may come in parts: a
// character that is cut is held until the rest is there. Nothing here can fail.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tidemill::tokens {

// One thread.
class Utf8Cleaner {
 public:
  // The most that one call of finish() writes, and what clean() wants to have room for.
  static constexpr std::size_t kMinRoom = 32;

  // Takes from the front of `input` what fits into `room` bytes at `output`, whole characters only;
  // says how many bytes were written. Stops before the room is used up when less than kMinRoom is
  // left of it.
  [[nodiscard]] std::size_t clean(std::string_view& input, char* output, std::size_t room);

  // The text ends: what is still held is no character.
  [[nodiscard]] std::size_t finish(char* output);

 private:
  std::array<char, 4> held_{};
  std::size_t held_size_ = 0;
};

}  // namespace tidemill::tokens
