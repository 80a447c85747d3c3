// Unprinted: output that waits to be printed, in files of the run's spill folder, one or two a
// task: held-ID.out and held-ID.err, or held-ID.event for a line of --jsonl. They are made for
// tasks that wait for their turn (--keep-order), and for what an earlier process has left in its
// logs.
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/each/output/output_log.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::each {

// The output is then in such files, whole or not at all, and no longer in memory. Not synced.
[[nodiscard]] Result<void> hold(TaskOutput& output, const std::string& folder);

// What an earlier process left unprinted, for tasks whose end is in the journal: held, synced and
// by id. Everything else in the folder is removed: those tasks run again. No folder: nothing.
[[nodiscard]] Result<std::vector<TaskOutput>> collect_unprinted(
    const std::string& folder, const journal::SqliteJournal& journal);

// Syncs the file system that the folder is on. No folder: nothing to do.
[[nodiscard]] Result<void> sync_folder(const std::string& folder);

}  // namespace tidemill::each
