#include "tidemill/io/hash/hmac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstddef>

#include "tidemill/base/hex.h"

namespace tidemill::hash {

std::string hmac_sha256(std::string_view key, std::string_view text) {
  // An empty key still needs a non-null address: for null OpenSSL reuses the previous key.
  static constexpr char kNoKey = 0;
  const char* bytes = key.empty() ? &kNoKey : key.data();
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  unsigned int size = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are bytes
  const auto* data = reinterpret_cast<const unsigned char*>(text.data());
  // Fails only without memory or when OpenSSL has no SHA-256. The result is then empty, which is
  // never a valid signature.
  if (HMAC(EVP_sha256(), bytes, static_cast<int>(key.size()), data, text.size(), code.data(),
           &size) == nullptr) {
    return {};
  }
  return hex_of(std::span(code).first(size));
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tidemill::hash
