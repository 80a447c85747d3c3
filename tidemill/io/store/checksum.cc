#include "tidemill/io/store/checksum.h"

#include <xxhash.h>

#include <bit>

namespace tidemill::store {

Checksum& Checksum::add(std::int64_t number) {
  // The same on every machine: database files are copied between machines.
  auto bytes = static_cast<std::uint64_t>(number);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  state_ = XXH3_64bits_withSeed(&bytes, sizeof(bytes), state_);
  return *this;
}

Checksum& Checksum::add(std::string_view bytes) {
  state_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), state_ + 1);  // unlike 8-byte numbers
  return *this;
}

}  // namespace tidemill::store
