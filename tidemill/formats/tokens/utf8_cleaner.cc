#include "tidemill/formats/tokens/utf8_cleaner.h"

#include <cstdint>
#include <cstring>

#include "tidemill/formats/tokens/vocabulary/image_layout.h"

namespace tidemill::tokens {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::uint64_t kHighBits = 0x8080808080808080U;

enum class Shape : std::uint8_t { whole, broken, cut };

struct Front {
  Shape shape = Shape::whole;
  std::size_t length = 1;  // broken: the number of bytes that one U+FFFD replaces
};

unsigned byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

// Classifies the front of `bytes`, which must not be empty.
Front front_of(std::string_view bytes) {
  const unsigned first = byte_at(bytes, 0);
  if (first < 0x80) return {};
  if (first < 0xc2 || first > 0xf4) return {.shape = Shape::broken};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  unsigned lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return {.shape = Shape::cut, .length = i};
    if (byte_at(bytes, i) < lowest || byte_at(bytes, i) > highest) {
      return {.shape = Shape::broken, .length = i};
    }
    lowest = 0x80;
    highest = 0xbf;
  }
  return {.length = length};
}

std::size_t put(std::string_view bytes, char* output) {
  std::memcpy(output, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace

std::size_t Utf8Cleaner::clean(std::string_view& input, char* output, std::size_t room) {
  std::size_t written = 0;
  while (held_size_ > 0 && !input.empty() && room - written >= kMinRoom) {
    held_[held_size_] = input[0];
    const Front front = front_of({held_.data(), held_size_ + 1});
    if (front.shape == Shape::broken) {  // by the new byte, which may begin another character
      written += put(kReplacement, output + written);
      held_size_ = 0;
      continue;
    }
    input.remove_prefix(1);
    ++held_size_;
    if (front.shape == Shape::cut) continue;
    written += put({held_.data(), held_size_}, output + written);
    held_size_ = 0;
  }
  const char* from = input.data();
  const char* const end = from + input.size();
  while (from != end && room - written >= kMinRoom) {
    while (end - from >= 16 && room - written >= kMinRoom &&
           ((load64(from) | load64(from + 8)) & kHighBits) == 0) {
      std::memcpy(output + written, from, 16);
      from += 16;
      written += 16;
    }
    if (from == end || room - written < kMinRoom) break;
    const Front front = front_of({from, static_cast<std::size_t>(end - from)});
    if (front.shape == Shape::cut) {
      held_size_ = put({from, front.length}, held_.data());
      from = end;
      break;
    }
    written +=
        put(front.shape == Shape::broken ? kReplacement : std::string_view(from, front.length),
            output + written);
    from += front.length;
  }
  input.remove_prefix(static_cast<std::size_t>(from - input.data()));
  return written;
}

std::size_t Utf8Cleaner::finish(char* output) {
  const bool is_cut = held_size_ > 0;
  held_size_ = 0;
  return is_cut ? put(kReplacement, output) : 0;
}

}  // namespace tidemill::tokens
