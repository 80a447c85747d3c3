// Planner: which files are read, and into which tables, before anything is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/read/sources.h"
#include "tidemill/jobs/import/rows/tables.h"
#include "tidemill/jobs/import/target/ledger.h"

namespace tidemill::import {

struct Plan {
  std::vector<const SourceFile*> files{};  // to be read
  std::uint64_t skipped = 0;               // they are in the database as they are
  std::vector<Table*> filled{};            // of files that this import brought before it was cut
  std::int64_t import = 0;                 // its id in the ledger
  std::vector<FileFailure> failures{};
  std::vector<std::string> notes{};
};

// Names that an import never gives to a table of the user.
[[nodiscard]] std::vector<std::string> taken_names();

// Gives every file its table in a new database.
[[nodiscard]] Plan plan_fresh(const Options& options, std::vector<SourceFile>& files,
                              Tables& tables);

// The same in a database that may hold tables already. Goes on with an import that was cut short
// and was asked for the same, from these sources or some of them; other imports may have come in
// between. Commits the beginning of the import.
[[nodiscard]] Result<Plan> plan_joining(const Options& options, std::vector<SourceFile>& files,
                                        Tables& tables, store::Db& db);

// The same for --dry-run: reads the database, and knows nothing of imports that were cut short.
[[nodiscard]] Result<Plan> plan_shown(const Options& options, std::vector<SourceFile>& files,
                                      Tables& tables, store::Db& db);

}  // namespace tidemill::import
