// Salvage: the entries of a ZIP file by its local headers alone, when the central directory is
// missing or damaged. One pass over the file; what an entry holds is skipped, not searched. Where a
// header does not say the size (it is in a descriptor behind the data), the descriptor is searched
// for, and else the next header ends the entry.
//
// How it fails: a file that cannot be read is a Failure; no header at all is an empty list.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::zip {

struct Salvaged {
  std::vector<Entry> entries{};
  bool has_too_many = false;
};

[[nodiscard]] Result<Salvaged> salvage(int fd, std::uint64_t file_size, const Limits& limits);

}  // namespace tidemill::zip
