// The basics of SQLite's file format: big-endian numbers, varints, and how much of a row is stored
// on its leaf. (https://www.sqlite.org/fileformat2.html; table_builder.h gives the overview.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidemill::sqlite_pages {

inline constexpr char kLeaf = 0x0d;
inline constexpr char kInterior = 0x05;
inline constexpr std::uint32_t kLeafHeader = 8;
inline constexpr std::uint32_t kInteriorHeader = 12;
inline constexpr std::uint32_t kFirstHeader = 100;  // page 1 begins with the file header
inline constexpr std::uint64_t kLargestRecord = 1'000'000'000;

// The last `width` bytes of the number.
inline char* put_number(char* at, std::uint64_t number, unsigned width) {
  for (unsigned i = width; i-- > 0;) *at++ = static_cast<char>(number >> (8 * i));
  return at;
}
inline char* put_u16(char* at, std::uint64_t number) { return put_number(at, number, 2); }
inline char* put_u32(char* at, std::uint64_t number) { return put_number(at, number, 4); }

inline std::uint32_t get_u16(const char* at) {
  return static_cast<std::uint32_t>(static_cast<unsigned char>(at[0])) << 8U |
         static_cast<unsigned char>(at[1]);
}
inline std::uint32_t get_u32(const char* at) { return get_u16(at) << 16U | get_u16(at + 2); }

// 1 to 9 bytes with seven bits each, except the ninth, which has eight.
inline char* put_varint(char* at, std::uint64_t number) {
  if (number < 0x80) {
    *at = static_cast<char>(number);
    return at + 1;
  }
  if (number < 0x4000) {
    at[0] = static_cast<char>(0x80U | (number >> 7U));
    at[1] = static_cast<char>(number & 0x7fU);
    return at + 2;
  }
  unsigned size = 3;
  while (size < 9 && (number >> (7 * size)) != 0) ++size;
  if (size == 9) at[8] = static_cast<char>(number);
  const unsigned sevens = size == 9 ? 8 : size;
  std::uint64_t rest = size == 9 ? number >> 8U : number;
  for (unsigned i = sevens; i-- > 0; rest >>= 7U) {
    const unsigned more = i + 1 < size ? 0x80U : 0U;
    at[i] = static_cast<char>(more | (rest & 0x7fU));
  }
  return at + size;
}

inline constexpr std::size_t kLongestVarint = 9;

inline const char* read_varint(const char* at, std::uint64_t& number) {
  number = 0;
  for (int i = 0; i < 8; ++i) {
    const auto byte = static_cast<unsigned char>(*at++);
    number = number << 7U | (byte & 0x7fU);
    if (byte < 0x80) return at;
  }
  number = number << 8U | static_cast<unsigned char>(*at++);
  return at;
}

// The bytes of a payload that are stored on the leaf: X, K or M in the SQLite document.
[[nodiscard]] constexpr std::uint32_t most_local(std::uint32_t page) { return page - 35; }
[[nodiscard]] constexpr std::uint32_t least_local(std::uint32_t page) {
  return (page - 12) * 32 / 255 - 23;
}
[[nodiscard]] constexpr std::uint32_t local_bytes(std::uint64_t payload, std::uint32_t page) {
  if (payload <= most_local(page)) return static_cast<std::uint32_t>(payload);
  const std::uint32_t least = least_local(page);
  const auto fitting = static_cast<std::uint32_t>(least + (payload - least) % (page - 4));
  return fitting <= most_local(page) ? fitting : least;
}

}  // namespace tidemill::sqlite_pages
