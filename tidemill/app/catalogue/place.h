// The catalogue that a verb below `catalogue` opens, and how what the user calls a root or a file
// is found in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

// The flag, for the verbs that open one with open_catalogue().
[[nodiscard]] command::Flag catalogue_flag();
// One that does not exist is never made: that is what a scan does.
[[nodiscard]] Result<catalogue::Catalogue> open_catalogue(
    const cli::Desk& desk,
    catalogue::Catalogue::Access access = catalogue::Catalogue::Access::read);

// What a path may be called in the catalogue: as it was typed, made absolute, and without symlinks.
// The place itself need not exist any more, and may be on another host.
[[nodiscard]] std::vector<std::string> names_of(const std::string& typed);
[[nodiscard]] std::optional<catalogue::RootSummary> root_named(
    const std::string& typed, const std::vector<catalogue::RootSummary>& roots);
// The innermost root that it lies below; empty: none.
[[nodiscard]] std::string root_above(const std::string& typed,
                                     const std::vector<catalogue::RootSummary>& roots);
[[nodiscard]] std::unexpected<Failure> no_such_root(
    const std::string& typed, const std::vector<catalogue::RootSummary>& roots);

}  // namespace tidemill::app
