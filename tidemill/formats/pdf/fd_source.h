// A PDF file for libqpdf, read through a descriptor with pread(): piece by piece, the offset of the
// descriptor stays where it is. What cannot be read is the end of the file. For this folder only.
#pragma once

#include <cstdint>
#include <memory>

class InputSource;

namespace tidemill::pdf {

// The descriptor stays the caller's and outlives the source. One thread.
[[nodiscard]] std::shared_ptr<InputSource> source_of(int fd);

[[nodiscard]] std::uint64_t size_of(int fd);

}  // namespace tidemill::pdf
