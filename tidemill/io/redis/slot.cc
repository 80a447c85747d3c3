// Cluster slots: the CRC16 (XMODEM) of the key, or of the text between its first '{' and the next
// '}', if that is not empty.
#include <array>
#include <cstddef>

#include "tidemill/io/redis/address.h"

namespace tidemill::redis {
namespace {

constexpr std::uint16_t kSlots = 16'384;

constexpr std::array<std::uint16_t, 256> kTable = [] {
  constexpr unsigned kPolynomial = 0x1021;
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned crc = byte << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ kPolynomial : crc << 1U;
    }
    table.at(byte) = static_cast<std::uint16_t>(crc);
  }
  return table;
}();

std::string_view hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const std::size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

std::uint16_t slot_of(std::string_view key) {
  unsigned crc = 0;
  for (const char c : hashed_part(key)) {
    const unsigned index = (crc >> 8U) ^ static_cast<unsigned char>(c);
    crc = ((crc << 8U) & 0xFFFFU) ^ kTable.at(index);
  }
  return static_cast<std::uint16_t>(crc % kSlots);
}

}  // namespace tidemill::redis
