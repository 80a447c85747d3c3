// The local headers of a ZIP file, held against its central directory: where the bytes of each
// entry are, and what does not fit together. Read in the order of the file, through one buffer.
//
// How it fails: a file that cannot be read is a Failure; all else is an Oddity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::zip {

// The positions of the entries in the order of their headers in the file; of the same header in
// their own order.
[[nodiscard]] std::vector<std::size_t> file_order(std::span<const Entry> entries);

// Fills `data` and `local_extra` of each entry. The entries must end before `bound`: the central
// directory, or the end of the file.
[[nodiscard]] Result<void> read_local_headers(int fd, std::uint64_t bound, std::span<Entry> entries,
                                              std::span<const std::size_t> order,
                                              std::vector<Oddity>& oddities);

// What shares bytes, what stands before and between.
void look_at_places(std::uint64_t bound, std::span<const Entry> entries,
                    std::span<const std::size_t> order, std::vector<Oddity>& oddities);

}  // namespace tidemill::zip
