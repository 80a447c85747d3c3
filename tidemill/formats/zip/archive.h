// Archive: reads a ZIP file and checks it. The central directory is trusted only where the local
// headers agree with it; every disagreement is listed as an Oddity, so that a checker can report it
// and a repair can fix it. If the central directory is missing or damaged, the entries are read
// from the local headers (salvage).
//
// Nothing is unpacked to disk, no entry is held in memory unless the caller requests it, and every
// limit is enforced: number of entries, bytes of one entry, bytes of all entries, ratio. Names are
// bytes: the caller interprets them.
//
// How it fails: a file that is not a ZIP file, or that cannot be read, is a Failure of kind
// truncated (too short for a single header), unreadable (a system error, or not a regular file) or
// other (not a ZIP file). Everything else is an Archive with oddities; an entry that cannot be read
// is a Failure of that entry alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::zip {

struct ZipEntry {
  std::string name{};        // as stored
  std::uint64_t header = 0;  // offset of the local header
  std::uint64_t data = 0;    // offset of the compressed bytes; 0: no local header
  std::uint64_t packed = 0;  // compressed size
  std::uint64_t size = 0;    // inflated size, as claimed
  std::uint32_t crc = 0;
  std::uint16_t method = 0;  // 0 stored, 8 deflated, others are not supported
  std::uint16_t flags = 0;   // bit 0: encrypted, 3: sizes in a descriptor, 11: the name is UTF-8
  std::uint16_t made_by = 0;
  std::uint16_t dos_time = 0;
  std::uint16_t dos_date = 0;
  std::uint32_t external = 0;     // attributes: the Unix mode is in the upper half
  std::uint16_t local_extra = 0;  // length of the extra field in the local header
  std::uint16_t central_extra = 0;
  bool is_size_known = true;  // false: salvaged, with unknown crc and size

  [[nodiscard]] bool is_folder() const { return name.ends_with('/'); }
  [[nodiscard]] bool is_encrypted() const { return (flags & 1U) != 0; }
  [[nodiscard]] bool is_symlink() const { return (external >> 28U) == 10 && (made_by >> 8U) == 3; }
};

struct Oddity {
  enum class Kind : std::uint8_t {
    no_central_directory,  // salvaged from local headers
    central_is_damaged,    // an entry or the end record does not parse; salvaged
    local_header_missing,  // the central directory points elsewhere
    names_differ,          // local and central
    sizes_differ,
    overlap,        // two entries share bytes: a bomb, or damage
    bytes_before,   // extra bytes before the first header
    bytes_after,    // extra bytes after the end record
    bytes_between,  // gaps between entries (not an error)
    too_many_entries,
    count_differs,  // the count in the end record is wrong
  };
  Kind kind{};
  std::string text{};   // human-readable
  std::string entry{};  // name of the entry; empty: the archive itself
};

struct ArchiveLimits {
  std::uint64_t entry = 256ULL << 20U;  // inflated bytes of one entry
  std::uint64_t total = 4ULL << 30U;    // inflated bytes of all entries read
  std::uint64_t ratio = 200;            // inflated : file size, checked above ratio_floor
  std::uint64_t ratio_floor = 64ULL << 20U;
  std::size_t entries = 65'535;
};

// One thread: it counts the inflated bytes. Reads with pread and never moves the descriptor's
// offset.
class Archive {
 public:
  // Does not own the descriptor, which must outlive the archive.
  [[nodiscard]] static Result<Archive> open(int fd, ArchiveLimits limits = {});

  Archive(Archive&&) noexcept;
  Archive& operator=(Archive&&) noexcept;
  ~Archive();

  // In the order of the central directory; salvaged entries in file order.
  [[nodiscard]] const std::vector<ZipEntry>& entries() const;
  [[nodiscard]] const std::vector<Oddity>& oddities() const;
  // The last entry with that name; null: none.
  [[nodiscard]] const ZipEntry* find(std::string_view name) const;
  [[nodiscard]] std::uint64_t file_size() const;
  [[nodiscard]] std::string_view comment() const;
  [[nodiscard]] const ArchiveLimits& limits() const;
  // The first bytes of the file, up to 64.
  [[nodiscard]] std::string_view first_bytes() const;
  using Sink = std::function<bool(std::string_view)>;
  // Passes the compressed bytes in parts, until the sink returns false: for a copy. Nothing is
  // checked.
  [[nodiscard]] Result<void> read_raw(const ZipEntry& entry, const Sink& sink) const;
  // The raw extra field of the local header.
  [[nodiscard]] Result<std::string> read_local_extra(const ZipEntry& entry) const;

  // Passes the inflated bytes in parts of up to 64 KiB, until the sink returns false. Fails (cure
  // give_up) if the data is damaged, the CRC or the size differs from the header, the method is
  // unknown, the entry is encrypted, or a limit is exceeded. The `kind` of the Failure is corrupt
  // (CRC or size), encrypted, over_limit (limit of one entry), bomb (limit of all entries, or the
  // ratio), truncated, unreadable, or other for the rest.
  [[nodiscard]] Result<void> read(const ZipEntry& entry, const Sink& sink) const;
  // The complete entry, if it has at most `most` bytes; otherwise a Failure of kind over_limit.
  [[nodiscard]] Result<std::string> read_whole(const ZipEntry& entry, std::uint64_t most) const;
  // The first bytes (up to `most`), to detect the type of the contents.
  [[nodiscard]] Result<std::string> read_head(const ZipEntry& entry, std::size_t most) const;

 private:
  struct State;
  [[nodiscard]] Result<void> read_in_parts(const ZipEntry& entry, const Sink& sink,
                                           std::size_t part) const;
  explicit Archive(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::zip
