#include "tidemill/formats/zip/records.h"

#include <array>
#include <span>

namespace tidemill::zip {
namespace {

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

// The ZIP64 field holds, in this order, the numbers that are kFull32 in the record. False: one is
// missing, or there is no ZIP64 field.
bool resolve_zip64(std::string_view extra, std::span<std::uint64_t* const> numbers) {
  while (extra.size() >= 4) {
    const std::uint16_t id = u16(extra, 0);
    const std::string_view field = extra.substr(4, u16(extra, 2));
    if (id == 1) {
      std::size_t at = 0;
      for (std::uint64_t* const value : numbers) {
        if (*value != kFull32) continue;
        if (field.size() < at + 8) return false;
        *value = u64(field, at);
        at += 8;
      }
      return true;
    }
    extra.remove_prefix(4 + field.size());
  }
  return false;
}

}  // namespace

std::uint16_t u16(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(number(bytes, at, 2));
}
std::uint32_t u32(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(number(bytes, at, 4));
}
std::uint64_t u64(std::string_view bytes, std::size_t at) { return number(bytes, at, 8); }

std::optional<LocalHeader> local_header(std::string_view bytes) {
  if (bytes.size() < kLocalSize || !bytes.starts_with(kLocalMark)) return std::nullopt;
  LocalHeader header{.length = kLocalSize + u16(bytes, 26) + u16(bytes, 28),
                     .flags = u16(bytes, 6),
                     .method = u16(bytes, 8),
                     .dos_time = u16(bytes, 10),
                     .dos_date = u16(bytes, 12),
                     .crc = u32(bytes, 14),
                     .packed = u32(bytes, 18),
                     .size = u32(bytes, 22),
                     .extra = u16(bytes, 28)};
  if (header.length > bytes.size()) return header;
  const std::size_t name_length = u16(bytes, 26);
  header.name = bytes.substr(kLocalSize, name_length);
  const std::array<std::uint64_t*, 2> numbers{&header.size, &header.packed};
  if (header.packed == kFull32 || header.size == kFull32) {
    header.is_zip64 = resolve_zip64(bytes.substr(kLocalSize + name_length, header.extra), numbers);
  }
  return header;
}

std::optional<CentralRecord> central_record(std::string_view bytes) {
  if (bytes.size() < kCentralSize || !bytes.starts_with(kCentralMark)) return std::nullopt;
  const std::size_t name_length = u16(bytes, 28);
  CentralRecord record{.entry = {.header = u32(bytes, 42),
                                 .packed = u32(bytes, 20),
                                 .size = u32(bytes, 24),
                                 .crc = u32(bytes, 16),
                                 .method = u16(bytes, 10),
                                 .flags = u16(bytes, 8),
                                 .made_by = u16(bytes, 4),
                                 .dos_time = u16(bytes, 12),
                                 .dos_date = u16(bytes, 14),
                                 .external = u32(bytes, 38),
                                 .central_extra = u16(bytes, 30)},
                       .length = kCentralSize + name_length + u16(bytes, 30) + u16(bytes, 32)};
  if (record.length > bytes.size()) return record;
  ZipEntry& entry = record.entry;
  entry.name = bytes.substr(kCentralSize, name_length);
  const std::array<std::uint64_t*, 3> numbers{&entry.size, &entry.packed, &entry.header};
  // Without the field, a full number stays unchanged: it is wrong, and later checks detect that.
  (void)resolve_zip64(bytes.substr(kCentralSize + name_length, entry.central_extra), numbers);
  return record;
}

std::optional<EndRecord> end_record(std::string_view bytes) {
  if (bytes.size() < kEndSize || !bytes.starts_with(kEndMark)) return std::nullopt;
  EndRecord end{.count = u16(bytes, 10),
                .size = u32(bytes, 12),
                .offset = u32(bytes, 16),
                .comment = u16(bytes, 20)};
  end.wants_zip64 = end.count == kFull16 || end.size == kFull32 || end.offset == kFull32;
  return end;
}

std::optional<EndRecord> end64_record(std::string_view bytes) {
  if (bytes.size() < kEnd64Size || !bytes.starts_with(kEnd64Mark)) return std::nullopt;
  return EndRecord{.count = u64(bytes, 32), .size = u64(bytes, 40), .offset = u64(bytes, 48)};
}

}  // namespace tidemill::zip
