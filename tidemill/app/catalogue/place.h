// Opens the catalogue for the subverbs of `catalogue`, and finds the root or file that the user
// typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

// The --catalogue flag that open_catalogue() reads.
[[nodiscard]] command::Flag catalogue_flag();
// The file that it names.
[[nodiscard]] std::string catalogue_path(const cli::CliContext& cli);
// Never creates a catalogue; only a scan does.
[[nodiscard]] Result<catalogue::Catalogue> open_catalogue(
    const cli::CliContext& cli,
    catalogue::Catalogue::Access access = catalogue::Catalogue::Access::read);

// The names that a path may have in the catalogue: as typed, absolute, and without symlinks. The
// path need not exist, and may be on another host.
[[nodiscard]] std::vector<std::string> names_of(const std::string& typed);
[[nodiscard]] std::optional<catalogue::RootSummary> root_named(
    const std::string& typed, const std::vector<catalogue::RootSummary>& roots);
// The innermost root that contains the path; empty: none.
[[nodiscard]] std::string root_above(const std::string& typed,
                                     const std::vector<catalogue::RootSummary>& roots);
[[nodiscard]] std::unexpected<Failure> no_such_root(
    const std::string& typed, const std::vector<catalogue::RootSummary>& roots);

}  // namespace tidemill::app
