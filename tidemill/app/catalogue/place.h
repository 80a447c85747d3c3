// Where the catalogue is, for every verb that has one: --catalogue, or catalogue.db in the state
// folder. And how what the user calls a root or a file is found in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/app/desk.h"
#include "tidemill/base/result.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

inline constexpr std::string_view kCatalogueName = "catalogue.db";
[[nodiscard]] std::string default_catalogue(const Desk& desk);

// Fails with step "usage" if another user may have made it or may write it. One that is not there
// passes.
[[nodiscard]] Result<void> demand_own_catalogue(const std::string& path, const Desk& desk);

// The flag, for the verbs that open one with open_catalogue().
[[nodiscard]] command::Flag catalogue_flag();
// One that does not exist is never made: that is what a scan does.
[[nodiscard]] Result<catalogue::Catalogue> open_catalogue(
    const Desk& desk, catalogue::Catalogue::Access access = catalogue::Catalogue::Access::read);

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
