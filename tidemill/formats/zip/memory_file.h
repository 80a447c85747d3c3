// MemoryFile: bytes as a file without a name, for tests and for what is made before it is checked.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"

namespace tidemill::zip {

// One thread. Without memory there is no descriptor: whoever reads it is told so.
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

  // All of it.
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
