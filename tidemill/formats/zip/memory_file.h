// MemoryFile: an anonymous file in memory, for tests and for output that is checked before use.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"

namespace tidemill::zip {

// One thread. If memory runs out, fd() is -1, and reading from it fails.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes = {}) : file_(::memfd_create("zip", MFD_CLOEXEC)) {
    while (file_.is_open() && !bytes.empty()) {
      const ssize_t done = ::write(file_.number(), bytes.data(), bytes.size());
      if (done <= 0) file_.close();
      bytes.remove_prefix(done > 0 ? static_cast<std::size_t>(done) : 0);
    }
  }

  [[nodiscard]] int fd() const { return file_.number(); }

  // The complete contents.
  [[nodiscard]] std::string bytes() const {
    struct stat status{};
    if (::fstat(fd(), &status) != 0) return {};
    std::string all(static_cast<std::size_t>(status.st_size), '\0');
    const ssize_t got = ::pread(fd(), all.data(), all.size(), 0);
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return all;
  }

 private:
  Descriptor file_;
};

}  // namespace tidemill::zip
