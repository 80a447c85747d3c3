// SimulationTruth: what really happened in a simulated run, whatever the processes were told. It
// checks each event against the promises of the fleet, and names the first one that is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/fleet.h"
#include "tidemill/engine/journal.h"
#include "tidemill/testing/fleet_simulation/plan.h"
#include "tidemill/testing/memory_fleet.h"

namespace tidemill::testing::simulation {

// One thread.
class SimulationTruth final : public FleetObserver {
 public:
  using Say = std::function<void(const std::string& what)>;

  struct Parts {
    const Plan& plan;
    const engine::Journal& journal;
    const Clock& clock;
    const MemoryFleet& server;
    Say say;  // for the trace; may be empty
  };

  explicit SimulationTruth(Parts parts);

  // Effects at the server.
  void opened(engine::FleetEpoch epoch) override;
  void rolled_back(engine::FleetEpoch epoch) override { newest_ = epoch; }
  void sent(const engine::FleetParcel& parcel) override;
  void taken_back(engine::FleetEpoch by, const engine::FleetParcel& parcel) override;
  void recalled(engine::FleetEpoch by, const engine::FleetParcel& parcel) override;
  void drained(engine::FleetEpoch by, const engine::ParcelReport& report) override;
  void given(const engine::FleetParcel& parcel, const engine::ParcelReport& report) override;
  void confirmed(const engine::WorkerCard& card) override;

  // Tasks in processes. `beside` are the tasks that run in the same process.
  void starts(const std::string& worker, const engine::FleetTask& task,
              const std::set<engine::TaskId>& beside);
  // Returns the text of its result, if it is done: no other execution has it.
  [[nodiscard]] std::string ends(const engine::FleetTask& task, engine::TaskEnd end,
                                 const Failure& failure);
  void crashed(engine::TaskId running);

  // The journal, before it is changed.
  void records(engine::FleetEpoch epoch);
  void commits(const engine::Entry& entry, bool is_owner);

  // A fault struck that may cause so many tasks to be done again.
  void allow(std::size_t tasks) { allowed_ += tasks; }

  void finish();  // the run says that it is complete
  void break_promise(const std::string& promise);

  [[nodiscard]] const std::string& violation() const { return violation_; }
  [[nodiscard]] std::uint64_t executions() const { return executions_; }
  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }

 private:
  using Try = std::tuple<engine::TaskId, int, int>;  // task, attempt, crashes

  void check_epoch(engine::FleetEpoch by, const char* call);
  void check_sizes();
  void check_end(const PlannedTask& task, const engine::TaskRecord& record);
  void commits_entry(const engine::Attempted& entry);
  void commits_entry(const engine::Crashed& entry);
  void commits_entry(const engine::Done& entry);
  void commits_entry(const engine::Died& entry);
  template <class Entry>
  void commits_entry(const Entry& /*entry*/) {}
  [[nodiscard]] engine::TaskRecord record(engine::TaskId id) const;

  void say(const std::string& what) const {
    if (parts_.say) parts_.say(what);
  }

  const Parts parts_;
  const Plan& plan_;
  std::size_t window_ = 0;  // parcels and reports that the fleet may have

  engine::FleetEpoch newest_ = 0;    // at the server
  engine::FleetEpoch recorded_ = 0;  // in the journal
  std::map<engine::ParcelId, std::vector<engine::FleetTask>> sent_;
  std::map<std::string, Instant> confirmed_;
  std::map<Try, std::uint64_t> completed_;
  std::set<Try> failed_;
  std::set<std::string> results_;
  std::map<engine::TaskId, int> crashes_;               // while it was running
  std::map<engine::TaskId, std::string> first_result_;  // in the journal
  std::size_t allowed_ = 0;
  std::uint64_t executions_ = 0;
  std::uint64_t repeated_ = 0;
  std::string violation_;
};

}  // namespace tidemill::testing::simulation
