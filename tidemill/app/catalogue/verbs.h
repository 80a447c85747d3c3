// The subverbs of `tidemill catalogue`, one file per verb.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] command::Verb describe_catalogue_ls();
[[nodiscard]] Result<int> run_catalogue_ls(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_catalogue_show();
[[nodiscard]] Result<int> run_catalogue_show(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_catalogue_verify();
[[nodiscard]] Result<int> run_catalogue_verify(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_catalogue_hash();
[[nodiscard]] Result<int> run_catalogue_hash(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_catalogue_forget();
[[nodiscard]] Result<int> run_catalogue_forget(cli::CliContext& cli);
[[nodiscard]] command::Verb describe_catalogue_export();
[[nodiscard]] Result<int> run_catalogue_export(cli::CliContext& cli);

}  // namespace tidemill::app
