// The import as a whole: from the names that the user gave to the database in its place.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/outcome.h"
#include "tidemill/jobs/import/target/ending.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::import {

// Fails when nothing was changed, or (not fresh) nothing after the last whole file: the disk is
// full, too many rejects, the database is somebody else's. Cure::resume with step "stopped": the
// user wanted it. Files that could not be read and lines that are no rows are no failure: they are
// in the outcome.
struct Imported {
  Outcome outcome{};
  Ending ending{};  // to be marked when the user has been told, as the last thing of all
};
[[nodiscard]] Result<Imported> run_import(const Options& options, command::Context& context);

}  // namespace tidemill::import
