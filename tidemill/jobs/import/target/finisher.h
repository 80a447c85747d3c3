// Finisher: the steps after all rows are stored: keys, indices and the verification.
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

// How the key of a table is implemented, or why it has none.
enum class KeyState : std::uint8_t {
  none,     // no such column, or no key may be added to the table
  rowid,    // INTEGER PRIMARY KEY
  unique,   // a unique index
  kept,     // the key that the table had before
  doubled,  // not a key: several rows have the same value
  missing,  // not a key: some rows have no value
};
[[nodiscard]] std::string_view name_of(KeyState state);

struct KeyReport {
  const RowTable* table = nullptr;
  std::string column{};
  KeyState state = KeyState::none;
};

// For the tables of files, not for child tables. With --key a column that cannot be a key gets a
// plain index. An existing table keeps its key; one that an import created without a key may get
// one now.
[[nodiscard]] Result<std::vector<KeyReport>> make_keys(store::Db& db, const ImportOptions& options,
                                                       const std::vector<RowTable*>& tables);

// --index: for every table that has such a column, unless it is the key.
[[nodiscard]] Result<void> make_indices(store::Db& db, const ImportOptions& options,
                                        const std::vector<RowTable*>& tables,
                                        const std::vector<KeyReport>& keys);

// Checks the number of rows per table, and runs SQLite's integrity check: on the complete database
// if `is_whole`, otherwise on `tables`. Fails with step "verify".
[[nodiscard]] Result<void> verify(store::Db& db, const std::map<std::string, std::uint64_t>& rows,
                                  const std::vector<RowTable*>& tables, bool is_whole);

}  // namespace tidemill::import
