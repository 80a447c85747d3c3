// Parses the records of a ZIP file from bytes: local header, central record, end records. Numbers
// are little-endian; those that do not fit are in the ZIP64 extra field. Nothing here reads a file.
// nullopt: the bytes are not such a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tidemill/formats/zip/archive.h"

namespace tidemill::zip {

inline constexpr std::string_view kLocalMark{"PK\3\4", 4};
inline constexpr std::string_view kCentralMark{"PK\1\2", 4};
inline constexpr std::string_view kEndMark{"PK\5\6", 4};
inline constexpr std::string_view kEnd64Mark{"PK\6\6", 4};
inline constexpr std::string_view kLocatorMark{"PK\6\7", 4};
inline constexpr std::string_view kSignatureMark{"PK\5\5", 4};
inline constexpr std::string_view kDescriptorMark{"PK\7\10", 4};

inline constexpr std::size_t kLocalSize = 30;  // without name and extra field
inline constexpr std::size_t kCentralSize = 46;
inline constexpr std::size_t kEndSize = 22;
inline constexpr std::size_t kEnd64Size = 56;
inline constexpr std::size_t kLocatorSize = 20;
inline constexpr std::uint32_t kFull32 = 0xFFFF'FFFF;
inline constexpr std::uint16_t kFull16 = 0xFFFF;

// Limit on the total size of all names in memory.
inline constexpr std::uint64_t kMostNameBytes = 256U << 20U;

inline constexpr std::uint16_t kEncrypted = 1U << 0U;
inline constexpr std::uint16_t kHasDescriptor = 1U << 3U;

// The caller ensures that the bytes exist.
[[nodiscard]] std::uint16_t u16(std::string_view bytes, std::size_t at);
[[nodiscard]] std::uint32_t u32(std::string_view bytes, std::size_t at);
[[nodiscard]] std::uint64_t u64(std::string_view bytes, std::size_t at);

// A local header. `length` includes the name and the extra field; if it exceeds the bytes given,
// the name is empty and ZIP64 numbers are not resolved: call again with more bytes.
struct LocalHeader {
  std::size_t length = 0;
  std::string_view name{};
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint16_t dos_time = 0;
  std::uint16_t dos_date = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint16_t extra = 0;
  bool is_zip64 = false;
};
[[nodiscard]] std::optional<LocalHeader> local_header(std::string_view bytes);

// An entry of the central directory and the length of its record. If the length exceeds the bytes
// given, the name is empty and ZIP64 numbers are not resolved: call again with more bytes.
struct CentralRecord {
  ZipEntry entry{};
  std::size_t length = 0;
};
[[nodiscard]] std::optional<CentralRecord> central_record(std::string_view bytes);

// Where the central directory is and how many entries it has.
struct EndRecord {
  std::uint64_t count = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::size_t comment = 0;  // its length
  bool wants_zip64 = false;
};
[[nodiscard]] std::optional<EndRecord> end_record(std::string_view bytes);
[[nodiscard]] std::optional<EndRecord> end64_record(std::string_view bytes);

}  // namespace tidemill::zip
