// The verbs that manage runs: list, show, resume, undo and so on. One file per verb.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/app/program/program.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/job.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

// Includes `undo` if one of the jobs can be undone.
[[nodiscard]] std::vector<VerbEntry> run_verbs(jobs::Jobs jobs);

// run_verbs() and program_verbs(): all verbs of a program besides its jobs.
[[nodiscard]] std::vector<VerbEntry> standard_verbs(jobs::Jobs jobs);

// The jobs whose runs can be undone, such as "dupes". Empty: none.
[[nodiscard]] std::string undoable_jobs(jobs::Jobs jobs);

// The help text of every RUN argument.
inline constexpr std::string_view kRunHelp = "id of a run, its beginning, last, or last-VERB";
inline constexpr std::string_view kRunNames =
    "RUN is the id of a run, an unambiguous beginning of it, last for the newest run, or last-VERB "
    "for the newest run of a verb, such as last-each. %program runs --names prints them.";

[[nodiscard]] command::Verb describe_runs(const App& app);
[[nodiscard]] Result<int> run_runs(cli::CliContext& cli, const App& app);
[[nodiscard]] command::Verb describe_show();
[[nodiscard]] Result<int> run_show(cli::CliContext& cli, const App& app);
[[nodiscard]] command::Verb describe_report();
[[nodiscard]] Result<int> run_report(cli::CliContext& cli, const App& app);
[[nodiscard]] command::Verb describe_resume(const App& app);
[[nodiscard]] Result<int> run_resume(cli::CliContext& cli, const App& app);
[[nodiscard]] command::Verb describe_undo(const App& app);
[[nodiscard]] Result<int> run_undo(cli::CliContext& cli, const App& app);
[[nodiscard]] command::Verb describe_failures(const App& app);
[[nodiscard]] Result<int> run_failures(cli::CliContext& cli, const App& app);
[[nodiscard]] command::Verb describe_check(const App& app);
[[nodiscard]] Result<int> run_check(cli::CliContext& cli, const App& app);
[[nodiscard]] command::Verb describe_forget();
[[nodiscard]] Result<int> run_forget(cli::CliContext& cli, const App& app);

}  // namespace tidemill::app
