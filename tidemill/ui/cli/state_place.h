// Files in the state folder that a verb uses without a run. The folder is created if it does not
// exist.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/cli/cli_context.h"

namespace tidemill::cli {

// The path of the file. Missing folders are created with mode 0700, as for runs, because file names
// are private. If the folder cannot be created or written, fails with step `what` and a hint;
// `without` is the flag that avoids the file. Fails with kind usage if another user may have
// created the folder or the file.
[[nodiscard]] Result<std::string> file_in_state(const run::StateFolder& state,
                                                std::string_view name, const std::string& what,
                                                std::string_view without);

// The same check for a file that the user passed with the flag --`what`: "catalogue", "cache". A
// missing file passes.
[[nodiscard]] Result<void> demand_own_file(const std::string& path, const std::string& what);

// The catalogue: --catalogue, or catalogue.db in the state folder.
inline constexpr std::string_view kCatalogueName = "catalogue.db";
[[nodiscard]] std::string default_catalogue(const CliContext& cli);

// Fails with kind usage if another user may have created it or can write it. A missing file passes.
[[nodiscard]] Result<void> demand_own_catalogue(const std::string& path, const CliContext& cli);

}  // namespace tidemill::cli
