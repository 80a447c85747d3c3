#include "tidemill/io/hash/hmac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstddef>

#include "tidemill/base/hex.h"

namespace tidemill::hash {

std::string hmac_sha256(std::string_view key, std::string_view text) {
  // A key without bytes needs an address all the same: for null OpenSSL takes the key before.
  static constexpr char kNoKey = 0;
  const char* bytes = key.empty() ? &kNoKey : key.data();
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  unsigned int size = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are bytes
  const auto* data = reinterpret_cast<const unsigned char*>(text.data());
  // It fails only without memory, or in a machine whose OpenSSL has no SHA-256. Then the answer is
  // empty, which is nobody's signature.
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
