// Planner: decides which files are read and into which tables, before the first one is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/read/sources.h"
#include "tidemill/jobs/import/rows/tables.h"
#include "tidemill/jobs/import/target/import_log.h"

namespace tidemill::import {

struct ReadPlan {
  std::vector<const SourceFile*> files{};  // to be read
  std::uint64_t skipped = 0;               // already imported and unchanged
  std::vector<RowTable*> filled{};         // of files imported before this import was interrupted
  std::int64_t import = 0;                 // its id in the import log
  std::vector<SourceFailure> failures{};
  std::vector<std::string> notes{};
};

// Names that an import never gives to a user's table.
[[nodiscard]] std::vector<std::string> taken_names();

// Assigns every file its table in a new database.
[[nodiscard]] ReadPlan plan_fresh(const ImportOptions& options, std::vector<SourceFile>& files,
                                  Tables& tables);

// The same for a database that may already have tables. Continues an interrupted import that had
// the same options and the same sources or a part of them; other imports may have run in between.
// Commits the begin of the import.
[[nodiscard]] Result<ReadPlan> plan_joining(const ImportOptions& options,
                                            std::vector<SourceFile>& files, Tables& tables,
                                            store::Db& db);

// The same for --dry-run: only reads the database, and does not look for interrupted imports.
[[nodiscard]] Result<ReadPlan> plan_shown(const ImportOptions& options,
                                          std::vector<SourceFile>& files, Tables& tables,
                                          store::Db& db);

}  // namespace tidemill::import
