// The verbs that are described in this folder: those about runs. One file a verb.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] command::Verb describe_tokens();
[[nodiscard]] Result<int> run_tokens(cli::Desk& desk);
[[nodiscard]] command::Verb describe_queue();
[[nodiscard]] Result<int> run_queue(cli::Desk& desk);
[[nodiscard]] command::Verb describe_catalogue();
[[nodiscard]] Result<int> run_catalogue(cli::Desk& desk);

[[nodiscard]] command::Verb describe_runs();
[[nodiscard]] Result<int> run_runs(cli::Desk& desk);
[[nodiscard]] command::Verb describe_show();
[[nodiscard]] Result<int> run_show(cli::Desk& desk);
[[nodiscard]] command::Verb describe_resume();
[[nodiscard]] Result<int> run_resume(cli::Desk& desk);
[[nodiscard]] command::Verb describe_undo();
[[nodiscard]] Result<int> run_undo(cli::Desk& desk);
[[nodiscard]] command::Verb describe_letters();
[[nodiscard]] Result<int> run_letters(cli::Desk& desk);
[[nodiscard]] command::Verb describe_check();
[[nodiscard]] Result<int> run_check(cli::Desk& desk);
[[nodiscard]] command::Verb describe_forget();
[[nodiscard]] Result<int> run_forget(cli::Desk& desk);
[[nodiscard]] command::Verb describe_doctor();
[[nodiscard]] Result<int> run_doctor(cli::Desk& desk);
[[nodiscard]] command::Verb describe_completion();
[[nodiscard]] Result<int> run_completion(cli::Desk& desk);
[[nodiscard]] command::Verb describe_man();
[[nodiscard]] Result<int> run_man(cli::Desk& desk);

}  // namespace tidemill::app
