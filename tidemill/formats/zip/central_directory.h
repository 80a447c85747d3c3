// The central directory of a ZIP file: found from the end of the file and read entry by entry.
//
// It may lie behind bytes that were put before the archive later: offsets are then counted from
// where the archive begins (`base`), as all readers do. How it fails: a file that cannot be read is
// a Failure; a directory that is missing or damaged says so in its state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::zip {

struct CentralDirectory {
  enum class State : std::uint8_t { whole, missing, damaged };
  State state = State::missing;
  std::string problem{};  // of a damaged one
  std::vector<Entry> entries{};
  std::uint64_t start = 0;    // its first byte
  std::uint64_t end = 0;      // the first byte behind the end record and its comment
  std::uint64_t claimed = 0;  // the number of entries, as the end record has it
  bool has_too_many = false;  // reading stopped at the limit
  std::string comment{};
};

[[nodiscard]] Result<CentralDirectory> read_central_directory(int fd, std::uint64_t file_size,
                                                              const Limits& limits);

}  // namespace tidemill::zip
