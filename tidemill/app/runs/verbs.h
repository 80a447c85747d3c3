// The verbs about runs: what was run, how it stands, go on with it, take it back. One file a verb.
#pragma once

#include <vector>

#include "tidemill/app/program/program.h"
#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] std::vector<VerbEntry> run_verbs();

[[nodiscard]] command::Verb describe_runs();
[[nodiscard]] Result<int> run_runs(cli::Desk& desk);
[[nodiscard]] command::Verb describe_show();
[[nodiscard]] Result<int> run_show(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_resume();
[[nodiscard]] Result<int> run_resume(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_undo(const App& app);
[[nodiscard]] Result<int> run_undo(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_letters();
[[nodiscard]] Result<int> run_letters(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_check();
[[nodiscard]] Result<int> run_check(cli::Desk& desk, const App& app);
[[nodiscard]] command::Verb describe_forget();
[[nodiscard]] Result<int> run_forget(cli::Desk& desk, const App& app);

}  // namespace tidemill::app
