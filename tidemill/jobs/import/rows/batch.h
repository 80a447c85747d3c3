// Batch: the rows of one block, on their way from the worker that made them to the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/jsonl/blocks.h"
#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/formats/sqlite_pages/table_builder.h"
#include "tidemill/jobs/import/read/source_file.h"
#include "tidemill/jobs/import/rows/line_counts.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

// The rows of one table. Every column that a row reaches is in `table` already, and what was seen
// in these rows is in its columns: who stores them widens the columns first.
struct TableRows {
  Table* table = nullptr;
  sqlite_pages::Cells cells{};
  sqlite_pages::Leaves leaves{};  // of the page loader, once it has laid them out
  std::uint64_t refused = 0;      // rows that the database did not take
};

struct Batch {
  std::uint64_t order = 0;           // of all blocks of the import, from 0
  std::size_t file = 0;              // number of the file
  std::uint64_t base = 0;            // place of the file's first byte in all that was read
  std::uint32_t reading = 0;         // a file that has to be read again counts its readings
  std::optional<FileRecord> end{};   // the file was read to its end; there are no lines here
  std::optional<Failure> failure{};  // or it could not be
  jsonl::Block block{};              // what large values point into
  std::deque<std::string> kept{};    // and what they point into that is not in the block
  std::vector<TableRows> tables{};
  TableRows rejects{};
  LineCounts counts{};
  std::uint32_t languages_left_out = 0;  // a bit each, by its place in kLanguages
  bool has_lists_as_text = false;        // --nested tables, and there are tables enough
  bool is_key_broken = false;            // a row's key does not ascend, is none, or is no integer
  std::optional<std::int64_t> first_key{};  // of RowidFrom::key
  std::optional<std::int64_t> last_key{};
};

}  // namespace tidemill::import
