#include "tidemill/io/hash/uuid.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "tidemill/base/hex.h"

namespace tidemill::hash {
namespace {

constexpr std::size_t kBytes = 16;
constexpr std::size_t kLetters = 36;
using Uuid = std::array<unsigned char, kBytes>;

constexpr bool is_dash(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

Uuid bytes_of(std::string_view uuid) {
  Uuid bytes{};
  std::size_t digits = 0;
  for (const char letter : uuid) {
    if (letter == '-') continue;
    unsigned char& byte = bytes[digits / 2];
    byte = static_cast<unsigned char>(unsigned{byte} << 4U | hex_value(letter).value_or(0));
    ++digits;
  }
  return bytes;
}

std::string text_of(const Uuid& bytes) {
  std::string text;
  text.reserve(kLetters);
  for (const unsigned char byte : bytes) {
    if (is_dash(text.size())) text += '-';
    append_hex(text, byte);
  }
  return text;
}

std::string derived(const Uuid& space, std::string_view name) {
  std::string named(space.begin(), space.end());
  named += name;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const int done =
      EVP_Digest(named.data(), named.size(), digest.data(), &size, EVP_sha1(), nullptr);
  if (done != 1 || size < kBytes) return {};
  Uuid uuid{};
  std::copy_n(digest.begin(), kBytes, uuid.begin());
  uuid[6] = static_cast<unsigned char>((uuid[6] & 0x0fU) | 0x50U);  // version 5
  uuid[8] = static_cast<unsigned char>((uuid[8] & 0x3fU) | 0x80U);  // RFC 4122's variant
  return text_of(uuid);
}

}  // namespace

std::string uuid5(std::string_view space, std::string_view name) {
  if (is_uuid(space)) return derived(bytes_of(space), name);
  const std::string made = derived(Uuid{}, space);
  return made.empty() ? made : derived(bytes_of(made), name);
}

bool is_uuid(std::string_view text) {
  if (text.size() != kLetters) return false;
  for (std::size_t i = 0; i < kLetters; ++i) {
    if (is_dash(i) ? text[i] != '-' : !hex_value(text[i])) return false;
  }
  return true;
}

}  // namespace tidemill::hash
