// Writer: a new ZIP file, for a repair. Entries are new (stored or deflated) or taken over from
// another archive with the same compressed bytes, so that what is not touched stays as it is.
//
// The same calls give the same bytes: new entries have the time 1980-01-01 and no extra field.
// Sizes are always in the local header (no data descriptor); ZIP64 is used only where a number does
// not fit. The first entry's header is at offset 0, so a stored "mimetype" has its content at 38.
//
// How it fails: what cannot be written or read is a Failure, and after one the file is of no use.
// What is not finished is no ZIP file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::zip {

// The extra field of the local header of an entry that is taken over. ZIP64's is never kept: it is
// made anew where it is needed.
enum class Extra : std::uint8_t { drop, keep };

// One thread. The descriptor stays the caller's; the file is written from its offset 0 on (nothing
// is truncated) and not synced.
class Writer {
 public:
  explicit Writer(int fd);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  [[nodiscard]] Result<void> add_stored(std::string_view name, std::string_view bytes);
  [[nodiscard]] Result<void> add_deflated(std::string_view name, std::string_view bytes);
  // Compressed bytes, method, checksum, time and attributes as they are; the name may be another.
  // The bytes are not checked. An encrypted entry is refused (its cipher depends on its header).
  // One whose size is not known (salvaged) is inflated and deflated again.
  [[nodiscard]] Result<void> copy_raw(const Archive& archive, const Entry& entry,
                                      std::string_view new_name, Extra extra = Extra::drop);
  // The central directory. To be called once, and nothing after it. Says how long the file is.
  [[nodiscard]] Result<std::uint64_t> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::zip
