// The world of a simulated run: its clock, its processes, and the faults that strike them.
//
//   events, by time ──► dispatcher steps ──┐
//                   ──► worker steps ──────┼──► MemoryFleet, MemoryJournal
//                   ──► faults strike      │         └──► SimulationTruth
//                   ──► processes start ───┘
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/engine/fleet_dispatcher.h"
#include "tidemill/engine/fleet_worker.h"
#include "tidemill/engine/journal.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/fleet_simulation.h"
#include "tidemill/testing/fleet_simulation/network.h"
#include "tidemill/testing/fleet_simulation/plan.h"
#include "tidemill/testing/fleet_simulation/truth.h"
#include "tidemill/testing/memory_fleet.h"

namespace tidemill::testing::simulation {

// One thread.
class FleetWorld {
 public:
  FleetWorld(std::uint64_t seed, PlantedFault planted, SimulationTrace trace);
  FleetWorld(const FleetWorld&) = delete;
  FleetWorld& operator=(const FleetWorld&) = delete;
  ~FleetWorld();

  [[nodiscard]] SimulationReport run();

 private:
  class OwnedJournal;
  struct DispatcherProcess;
  struct WorkerProcess;
  struct Host;
  struct Execution;
  // What a worker process that died had in hand, as its successor on the host finds it.
  struct LeftBehind {
    std::string worker;
    std::vector<engine::ParcelInHand> parcels;
  };

  void at(Instant when, std::function<void()> event);
  void after(milliseconds delay, std::function<void()> event) {
    at(clock_.now() + delay, std::move(event));
  }
  void say(const std::string& what) const;

  // Dispatchers. The newest owns the journal.
  void start_dispatcher();
  void watch_dispatchers();
  void step(const std::shared_ptr<DispatcherProcess>& process);
  void feed(DispatcherProcess& process);
  void end(DispatcherProcess& process, std::string_view why);
  [[nodiscard]] std::shared_ptr<DispatcherProcess> running_dispatcher() const;

  // Workers: one per host at a time.
  void start_worker(Host& host);
  void restart_worker(Host& host);
  void step(Host& host, const std::shared_ptr<WorkerProcess>& process);
  void report_for_predecessors(WorkerProcess& process);
  // False: the process has crashed.
  [[nodiscard]] bool end_executions(Host& host, WorkerProcess& process);
  void begin_executions(WorkerProcess& process);
  void crash(Host& host);
  void lose(Host& host);  // the process is gone without a trace
  [[nodiscard]] std::size_t tasks_in_hand(const WorkerProcess& process) const;
  [[nodiscard]] engine::TaskReport outcome_of(const engine::FleetTask& task);

  // Faults.
  void schedule_faults();
  void strike(milliseconds mean, std::function<void()> fault);
  [[nodiscard]] Host* some_host();
  void crash_dispatcher();
  void stop_dispatcher();
  void pause_dispatcher();
  void kill_worker();
  void pause_worker();
  void stop_worker();
  void reboot_host();
  void lose_host();
  void partition();
  void stop_server();
  void forget();
  void roll_back();

  const PlantedFault planted_;
  const SimulationTrace trace_;
  Chance chance_;
  const Plan plan_;
  FakeClock clock_;
  const Instant began_ = clock_.now();
  bool is_healed_ = false;
  Instant away_until_{};  // the server
  bool is_complete_ = false;

  const std::unique_ptr<engine::Journal> journal_;
  engine::FleetEpoch recorded_epoch_ = 0;
  std::uint64_t owner_ = 0;  // of the journal
  MemoryFleet server_;
  SimulationTruth truth_;

  std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> events_;
  std::uint64_t last_event_ = 0;
  std::vector<std::shared_ptr<DispatcherProcess>> dispatchers_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::uint64_t last_process_ = 0;
  std::map<engine::TaskId, int> put_off_;
  SimulationReport report_;
};

}  // namespace tidemill::testing::simulation
