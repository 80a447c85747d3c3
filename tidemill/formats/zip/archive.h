// Archive: a ZIP file as it really is. The central directory is believed only where the local
// headers agree with it; what disagrees is listed as an Oddity, so that a checker can name it and a
// repair can mend it. A file whose central directory is missing or damaged is read by its local
// headers (salvage).
//
// Nothing is unpacked to disk, no entry is held whole unless asked for, and all limits hold: number
// of entries, bytes of one entry, bytes of all, ratio. Names are bytes: what they mean is for the
// caller.
//
// How it fails: a file that is no ZIP at all, or cannot be read, is a Failure, whose kind is
// truncated (too short for a single header), unreadable (the system says no) or other (no ZIP
// file); everything else is an Archive with oddities, and a Failure of the one entry that cannot be
// read.
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

struct Entry {
  std::string name{};        // as stored
  std::uint64_t header = 0;  // offset of the local header
  std::uint64_t data = 0;    // offset of the compressed bytes; 0: the local header is not there
  std::uint64_t packed = 0;  // compressed size
  std::uint64_t size = 0;    // inflated size, as claimed
  std::uint32_t crc = 0;
  std::uint16_t method = 0;  // 0 stored, 8 deflated, others are not read
  std::uint16_t flags = 0;   // bit 0: encrypted, 3: sizes in a descriptor, 11: the name is UTF-8
  std::uint16_t made_by = 0;
  std::uint16_t dos_time = 0;
  std::uint16_t dos_date = 0;
  std::uint32_t external = 0;     // attributes: the Unix mode is in the upper half
  std::uint16_t local_extra = 0;  // length of the extra field in the local header
  std::uint16_t central_extra = 0;
  bool is_size_known = true;  // false: salvaged, and nothing says crc and size

  [[nodiscard]] bool is_folder() const { return name.ends_with('/'); }
  [[nodiscard]] bool is_encrypted() const { return (flags & 1U) != 0; }
  [[nodiscard]] bool is_symlink() const { return (external >> 28U) == 10 && (made_by >> 8U) == 3; }
};

struct Oddity {
  enum class Kind : std::uint8_t {
    no_central_directory,  // salvaged from local headers
    central_is_damaged,    // an entry or the end record does not parse; salvaged
    local_header_missing,  // the central directory points to something else
    names_differ,          // local and central
    sizes_differ,
    overlap,        // two entries share bytes: a bomb, or damage
    bytes_before,   // something stands before the first header
    bytes_after,    // something stands after the end record
    bytes_between,  // gaps between entries (not an error)
    too_many_entries,
    count_differs,  // the end record counts other than there are
  };
  Kind kind{};
  std::string text{};   // for a person
  std::string entry{};  // the entry's name; empty: the archive
};

struct Limits {
  std::uint64_t entry = 256ULL << 20U;  // inflated bytes of one entry
  std::uint64_t total = 4ULL << 30U;    // of all that is read of one archive
  std::uint64_t ratio = 200;            // inflated : file size, only asked above ratio_floor
  std::uint64_t ratio_floor = 64ULL << 20U;
  std::size_t entries = 65'535;
};

// One thread: it counts what was inflated. Reads with pread, so the descriptor's position is
// nobody's.
class Archive {
 public:
  // The descriptor stays the caller's and must outlive the archive.
  [[nodiscard]] static Result<Archive> open(int fd, Limits limits = {});

  Archive(Archive&&) noexcept;
  Archive& operator=(Archive&&) noexcept;
  ~Archive();

  // In the order of the central directory; salvaged ones in the order of the file.
  [[nodiscard]] const std::vector<Entry>& entries() const;
  [[nodiscard]] const std::vector<Oddity>& oddities() const;
  // The last of that name; null: none.
  [[nodiscard]] const Entry* find(std::string_view name) const;
  [[nodiscard]] std::uint64_t file_size() const;
  [[nodiscard]] std::string_view comment() const;
  [[nodiscard]] const Limits& limits() const;
  // The first bytes of the file, up to 64.
  [[nodiscard]] std::string_view first_bytes() const;
  using Sink = std::function<bool(std::string_view)>;
  // The compressed bytes as they are, in parts, until the sink says false: for a copy. Nothing is
  // checked.
  [[nodiscard]] Result<void> read_raw(const Entry& entry, const Sink& sink) const;
  // The extra field of its local header, as it is.
  [[nodiscard]] Result<std::string> read_local_extra(const Entry& entry) const;

  // The inflated bytes in parts of up to 64 KiB, until the sink says false. Fails (cure give_up)
  // when the data is damaged, the CRC or the size is not the claimed one, the method is unknown,
  // the entry is encrypted, or a limit is passed; `kind` of the Failure says which: corrupt (CRC
  // or size), encrypted, over_limit (this entry's), bomb (the limit of all together), truncated,
  // unreadable; the rest is other.
  [[nodiscard]] Result<void> read(const Entry& entry, const Sink& sink) const;
  // The whole entry, if it is at most `most` bytes.
  [[nodiscard]] Result<std::string> read_whole(const Entry& entry, std::uint64_t most) const;
  // The first bytes (up to `most`), for a look at what it is.
  [[nodiscard]] Result<std::string> read_head(const Entry& entry, std::size_t most) const;

 private:
  struct State;
  [[nodiscard]] Result<void> read_in_parts(const Entry& entry, const Sink& sink,
                                           std::size_t part) const;
  explicit Archive(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::zip
