// Utf8Cleaner: turns any bytes into valid UTF-8. Invalid bytes become U+FFFD, one for each maximal
// subpart, as in the WHATWG decoder; a byte order mark is kept. Bytes may come in parts: an
// incomplete character is held until the rest arrives. Nothing here can fail.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tidemill::tokens {

// One thread.
class Utf8Cleaner {
 public:
  // clean() stops when less room than this is left; finish() never writes more.
  static constexpr std::size_t kMinRoom = 32;

  // Consumes the front of `input` as far as it fits into `room` bytes at `output`, writing complete
  // characters only; returns the number of bytes written. Stops when less than kMinRoom is left.
  [[nodiscard]] std::size_t clean(std::string_view& input, char* output, std::size_t room);

  // Ends the text: an incomplete character becomes U+FFFD. Returns the number of bytes written.
  [[nodiscard]] std::size_t finish(char* output);

 private:
  std::array<char, 4> held_{};
  std::size_t held_size_ = 0;
};

}  // namespace tidemill::tokens
