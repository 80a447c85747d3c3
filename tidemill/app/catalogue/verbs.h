// The verbs below `tidemill catalogue`. One file a verb.
#pragma once

#include "tidemill/app/desk.h"
#include "tidemill/base/result.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

[[nodiscard]] command::Verb describe_catalogue_ls();
[[nodiscard]] Result<int> run_catalogue_ls(Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_show();
[[nodiscard]] Result<int> run_catalogue_show(Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_verify();
[[nodiscard]] Result<int> run_catalogue_verify(Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_hash();
[[nodiscard]] Result<int> run_catalogue_hash(Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_forget();
[[nodiscard]] Result<int> run_catalogue_forget(Desk& desk);
[[nodiscard]] command::Verb describe_catalogue_export();
[[nodiscard]] Result<int> run_catalogue_export(Desk& desk);

}  // namespace tidemill::app
