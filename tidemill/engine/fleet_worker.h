// FleetWorker: what one process does for one run on a fleet. It takes parcels, says which task to
// start next, and reports on each parcel when its last task has ended.
//
//   receive ──► tasks to start ──► running ──► ended ──► give
//                    │                │
//                    └── hand_back ───┘ returned, without blame
//
// A parcel belongs to this process as long as it confirms it; `held()` after an unknown answer
// finds parcels whose delivery was lost on the way. No task is started when the last confirmed
// contact is older than 0.8 terms: the dispatcher may have sent its parcel to another worker. A
// task that runs by then runs on; if the parcel was taken back meanwhile, its report is refused.
//
// A suspect, a task that was running in a process that crashed, is started only while nothing else
// runs here, and nothing is started beside it. So if the process crashes again, no other task is
// blamed.
//
// When the process dies, its successor on the same host reports in its name: last_report() is that
// report. A log tells it what was running. After a restart of the host there is no such log, so no
// task is blamed, and the dispatcher takes the parcels back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/fleet.h"

namespace tidemill::engine {

// A parcel in the hands of a worker.
struct ParcelInHand {
  FleetParcel parcel{};
  std::vector<TaskReport> ended{};
  std::set<TaskId> running{};
  Bytes text_bytes{};  // of `ended`
};

// The report on a parcel whose worker process died: what had ended, what was running, and the rest.
[[nodiscard]] std::vector<TaskReport> last_report(const ParcelInHand& in_hand);

struct FleetWorkerOptions {
  std::string name{};  // of this process, never used again
  std::string host{};
  std::uint32_t places = 1;                // tasks at once
  std::chrono::milliseconds term{30'000};  // as the dispatcher's
  // Between two calls that ask for parcels when there were none. Parcels that are delivered
  // meanwhile end the pause.
  std::chrono::milliseconds poll{0};
  // When the texts of a report are larger, the tasks of its parcel that have not started are
  // returned: a report has to fit into the memory of all who handle it.
  Bytes report_bytes = mib(4);
};

struct FleetWorkerCounts {
  std::uint64_t received = 0;  // parcels
  std::uint64_t given = 0;
  std::uint64_t refused = 0;  // reports that came too late, or would have
  std::uint64_t lost = 0;     // parcels that were taken back, or forgotten, in our hands
  std::uint64_t unknown_answers = 0;
};

// One thread.
class FleetWorker {
 public:
  // The member must outlive it.
  FleetWorker(FleetWorkerOptions options, FleetMember& member);

  // One round: gives finished parcels, confirms the others, takes more. Never waits. An unknown
  // answer is tried again in the next step; other failures are returned.
  [[nodiscard]] Result<void> step(Instant now);
  // When step() is due, even if nothing has happened: later, the parcels may be taken back. In the
  // past if the last answer was unknown.
  [[nodiscard]] Instant next_confirm() const { return next_confirm_; }

  // How many tasks it may run at once from now on: a process that works on several runs divides its
  // places between them. Running tasks are not affected.
  void set_places(std::uint32_t places) { options_.places = places; }
  // For a process that waits for parcels of all its runs in one call: hands over what this name has
  // received, or says that such a call got no answer.
  void deliver(std::vector<FleetParcel> parcels) {
    next_receive_ = {};
    take_in(std::move(parcels));
  }
  void doubt() { is_in_doubt_ = true; }

  // A task that must run alone is running or waits: a process that works on several runs starts
  // nothing of the others meanwhile.
  [[nodiscard]] bool has_suspect() const;
  [[nodiscard]] std::size_t running() const { return running_.size(); }
  // Whether it would take more parcels now.
  [[nodiscard]] bool wants_more() const { return wanted() > 0; }
  // The next task to start, if a place is free and it may be started now. It is running then.
  [[nodiscard]] std::optional<FleetTask> start(Instant now);
  // A running task has ended. Ignored if its parcel was lost meanwhile.
  void end(TaskReport report);
  // Running tasks whose parcels were lost: stop them and forget them. Each is returned once.
  [[nodiscard]] std::vector<TaskId> take_lost();

  // Starts nothing and takes nothing any more; what was not started is returned with the next
  // step().
  void hand_back();
  // It holds nothing, as far as it knows, and no delivery may have been lost.
  [[nodiscard]] bool is_empty() const { return parcels_.empty() && !is_in_doubt_; }

  [[nodiscard]] std::vector<ParcelInHand> in_hand() const;  // as its log has them
  [[nodiscard]] const FleetWorkerCounts& counts() const { return counts_; }

 private:
  [[nodiscard]] Result<void> give_finished();
  [[nodiscard]] Result<void> confirm(Instant now);
  [[nodiscard]] Result<void> find_delivered();
  [[nodiscard]] Result<void> receive(Instant now);

  void take_in(std::vector<FleetParcel> parcels);
  void return_waiting(ParcelId id);
  void lose(ParcelId id);
  void lose_all();
  [[nodiscard]] std::size_t wanted() const;

  template <class T>
  [[nodiscard]] Result<bool> heard(const Result<T>& answer);

  FleetWorkerOptions options_;
  FleetMember& member_;
  std::map<ParcelId, ParcelInHand> parcels_;
  struct Waiting {
    ParcelId parcel{};
    FleetTask task{};
  };
  std::deque<Waiting> waiting_;
  std::map<TaskId, ParcelId> running_;
  std::vector<TaskId> lost_;
  bool runs_a_suspect_ = false;
  bool is_handing_back_ = false;
  bool is_in_doubt_ = false;  // a delivery may have been lost on the way
  std::size_t last_size_ = 1;
  std::optional<Instant> confirmed_at_{};  // when the last successful confirm() was sent
  Instant next_confirm_{};
  Instant next_receive_{};
  FleetWorkerCounts counts_;
};

}  // namespace tidemill::engine
