// The verbs below `tidemill catalogue`. One file a verb.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] command::Verb describe_catalogue_ls();
[[nodiscard]] Result<int> run_catalogue_ls(cli::Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_show();
[[nodiscard]] Result<int> run_catalogue_show(cli::Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_verify();
[[nodiscard]] Result<int> run_catalogue_verify(cli::Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_hash();
[[nodiscard]] Result<int> run_catalogue_hash(cli::Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_forget();
[[nodiscard]] Result<int> run_catalogue_forget(cli::Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_export();
[[nodiscard]] Result<int> run_catalogue_export(cli::Desk& desk);

}  // namespace tidemill::app
