// Fleet: the tasks of one run, worked on by processes on many hosts. This is the protocol between
// the dispatcher of the run (fleet_dispatcher.h) and its workers (fleet_worker.h).
//
//             send                receive                give
//   dispatcher ───► waiting parcel ─────► held by a worker ───► result ─── drain ──► gone
//       ▲               │ recall              │ take_back           │
//       └───────────────┴─────────────────────┴─────────────────────┘
//
// Tasks travel in parcels, results in reports, one per parcel. The run's journal is the only truth,
// and a fleet holds a bounded window of it. So a fleet may forget anything at any time: a parcel
// that is neither in the fleet nor answered is missing(), and is sent again. Work may be repeated,
// but no task is lost, and the journal keeps the first outcome.
//
// What every fleet promises:
//   - a parcel has at most one holder, and only the holder gives its report: give() removes the
//     parcel and stores the report in one step, or does neither;
//   - a worker name belongs to one process, so a process that was replaced cannot give;
//   - open() starts an epoch above all earlier ones; send, take_back, recall, drain and roster of
//     an earlier epoch have no effect and fail with kind superseded, Cure::give_up;
//   - reports stay until they are drained by id.
//
// Every answer may be unknown: a failure with Cure::retry means that the call may have had its
// effect, or may have it later. Kind not_found with Cure::retry means that the fleet does not know
// the run: it was never opened, or the fleet has forgotten it. The call had no effect; open()
// again.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

using FleetEpoch = std::uint64_t;

// Numbers grow within an epoch, and epochs grow within a run: no id is used twice.
struct ParcelId {
  FleetEpoch epoch = 0;
  std::uint64_t number = 0;

  auto operator<=>(const ParcelId&) const = default;
};

// One try of a task. A report repeats attempt and crashes: this makes an old report harmless.
struct FleetTask {
  TaskId id = 0;
  int attempt = 1;        // 1 for the first
  int crashes = 0;        // of processes that ran it; above 0 it must run alone in its process
  std::string payload{};  // what the worker needs to know: any bytes

  bool operator==(const FleetTask&) const = default;
};

// What a parcel takes of the limits in bytes: the payloads, and a little for each task.
[[nodiscard]] Bytes size_of(std::span<const FleetTask> tasks);

struct FleetParcel {
  ParcelId id{};
  std::vector<FleetTask> tasks{};
  std::string holder{};  // the worker that has it; empty: it waits

  bool operator==(const FleetParcel&) const = default;
};

enum class TaskEnd : std::uint8_t {
  done,
  skipped,  // there was nothing to do
  failed,
  crashed,   // it was running when the process crashed
  returned,  // it was not started, or was stopped: run it elsewhere, without blame
};

struct TaskReport {
  TaskId id = 0;
  int attempt = 1;  // as in the FleetTask
  int crashes = 0;
  TaskEnd end = TaskEnd::returned;
  // The result of a done task, the reason of a skipped one, what a failed one leaves behind (its
  // output): any bytes.
  std::string text{};
  Failure failure{};  // of a failed one
  std::chrono::microseconds took{0};

  bool operator==(const TaskReport&) const = default;
};

// The order in which reports arrived, as the fleet numbers them. After a failover a fleet may use
// an id again: never remember one beyond the next drain().
struct ReportId {
  std::uint64_t time = 0;
  std::uint64_t sequence = 0;

  auto operator<=>(const ReportId&) const = default;
};

struct ParcelReport {
  ReportId id{};
  ParcelId parcel{};
  std::string worker{};
  std::vector<TaskReport> tasks{};

  bool operator==(const ParcelReport&) const = default;
};

struct TakenParcel {
  ParcelId id{};
  std::string worker{};               // that did not confirm it
  std::chrono::milliseconds idle{0};  // since it last did

  bool operator==(const TakenParcel&) const = default;
};

// What a worker says about itself. `places` is the number of tasks it runs at once.
struct WorkerCard {
  std::string name{};
  std::string host{};
  std::uint32_t places = 1;
  std::vector<TaskId> running{};

  bool operator==(const WorkerCard&) const = default;
};

// The dispatcher's side. One thread.
class Fleet {
 public:
  virtual ~Fleet() = default;

  // Starts an epoch above `known`, above every epoch that the fleet remembers, and above that of
  // every parcel it has. `known` is the last epoch in the journal: a fleet that has forgotten
  // everything cannot go back. Kind held, Cure::give_up: another run has the name.
  [[nodiscard]] virtual Result<FleetEpoch> open(FleetEpoch known) = 0;

  // Adds parcels of this epoch, in the order of their numbers; a prefix of them if it fails.
  [[nodiscard]] virtual Result<void> send(std::span<const FleetParcel> parcels) = 0;

  // All parcels without a report, whichever epoch sent them.
  [[nodiscard]] virtual Result<std::vector<FleetParcel>> parcels() = 0;

  // Of these parcels, those that the fleet does not have and that no report answers.
  [[nodiscard]] virtual Result<std::vector<ParcelId>> missing(std::span<const ParcelId> ids) = 0;

  // The oldest reports, at most `limit`, and fewer if they are large; none: there is none. Always
  // from the beginning: a cursor would jump over reports whose ids a failover has turned back.
  [[nodiscard]] virtual Result<std::vector<ParcelReport>> reports(std::size_t limit) = 0;

  // Removes reports whose outcomes are in the journal. An id that is gone is ignored.
  [[nodiscard]] virtual Result<void> drain(std::span<const ReportId> ids) = 0;

  // Removes the parcels that their holders have not confirmed for `idle` or longer.
  [[nodiscard]] virtual Result<std::vector<TakenParcel>> take_back(
      std::chrono::milliseconds idle) = 0;

  // Removes the parcels that no worker holds.
  [[nodiscard]] virtual Result<std::vector<ParcelId>> recall() = 0;

  // The workers that have confirmed themselves lately.
  [[nodiscard]] virtual Result<std::vector<WorkerCard>> roster() = 0;
};

// A worker's side, under the name of one process. One thread.
class FleetMember {
 public:
  virtual ~FleetMember() = default;

  // Takes at most `limit` waiting parcels, the oldest first.
  [[nodiscard]] virtual Result<std::vector<FleetParcel>> receive(std::size_t limit) = 0;

  // Everything this name holds. After an unknown receive() these may be more than it knows of.
  [[nodiscard]] virtual Result<std::vector<FleetParcel>> held() = 0;

  // Reports on a parcel. False: this name does not hold it, and nothing was stored; either it was
  // taken back, or an earlier give() with an unknown answer succeeded.
  [[nodiscard]] virtual Result<bool> give(ParcelId parcel, std::span<const TaskReport> reports) = 0;

  // Confirms that this worker lives and works on these parcels, as far as it holds them. Returns
  // everything that it holds: less than it named if parcels were taken back, more if a delivery got
  // lost on the way.
  [[nodiscard]] virtual Result<std::vector<ParcelId>> confirm(const WorkerCard& card,
                                                              std::span<const ParcelId> ids) = 0;
};

// Whether the call that failed like this may have had its effect.
[[nodiscard]] inline bool is_unknown(const Failure& failure) {
  return failure.cure == Cure::retry && failure.kind != FailureKind::not_found;
}
// Whether the fleet does not know the run.
[[nodiscard]] inline bool is_forgotten(const Failure& failure) {
  return failure.cure == Cure::retry && failure.kind == FailureKind::not_found;
}

}  // namespace tidemill::engine
