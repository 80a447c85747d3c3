// run_import(): a complete import, from the names on the command line to the finished database.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/outcome.h"
#include "tidemill/jobs/import/target/ending.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::import {

// Fails if the disk is full, there are too many rejects, or the database is in use. Then the
// database is unchanged or, if it is not fresh, contains complete files only. Cure::resume with
// step "stopped": the user stopped it. Files that cannot be read and rejected lines are not a
// failure: they are in the outcome.
struct Imported {
  ImportOutcome outcome{};
  ImportEnding ending{};  // call mark() last, after the outcome was reported to the user
};
[[nodiscard]] Result<Imported> run_import(const ImportOptions& options, command::Context& context);

}  // namespace tidemill::import
