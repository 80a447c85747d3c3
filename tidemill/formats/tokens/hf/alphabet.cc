#include "tidemill/formats/tokens/hf/alphabet.h"

#include <array>
#include <cstddef>

#include "tidemill/formats/text/utf8.h"

namespace tidemill::tokens {
namespace {

constexpr std::size_t kCharacters = 0x100 + 68;
constexpr int kNone = -1;

constexpr bool stands_for_itself(std::size_t byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte != 0xad);
}

constexpr auto kBytes = [] {
  std::array<int, kCharacters> bytes{};
  std::size_t next = 0x100;
  for (std::size_t byte = 0; byte < 0x100; ++byte) {
    bytes[byte] = stands_for_itself(byte) ? static_cast<int>(byte) : kNone;
    if (!stands_for_itself(byte)) bytes[next++] = static_cast<int>(byte);
  }
  return bytes;
}();

}  // namespace

std::optional<std::string> bytes_of_token(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    const text::Character character = text::front_character(token);
    if (character.length == 0 || character.code >= kCharacters) return std::nullopt;
    const int byte = kBytes[character.code];
    if (byte == kNone) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
    token.remove_prefix(character.length);
  }
  if (bytes.empty()) return std::nullopt;
  return bytes;
}

}  // namespace tidemill::tokens
