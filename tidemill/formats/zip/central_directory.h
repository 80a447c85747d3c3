// Finds the central directory of a ZIP file from the end of the file, and reads its entries.
//
// Bytes may have been prepended to the archive later: offsets then count from where the archive
// begins (`base`), as in other readers. How it fails: a file that cannot be read is a Failure; a
// missing or damaged directory is reported in `state`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::zip {

struct CentralDirectory {
  enum class State : std::uint8_t { whole, missing, damaged };
  State state = State::missing;
  std::string problem{};  // why the state is damaged
  std::vector<ZipEntry> entries{};
  std::uint64_t start = 0;    // its first byte
  std::uint64_t end = 0;      // one past the end record and its comment
  std::uint64_t claimed = 0;  // number of entries according to the end record
  bool has_too_many = false;  // reading stopped at the limit
  std::string comment{};
};

[[nodiscard]] Result<CentralDirectory> read_central_directory(int fd, std::uint64_t file_size,
                                                              const ArchiveLimits& limits);

}  // namespace tidemill::zip
