// Gives libqpdf a PDF file through a descriptor. Reads parts of the file with pread(), so the
// offset of the descriptor does not move. A read error counts as the end of the file. For this
// folder only.
#pragma once

#include <cstdint>
#include <memory>

class InputSource;

namespace tidemill::pdf {

// Does not own the descriptor, which must outlive the source. One thread.
[[nodiscard]] std::shared_ptr<InputSource> source_of(int fd);

[[nodiscard]] std::uint64_t size_of(int fd);

}  // namespace tidemill::pdf
