// Salvage: reads the entries of a ZIP file from its local headers alone, for a central directory
// that is missing or damaged. One pass over the file; the data of an entry is skipped, not
// searched. If a header does not give the size (it is in a descriptor after the data), the
// descriptor is searched for; without one, the next header ends the entry.
//
// How it fails: a file that cannot be read is a Failure; a file without headers is an empty list.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::zip {

struct Salvaged {
  std::vector<ZipEntry> entries{};
  bool has_too_many = false;
};

[[nodiscard]] Result<Salvaged> salvage(int fd, std::uint64_t file_size,
                                       const ArchiveLimits& limits);

}  // namespace tidemill::zip
