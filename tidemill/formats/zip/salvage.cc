#include "tidemill/formats/zip/salvage.h"

#include <optional>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/zip/records.h"
#include "tidemill/formats/zip/window.h"

namespace tidemill::zip {
namespace {

constexpr std::size_t kDescriptorSize = 16;  // mark, crc, packed, size
constexpr std::size_t kChunk = 256U << 10U;

// One thread.
class SalvageScan {
 public:
  SalvageScan(int fd, std::uint64_t file_size, const ArchiveLimits& limits)
      : window_(fd, file_size, kChunk), file_size_(file_size), limits_(limits) {}

  Result<Salvaged> run() {
    std::uint64_t at = 0;
    while (!salvaged_.has_too_many) {
      LET(const auto mark, next_mark(at));
      if (!mark) break;
      LET(at, look_at(*mark));
    }
    if (has_open_end_) close(file_size_);
    return std::move(salvaged_);
  }

 private:
  // The next mark of a local header, central record or descriptor; nullopt: none.
  Result<std::optional<std::uint64_t>> next_mark(std::uint64_t from) {
    while (from + kLocalMark.size() <= file_size_) {
      LET(const std::string_view bytes, window_.ahead(from, kLocalMark.size()));
      if (bytes.size() < kLocalMark.size()) break;
      for (std::size_t at = bytes.find("PK"); at != std::string_view::npos;
           at = bytes.find("PK", at + 1)) {
        const std::string_view mark = bytes.substr(at, kLocalMark.size());
        if (mark == kLocalMark || mark == kCentralMark || mark == kDescriptorMark) {
          return from + at;
        }
      }
      from += bytes.size() - (kLocalMark.size() - 1);
    }
    return std::nullopt;
  }

  // Returns where the search continues.
  Result<std::uint64_t> look_at(std::uint64_t at) {
    LET(std::string_view bytes, window_.view(at, kLocalSize));
    if (bytes.starts_with(kDescriptorMark)) return look_at_descriptor(at, bytes);
    if (bytes.starts_with(kCentralMark)) {
      if (has_open_end_) close(at);
      return at + kCentralMark.size();
    }
    auto header = local_header(bytes);
    if (!header || header->length > file_size_ - at) return at + kLocalMark.size();
    LET(bytes, window_.view(at, header->length));
    header = local_header(bytes);
    if (!header || header->length > bytes.size() || header->name.empty()) {
      return at + kLocalMark.size();
    }
    if (has_open_end_) close(at);
    return add(at, *header);
  }

  std::uint64_t add(std::uint64_t at, const LocalHeader& header) {
    name_bytes_ += header.name.size();
    if (salvaged_.entries.size() >= limits_.entries || name_bytes_ > kMostNameBytes) {
      salvaged_.has_too_many = true;
      return at;
    }
    ZipEntry entry{.name = std::string(header.name),
                   .header = at,
                   .data = at + header.length,
                   .packed = header.packed,
                   .size = header.size,
                   .crc = header.crc,
                   .method = header.method,
                   .flags = header.flags,
                   .dos_time = header.dos_time,
                   .dos_date = header.dos_date,
                   .local_extra = header.extra};
    has_open_end_ = (entry.flags & kHasDescriptor) != 0 && entry.packed == 0;
    const bool is_cut = !has_open_end_ && entry.packed > file_size_ - entry.data;
    const std::uint64_t next = has_open_end_ || is_cut ? entry.data : entry.data + entry.packed;
    salvaged_.entries.push_back(std::move(entry));
    return next;
  }

  // A descriptor ends the open entry if its size matches the bytes since the header exactly.
  std::uint64_t look_at_descriptor(std::uint64_t at, std::string_view bytes) {
    if (has_open_end_ && bytes.size() >= kDescriptorSize) {
      ZipEntry& entry = salvaged_.entries.back();
      if (u32(bytes, 8) == static_cast<std::uint32_t>(at - entry.data)) {
        entry.crc = u32(bytes, 4);
        entry.packed = at - entry.data;
        entry.size = u32(bytes, 12);
        has_open_end_ = false;
        return at + kDescriptorSize;
      }
    }
    return at + kDescriptorMark.size();
  }

  // Ends the open entry at `at`; its inflated size stays unknown.
  void close(std::uint64_t at) {
    ZipEntry& entry = salvaged_.entries.back();
    entry.packed = at - entry.data;
    entry.is_size_known = false;
    has_open_end_ = false;
  }

  Window window_;
  std::uint64_t file_size_;
  const ArchiveLimits& limits_;
  Salvaged salvaged_{};
  bool has_open_end_ = false;  // of the last entry
  std::uint64_t name_bytes_ = 0;
};

}  // namespace

Result<Salvaged> salvage(int fd, std::uint64_t file_size, const ArchiveLimits& limits) {
  return SalvageScan(fd, file_size, limits).run();
}

}  // namespace tidemill::zip
