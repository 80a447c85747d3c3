// The bytes of what stands on the board of a fleet (board.h): a version, then fields, each a name
// and a value with their lengths. A name may come several times: a list. Fields may be added, and
// unknown ones are ignored. Unpacking accepts any bytes: they come from a server that others can
// write to. nullopt: not one of these, of a version that this program does not know, or with longer
// lists than anybody publishes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/state/fleet/board.h"

namespace tidemill::fleet {

// Roots of a run, recipes and refusals of a worker. Further refusals are not packed.
inline constexpr std::size_t kMostListed = 1'000;

[[nodiscard]] std::string pack(const PublishedRun& run);
[[nodiscard]] std::optional<PublishedRun> unpack_run(std::string_view bytes);

[[nodiscard]] std::string pack(const FleetHost& host);
[[nodiscard]] std::optional<FleetHost> unpack_host(std::string_view bytes);

}  // namespace tidemill::fleet
