// Entries: what one folder holds, as getdents64 tells it, in the order of the inodes: on a cold
// disk files are then looked at from front to back.
//
// The folder is read whole before the first entry is used. Names stay where the kernel wrote them,
// so an entry costs no copy and no allocation; the memory is used again for the next folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace tidemill::walk {

struct Entry {
  std::uint64_t inode = 0;
  const char* name = nullptr;  // ends in a NUL
  std::uint32_t size = 0;      // of the name
  unsigned char type = 0;      // DT_REG, DT_UNKNOWN...
  [[nodiscard]] std::string_view view() const { return {name, size}; }
};

// One thread.
class Entries {
 public:
  // Reads the open folder from where its descriptor stands; "." and ".." are left away. An errno,
  // or 0. Looks at the token for every piece of the folder; ECANCELED: it said stop.
  [[nodiscard]] int read(int folder, const std::stop_token& stop);

  // Good until the next read.
  [[nodiscard]] std::span<const Entry> all() const { return all_; }

 private:
  void grow();
  void parse();

  std::unique_ptr<char[]> text_;
  std::size_t room_ = 0;
  std::size_t used_ = 0;
  std::vector<Entry> all_;
};

}  // namespace tidemill::walk
