// ZipWriter: writes a new ZIP file, for a repair. Entries are new (stored or deflated) or copied
// from another archive with the same compressed bytes, so that untouched entries stay identical.
//
// The same calls produce the same bytes: new entries have the time 1980-01-01 and no extra field.
// Sizes are always in the local header (no data descriptor); ZIP64 is used only where a number does
// not fit. The first entry's header is at offset 0, so a stored "mimetype" has its content at 38.
//
// How it fails: a read or write error is a Failure, and the file is useless after it. Without
// finish() the output is not a ZIP file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::zip {

// Whether a copied entry keeps the extra field of its local header. The ZIP64 field is never kept,
// but written again where it is needed.
enum class Extra : std::uint8_t { drop, keep };

// One thread. Does not own the descriptor. The file is written from offset 0 on, and is neither
// truncated nor synced.
class ZipWriter {
 public:
  explicit ZipWriter(int fd);
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter();

  [[nodiscard]] Result<void> add_stored(std::string_view name, std::string_view bytes);
  [[nodiscard]] Result<void> add_deflated(std::string_view name, std::string_view bytes);
  // Copies compressed bytes, method, checksum, time and attributes unchanged, under a name that may
  // differ. The bytes are not checked. An encrypted entry is refused (its cipher depends on its
  // header). An entry of unknown size (salvaged) is inflated and deflated again.
  [[nodiscard]] Result<void> copy_raw(const Archive& archive, const ZipEntry& entry,
                                      std::string_view new_name, Extra extra = Extra::drop);
  // Writes the central directory and returns the size of the file. Call once, as the last call.
  [[nodiscard]] Result<std::uint64_t> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::zip
