// Entries: the entries of one folder, read with getdents64 and sorted by inode, so that a cold disk
// is read from front to back.
//
// The folder is read completely before the first entry is used. Names stay where the kernel wrote
// them, so an entry costs no copy and no allocation; the memory is reused for the next folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace tidemill::walk {

struct FolderEntry {
  std::uint64_t inode = 0;
  const char* name = nullptr;  // NUL-terminated
  std::uint32_t size = 0;      // of the name
  unsigned char type = 0;      // DT_REG, DT_UNKNOWN...
  [[nodiscard]] std::string_view view() const { return {name, size}; }
};

// One thread.
class Entries {
 public:
  // Reads the open folder from the current offset of its descriptor, without "." and "..". Returns
  // errno, or 0. Checks the token once per getdents64 call and returns ECANCELED after a stop.
  [[nodiscard]] int read(int folder, const std::stop_token& stop);

  // Valid until the next read.
  [[nodiscard]] std::span<const FolderEntry> all() const { return all_; }

 private:
  void grow();
  void parse();

  std::unique_ptr<char[]> text_;
  std::size_t room_ = 0;
  std::size_t used_ = 0;
  std::vector<FolderEntry> all_;
};

}  // namespace tidemill::walk
