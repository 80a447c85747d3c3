// SourceFile: one file that is imported, and FileRecord: what is remembered of it in the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tidemill/base/file_stamp.h"
#include "tidemill/jobs/import/rows/line_counts.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

struct SourceFile {
  std::size_t number = 0;  // from 0, in the order of reading
  std::string path{};      // as the user reaches it; "-" is standard input
  std::string name{};      // absolute: by which the database knows it
  std::uint64_t size = 0;  // packed; 0 of what has no size
  Table* table = nullptr;
  bool can_restart = false;  // a regular file: it can be read twice
};

struct FileRecord {
  FileStamp stamp{};
  std::string hash{};       // XXH3 of the file as it lies there, 16 bytes
  std::uint64_t bytes = 0;  // decompressed
  LineCounts counts{};
  bool has_changed = false;  // while it was read
};

}  // namespace tidemill::import
