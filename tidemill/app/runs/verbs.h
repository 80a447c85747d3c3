// The verbs about runs: what was run, how it stands, go on with it, take it back. One file a verb.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/app/program/program.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/job.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

// `undo` is among them if one of the jobs can be undone.
[[nodiscard]] std::vector<VerbEntry> run_verbs(jobs::Jobs jobs);

// Those, and program_verbs(): what a program has beside its jobs.
[[nodiscard]] std::vector<VerbEntry> standard_verbs(jobs::Jobs jobs);

// "dupes": the jobs whose runs can be undone. Empty: none.
[[nodiscard]] std::string undoable_jobs(jobs::Jobs jobs);

// What help says of every RUN argument.
inline constexpr std::string_view kRunHelp = "id of a run, its beginning, last, or last-VERB";
inline constexpr std::string_view kRunNames =
    "RUN is the id of a run, an unambiguous beginning of it, last for the newest run, or last-VERB "
    "for the newest run of a verb, such as last-each. %program runs --names prints them.";

[[nodiscard]] command::Verb describe_runs(const App& app);
[[nodiscard]] Result<int> run_runs(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_show();
[[nodiscard]] Result<int> run_show(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_resume(const App& app);
[[nodiscard]] Result<int> run_resume(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_undo(const App& app);
[[nodiscard]] Result<int> run_undo(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_letters();
[[nodiscard]] Result<int> run_letters(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_check(const App& app);
[[nodiscard]] Result<int> run_check(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_forget();
[[nodiscard]] Result<int> run_forget(cli::Desk& desk, const App& app);

}  // namespace tidemill::app
