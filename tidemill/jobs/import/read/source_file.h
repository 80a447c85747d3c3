// SourceFile: a file to import. SourceRecord: what the import log stores about it.
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
  std::string path{};      // as given or found; "-" is standard input
  std::string name{};      // absolute: its name in the database
  std::uint64_t size = 0;  // compressed; 0 if it has no size
  RowTable* table = nullptr;
  bool can_restart = false;  // a regular file: it can be read twice
};

struct SourceRecord {
  FileStamp stamp{};
  std::string hash{};       // XXH3 of the file as stored (compressed), 16 bytes
  std::uint64_t bytes = 0;  // decompressed
  LineCounts counts{};
  bool has_changed = false;  // while being read
};

}  // namespace tidemill::import
