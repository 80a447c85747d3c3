// FleetDispatcher: the one process that owns a run on a fleet. It sends the tasks of the run in
// parcels, commits what the workers report, and sends again what was lost.
//
//   add ──► ready ──► parcel in flight ──► report ──► commit ──► drain
//             ▲              │               │
//             ├──────────────┘               │  taken back from a silent worker, or missing
//             └── delayed ◄──────────────────┘  failed, and will be retried
//
// Every decision is made here and kept in the journal; a worker runs a task once and reports. What
// was committed is drained afterwards, never before. After open() nothing is sent until all parcels
// and reports that the fleet already has were read: work of an earlier dispatcher is adopted, not
// repeated. What a report may change, and what is sent next, is decided in fleet/task_table.h.
//
// step() makes a few calls and never waits. After a call whose answer is unknown it looks for
// missing parcels. Parcels are taken back only after a whole term of answered calls: when the fleet
// itself was away, its workers could not confirm anything.
//
// A step fails, and must be the last, when another dispatcher has taken over (kind superseded) or
// when the journal fails.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/dice.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/fleet.h"
#include "tidemill/engine/journal.h"
#include "tidemill/engine/retry_policy.h"

namespace tidemill::engine {

// What a dispatcher needs of the journal of its run. All functions fail with kind superseded if
// another process owns the journal. One thread.
class FleetJournal {
 public:
  virtual ~FleetJournal() = default;

  [[nodiscard]] virtual Result<FleetEpoch> epoch() = 0;  // the last one recorded; 0: none
  [[nodiscard]] virtual Result<void> record(FleetEpoch epoch) = 0;
  [[nodiscard]] virtual Result<std::optional<TaskRecord>> task(TaskId id) = 0;
  // As Journal::commit(): in order, all or none, durable. reports[i] is the report that entries[i]
  // is from: an implementation may print its text, or keep a part of it elsewhere, first.
  [[nodiscard]] virtual Result<void> commit(std::span<const Entry> entries,
                                            std::span<const TaskReport* const> reports) = 0;
};

struct DispatcherOptions {
  RetryPolicy retry{};
  int most_crashes = 3;                            // then the task fails
  std::chrono::microseconds parcel_work{750'000};  // of one place
  std::size_t parcel_tasks = 256;
  Bytes parcel_bytes = kib(64);         // a larger task travels alone
  std::size_t window_parcels = 20'000;  // in flight, at most (fleet/parcel_size.h)
  Bytes window_bytes = mib(64);
  std::size_t tasks_ahead = 4'096;               // added, but not in flight
  std::size_t reports_at_once = 256;             // in one commit
  std::chrono::milliseconds term{30'000};        // a silent worker loses its parcels after it
  std::chrono::milliseconds look_every{10'000};  // for missing parcels
};

struct DispatcherCounts {
  std::uint64_t opened = 0;
  std::uint64_t parcels_sent = 0;
  std::uint64_t parcels_adopted = 0;     // of an earlier dispatcher
  std::uint64_t parcels_taken_back = 0;  // from silent workers
  std::uint64_t parcels_missing = 0;     // the fleet had lost them
  std::uint64_t stale_reports = 0;       // of a task, which said nothing new
  std::uint64_t unknown_answers = 0;

  bool operator==(const DispatcherCounts&) const = default;
};

// One thread.
class FleetDispatcher {
 public:
  // Fleet, journal and dice must outlive it.
  FleetDispatcher(const DispatcherOptions& options, Fleet& fleet, FleetJournal& journal,
                  Dice& dice);
  FleetDispatcher(const FleetDispatcher&) = delete;
  FleetDispatcher& operator=(const FleetDispatcher&) = delete;
  ~FleetDispatcher();

  [[nodiscard]] bool has_room() const;
  // A task that was pending when it was read from the journal. It does no harm if it was adopted
  // or has been settled since.
  void add(const TaskRecord& task, std::string payload);
  void add_no_more();  // all tasks were added
  // From now on sends nothing and recalls what no worker holds.
  void stop_sending();

  // One round. `wall` is for the entries of the journal.
  [[nodiscard]] Result<void> step(Instant now, WallTime wall);

  [[nodiscard]] bool is_finished() const;  // all tasks were added and are settled
  [[nodiscard]] bool has_landed() const;   // nothing is in flight
  [[nodiscard]] const DispatcherCounts& counts() const;
  // The workers, when they were last asked for.
  [[nodiscard]] const std::vector<WorkerCard>& roster() const;

 private:
  class Round;
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace tidemill::engine
