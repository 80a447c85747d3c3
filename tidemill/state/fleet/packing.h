// The bytes of parcels, reports and worker cards on their way through Redis: a version, then
// varints and strings. Unpacking accepts any bytes: they come from a server that others can write
// to. nullopt: not one of these, or of a version that this program does not know. Fields may be
// added at the end of a record within a version, so bytes after the last known field are ignored.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/engine/fleet.h"

namespace tidemill::fleet {

[[nodiscard]] std::string pack(std::span<const engine::FleetTask> tasks);
[[nodiscard]] std::optional<std::vector<engine::FleetTask>> unpack_tasks(std::string_view bytes);

[[nodiscard]] std::string pack(std::span<const engine::TaskReport> reports);
[[nodiscard]] std::optional<std::vector<engine::TaskReport>> unpack_reports(std::string_view bytes);

[[nodiscard]] std::string pack(const engine::WorkerCard& card);
[[nodiscard]] std::optional<engine::WorkerCard> unpack_card(std::string_view bytes);

}  // namespace tidemill::fleet
