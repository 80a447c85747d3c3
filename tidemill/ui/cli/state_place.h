// A file of the state folder that a verb keeps without a run: the folder is made if it is not
// there.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/cli/desk.h"

namespace tidemill::cli {

// The path of the file. The folder and those above it are made with mode 0700, as runs make them:
// names of files are nobody else's business. A folder that cannot be made or written in is a
// failure of step `what`, and its hint says what to do; `without` is the flag that needs no such
// file. A folder or file that another user may have made is one of kind usage.
[[nodiscard]] Result<std::string> file_in_state(const run::StateFolder& state,
                                                std::string_view name, const std::string& what,
                                                std::string_view without);

// The same for a file that the user named with the flag --`what`: "catalogue", "shelf". One that is
// not there passes.
[[nodiscard]] Result<void> demand_own_file(const std::string& path, const std::string& what);

// The catalogue: --catalogue, or catalogue.db in the state folder.
inline constexpr std::string_view kCatalogueName = "catalogue.db";
[[nodiscard]] std::string default_catalogue(const Desk& desk);

// Fails with kind usage if another user may have made it or may write it. One that is not there
// passes.
[[nodiscard]] Result<void> demand_own_catalogue(const std::string& path, const Desk& desk);

}  // namespace tidemill::cli
