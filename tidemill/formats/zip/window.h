// Window: parts of a file by offset, through one buffer, so that many small reads near each other
// cost few system calls. Reads with pread. Offsets are the caller's business: what lies behind the
// end of the file is not there, and a view is shorter then.
//
// How it fails: a read that fails is a Failure (step "read"); the end of the file is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::zip {

// Fills as much of the buffer as the file has from the offset on; says how much that is.
[[nodiscard]] Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<char> buffer);

// One thread.
class Window {
 public:
  // Reads up to a chunk at a time, and nothing behind file_size.
  Window(int fd, std::uint64_t file_size, std::size_t chunk)
      : fd_(fd), file_size_(file_size), chunk_(chunk) {}

  // Up to `length` bytes at the offset; the view lives until the next call.
  [[nodiscard]] Result<std::string_view> view(std::uint64_t offset, std::size_t length);
  // What the buffer has from the offset on, at least `least` bytes where the file has them.
  [[nodiscard]] Result<std::string_view> ahead(std::uint64_t offset, std::size_t least);

 private:
  int fd_;
  std::uint64_t file_size_;
  std::size_t chunk_;
  std::uint64_t start_ = 0;
  std::string buffer_{};
};

}  // namespace tidemill::zip
