// RowBatch: the rows of one block, passed from the worker that made them to the writer.
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

// The rows of one table. `table` already has every column of these rows, and what was seen in them:
// the loader widens the columns before it stores the rows.
struct TableRows {
  RowTable* table = nullptr;
  sqlite_pages::CellBatch cells{};
  sqlite_pages::Leaves leaves{};  // set by PageLoader::prepare()
  std::uint64_t refused = 0;      // rows that the database refused
};

struct RowBatch {
  std::uint64_t order = 0;            // among all blocks of the import, from 0
  std::size_t file = 0;               // SourceFile::number
  std::uint64_t base = 0;             // place of the file's first byte (SourceReader::kPlaces)
  std::uint32_t reading = 0;          // number of this reading of the file, from 0
  std::optional<SourceRecord> end{};  // the file was read to its end; the batch has no lines
  std::optional<Failure> failure{};   // the file could not be read; the batch has no lines
  jsonl::Block block{};               // large values point into it
  std::deque<std::string> kept{};     // large values that are not in the block
  std::vector<TableRows> tables{};
  TableRows rejects{};
  LineCounts counts{};
  std::uint32_t languages_left_out = 0;  // one bit each, see language_bit()
  bool has_lists_as_text = false;        // --nested tables, and the limit of tables was reached
  bool is_key_broken = false;            // a key does not ascend, is missing or is not an integer
  std::optional<std::int64_t> first_key{};  // of RowidFrom::key
  std::optional<std::int64_t> last_key{};
};

}  // namespace tidemill::import
