// Unprinted output, held in files of the run's spill folder, one or two per task: held-ID.out and
// held-ID.err, or held-ID.event for a line of --jsonl. These files are created for tasks that wait
// for their turn (--keep-order), and for output that an earlier process left in its logs.
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/each/output/output_log.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::each {

// Moves the output from memory or its spill files into held files, each one atomically. Does not
// sync.
[[nodiscard]] Result<void> hold(TaskOutput& output, const std::string& folder);

// The outputs that an earlier process left unprinted, for tasks whose end is in the journal: held,
// synced and ordered by id. Removes everything else in the folder: those tasks run again. Empty if
// the folder does not exist.
[[nodiscard]] Result<std::vector<TaskOutput>> collect_unprinted(
    const std::string& folder, const journal::SqliteJournal& journal);

// Syncs the file system that the folder is on. Does nothing if the folder does not exist.
[[nodiscard]] Result<void> sync_folder(const std::string& folder);

}  // namespace tidemill::each
