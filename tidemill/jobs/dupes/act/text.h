// The texts about acting on duplicates: of a plan, of a run, of skipped and failed steps, and of
// `undo`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/act/act.h"
#include "tidemill/jobs/dupes/act/plan.h"
#include "tidemill/jobs/dupes/act/undo.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::dupes {

inline constexpr std::string_view kNothingToAct =
    "Nothing to do: there are no duplicates to act on.";

[[nodiscard]] std::string text_of(const PlanTotals& totals, Action action);

// "Run X: 3 done (2.1 GB reclaimed), 0 skipped, 0 failed."
[[nodiscard]] std::string text_of(const ActReport& report, const std::string& id);

// Commands to run next, one per line; empty when there are none.
[[nodiscard]] std::string next_steps(const ActReport& report, const std::string& id);

// Why steps were declined or failed: a table of the most frequent reasons, empty without any.
[[nodiscard]] Result<std::string> reasons_text(const journal::SqliteJournal& journal,
                                               std::optional<std::size_t> width);

// One object on one line. An empty id: there was nothing to do, so there is no run.
[[nodiscard]] std::string json_of(const ActReport& report, const std::string& id);

// Of `undo`.
[[nodiscard]] std::string json_of(const UndoReport& report, const std::string& run);
[[nodiscard]] std::string text_of(const UndoReport& report, const std::string& id);
[[nodiscard]] std::vector<std::string> undo_description();  // paragraphs

}  // namespace tidemill::dupes
