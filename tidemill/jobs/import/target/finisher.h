// Finisher: what is done when all rows are in: keys and indices, and a look whether it is all
// right.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

// How the rows of a table are found by their key.
enum class KeyState : std::uint8_t {
  none,     // there is no such column, or nobody wants a key
  rowid,    // INTEGER PRIMARY KEY
  unique,   // a unique index
  kept,     // what the table had before
  doubled,  // several rows have the same
  missing,  // some rows have none
};
[[nodiscard]] std::string_view name_of(KeyState state);

struct KeyReport {
  const Table* table = nullptr;
  std::string column{};
  KeyState state = KeyState::none;
};

// For the tables of files. With --key a column that cannot be a key gets a plain index. A table
// that was there before keeps the key it has; one of ours without a key may have one now.
[[nodiscard]] Result<std::vector<KeyReport>> make_keys(store::Db& db, const Options& options,
                                                       const std::vector<Table*>& tables);

// --index: on every table that has such a column, unless it is its key.
[[nodiscard]] Result<void> make_indices(store::Db& db, const Options& options,
                                        const std::vector<Table*>& tables,
                                        const std::vector<KeyReport>& keys);

// So many rows are in each table, and SQLite finds nothing wrong with them. Fails with step
// "verify".
[[nodiscard]] Result<void> verify(store::Db& db, const std::map<std::string, std::uint64_t>& rows,
                                  const std::vector<Table*>& tables, bool is_whole);

}  // namespace tidemill::import
