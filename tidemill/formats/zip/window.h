// Window: reads parts of a file by offset through one buffer, so that many small reads near each
// other cost few system calls. Reads with pread. The caller checks the offsets: past the end of the
// file a view is shorter than requested.
//
// How it fails: a failed read is a Failure (step "read"); the end of the file is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::zip {

// Fills the buffer from the offset on, as far as the file reaches; returns the number of bytes.
[[nodiscard]] Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<char> buffer);

// One thread.
class Window {
 public:
  // Reads a chunk at a time (more if a view needs it), and nothing past file_size.
  Window(int fd, std::uint64_t file_size, std::size_t chunk)
      : fd_(fd), file_size_(file_size), chunk_(chunk) {}

  // Up to `length` bytes at the offset; the view is valid until the next call.
  [[nodiscard]] Result<std::string_view> view(std::uint64_t offset, std::size_t length);
  // All buffered bytes from the offset on; at least `least`, unless the file ends before.
  [[nodiscard]] Result<std::string_view> ahead(std::uint64_t offset, std::size_t least);

 private:
  int fd_;
  std::uint64_t file_size_;
  std::size_t chunk_;
  std::uint64_t start_ = 0;
  std::string buffer_{};
};

}  // namespace tidemill::zip
