// FleetSimulation: dispatchers, workers, hosts and a server in one thread, on a fake clock. One
// seed is one history: the same seed gives the same events in the same order, on every machine.
//
//   seed ──► plan: tasks, hosts, and which faults happen how often
//        ──► world: every process steps when its time comes; faults strike for half a minute; then
//            everything heals, and the run must finish
//        ──► truth: sees what really happened, and names the first broken promise
//
// The parts under test are the real ones: FleetDispatcher, FleetWorker and MemoryJournal. The fleet
// is a MemoryFleet. A planted fault replaces one piece by a wrong one: a simulation that does not
// find it would not find such a mistake in the program either.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tidemill/engine/fleet_dispatcher.h"

namespace tidemill::testing {

enum class PlantedFault : std::uint8_t {
  none,
  // Of the dispatcher.
  drains_before_commit,
  reads_reports_by_cursor,
  never_looks_for_missing,
  ignores_parcels_before,
  ignores_reports_before,
  takes_back_too_early,
  ignores_the_window,
  counts_old_attempts,
  // Of the journal.
  last_result_wins,
  stale_owner_commits,
  // Of a worker.
  retries_by_itself,
  starts_without_contact,
  runs_suspects_in_company,
  forgets_lost_deliveries,
  trusts_lost_answers,
  blames_returned_tasks,
  blames_after_reboot,
  // Of the server.
  stale_may_send,
  stale_may_take_back,
  stale_may_drain,
  anyone_may_give,
  epochs_go_back,
  recalls_held_parcels,
  loses_reports,
  confirms_for_all,
};
inline constexpr std::size_t kPlantedFaults = 26;

[[nodiscard]] std::string_view name_of(PlantedFault fault);

struct SimulationReport {
  std::string violation{};  // the first broken promise; empty: none
  std::uint64_t events = 0;
  std::uint64_t executions = 0;  // of tasks
  std::uint64_t repeated = 0;    // those that had been done before
  std::uint64_t faults = 0;      // that struck
  std::uint64_t seconds = 0;     // simulated
  engine::DispatcherCounts dispatchers{};

  bool operator==(const SimulationReport&) const = default;
};

using SimulationTrace = std::function<void(std::string_view line)>;

[[nodiscard]] SimulationReport simulate_fleet(std::uint64_t seed,
                                              PlantedFault planted = PlantedFault::none,
                                              const SimulationTrace& trace = {});

}  // namespace tidemill::testing
