// FleetTaskTable: the tasks that a dispatcher knows, and what has become of each. No calls, no
// clock.
//
//                 ┌──────────────── lost, returned, crashed ───────────────┐
//                 ▼                                                        │
//   add ──► ready ──── next_parcel ──► in flight ──── report ──► settled   │
//                 ▲                        │  └────────────────────────────┘
//                 └── wake ── delayed ◄────┘ failed, and will be retried
//
// A report is about one try of a task. It becomes an entry of the journal if it says something new:
//   done, skipped        always, whichever parcel and try it is from: the first one stays
//   failed, crashed      if attempt and crashes are still those of the task
//   returned             if the task is still in that parcel
// Everything else is an old report that arrives again, and changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/dice.h"
#include "tidemill/engine/fleet.h"
#include "tidemill/engine/journal.h"
#include "tidemill/engine/retry_policy.h"

namespace tidemill::engine {

// One thread.
class FleetTaskTable {
 public:
  struct Options {
    RetryPolicy retry{};
    int most_crashes = 3;  // then the task fails
  };

  explicit FleetTaskTable(Options options) : options_(options) {}

  // A pending task, read from the journal. Ignored if it was adopted before.
  void add(const TaskRecord& record, std::string payload);
  // A pending task that is in a parcel or a report of an earlier dispatcher. Without a payload it
  // is not sent before it is added.
  void adopt(const TaskRecord& record, std::optional<std::string> payload);
  [[nodiscard]] bool knows(TaskId id) const { return tasks_.contains(id); }

  // Takes ready tasks: at most `limit`, and of `bytes` if it is more than one. A suspect is taken
  // alone, and only if nothing else is ready and `with_suspects`.
  [[nodiscard]] std::vector<FleetTask> take(std::size_t limit, Bytes bytes, bool with_suspects);
  // They were sent in this parcel.
  void launch(ParcelId id, std::span<const FleetTask> tasks);
  // A parcel of an earlier dispatcher is still there; its tasks were adopted.
  void adopt_parcel(const FleetParcel& parcel);
  // The parcel is answered, taken back or lost: tasks that are still in it are ready again.
  void land(ParcelId id);

  // Applies a report. The entries must be committed before anything else is done with this table.
  // False: it says nothing new.
  bool settle(ParcelId parcel, const TaskReport& report, Instant now, WallTime wall, Dice& dice,
              std::vector<Entry>& entries);

  // Makes delayed tasks ready.
  void wake(Instant now);

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] std::size_t ready() const { return ready_count_ + suspects_.size(); }
  // Ready or delayed. Not the suspects, which wait until all others were sent, and not what waits
  // for its payload: both need room for others first.
  [[nodiscard]] std::size_t ahead() const { return ready_count_ + delayed_.size(); }
  [[nodiscard]] std::size_t in_flight() const { return flights_.size(); }  // parcels
  [[nodiscard]] Bytes bytes_in_flight() const { return bytes_in_flight_; }
  [[nodiscard]] bool is_in_flight(ParcelId id) const { return flights_.contains(id); }
  [[nodiscard]] std::vector<ParcelId> parcels() const;

 private:
  enum class State : std::uint8_t { waiting, ready, suspect, delayed, in_flight };

  struct TaskEntry {
    FleetTask task{};
    State state = State::waiting;  // for its payload
    bool has_payload = false;
    ParcelId parcel{};  // in flight
    Instant due{};      // delayed
  };

  struct Flight {
    std::vector<TaskId> tasks{};
    Bytes size{};
  };

  [[nodiscard]] TaskEntry& insert(const TaskRecord& record);
  void move_to(TaskEntry& entry, State state);
  void make_ready(TaskEntry& entry);
  void fail(TaskEntry& entry, const TaskReport& report, Instant now, WallTime wall, Dice& dice,
            std::vector<Entry>& entries);
  void crash(TaskEntry& entry, WallTime wall, std::vector<Entry>& entries);
  void forget(TaskEntry& entry);

  const Options options_;
  std::unordered_map<TaskId, TaskEntry> tasks_;
  std::unordered_set<TaskId> early_;  // adopted, and not added yet
  std::deque<TaskId> ready_;          // may name tasks that are not ready any more
  std::size_t ready_count_ = 0;
  std::set<std::pair<int, TaskId>> suspects_;  // those with the fewest crashes first
  std::set<std::pair<Instant, TaskId>> delayed_;
  std::map<ParcelId, Flight> flights_;
  Bytes bytes_in_flight_{};
};

}  // namespace tidemill::engine
