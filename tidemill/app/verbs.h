// The verbs that are described in this folder: those about runs. One file a verb.
#pragma once

#include "tidemill/app/desk.h"
#include "tidemill/base/result.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] Result<int> run_each(Desk& desk);
[[nodiscard]] Result<int> run_dupes(Desk& desk);
[[nodiscard]] Result<int> run_import(Desk& desk);
[[nodiscard]] Result<int> run_batch(Desk& desk);
[[nodiscard]] Result<int> run_docs(Desk& desk);
[[nodiscard]] command::Verb describe_books();
[[nodiscard]] Result<int> run_books(Desk& desk);
[[nodiscard]] command::Verb describe_tokens();
[[nodiscard]] Result<int> run_tokens(Desk& desk);
[[nodiscard]] command::Verb describe_queue();
[[nodiscard]] Result<int> run_queue(Desk& desk);
[[nodiscard]] command::Verb describe_catalogue();
[[nodiscard]] Result<int> run_catalogue(Desk& desk);

[[nodiscard]] command::Verb describe_runs();
[[nodiscard]] Result<int> run_runs(Desk& desk);
[[nodiscard]] command::Verb describe_show();
[[nodiscard]] Result<int> run_show(Desk& desk);
[[nodiscard]] command::Verb describe_resume();
[[nodiscard]] Result<int> run_resume(Desk& desk);
[[nodiscard]] command::Verb describe_undo();
[[nodiscard]] Result<int> run_undo(Desk& desk);
[[nodiscard]] command::Verb describe_letters();
[[nodiscard]] Result<int> run_letters(Desk& desk);
[[nodiscard]] command::Verb describe_check();
[[nodiscard]] Result<int> run_check(Desk& desk);
[[nodiscard]] command::Verb describe_forget();
[[nodiscard]] Result<int> run_forget(Desk& desk);
[[nodiscard]] command::Verb describe_doctor();
[[nodiscard]] Result<int> run_doctor(Desk& desk);
[[nodiscard]] command::Verb describe_completion();
[[nodiscard]] Result<int> run_completion(Desk& desk);
[[nodiscard]] command::Verb describe_man();
[[nodiscard]] Result<int> run_man(Desk& desk);

}  // namespace tidemill::app
