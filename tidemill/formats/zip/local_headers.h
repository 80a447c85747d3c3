// Compares the local headers of a ZIP file with its central directory: finds where the bytes of
// each entry are, and what is inconsistent. Reads in file order, through one buffer.
//
// How it fails: a file that cannot be read is a Failure; everything else is an Oddity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::zip {

// The indices of the entries, sorted by the offset of the local header, then by index.
[[nodiscard]] std::vector<std::size_t> file_order(std::span<const ZipEntry> entries);

// Fills `data` and `local_extra` of each entry. Local headers must end before `bound`: the start of
// the central directory.
[[nodiscard]] Result<void> read_local_headers(int fd, std::uint64_t bound,
                                              std::span<ZipEntry> entries,
                                              std::span<const std::size_t> order,
                                              std::vector<Oddity>& oddities);

// Reports entries that overlap or run past `bound`, and bytes before and between the entries.
void look_at_places(std::uint64_t bound, std::span<const ZipEntry> entries,
                    std::span<const std::size_t> order, std::vector<Oddity>& oddities);

}  // namespace tidemill::zip
