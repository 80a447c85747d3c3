// Formats the runs and hosts of a fleet for people and for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/state/fleet/board.h"

namespace tidemill::app {

struct FleetRunRow {
  fleet::FleetBoard::Listed listed{};
  fleet::FleetWindow window{};
};

// What one command shows. Absent: not asked for.
struct FleetView {
  std::string fleet{};
  bool is_verified = false;
  std::optional<std::vector<FleetRunRow>> runs{};
  std::optional<std::vector<fleet::FleetBoard::Announced>> hosts{};
  std::vector<std::string> drained{};
  std::vector<fleet::PublishedRun> known{};  // all runs, to show the ids of those that hosts refuse
};

// "running"; "paused"; "unsigned"; "silent": its coordinator has not published it for a minute; or
// "starting": the server does not have its parcels.
[[nodiscard]] std::string_view state_of(const FleetRunRow& row);

// How the user names a run: by its id, or by its name if another run of the list has the same id.
[[nodiscard]] std::string label_of(const fleet::PublishedRun& run,
                                   const std::vector<fleet::PublishedRun>& all);

// Tables, and a line for each run that a host refuses. Without a width (a pipe) nothing is
// shortened or left out. Empty: there is nothing to show.
[[nodiscard]] std::string text_of(const FleetView& view, std::optional<std::size_t> width);
[[nodiscard]] std::string json_of(const FleetView& view);

}  // namespace tidemill::app
