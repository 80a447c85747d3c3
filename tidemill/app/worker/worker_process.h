// WorkerProcess: the loop of `tidemill worker`. It serves every run of a fleet that it can:
//
//   board: runs ──► a ServedRun each ──► tasks in threads ──► ended ──► reports
//      ▲ announce                ▲
//      └────── ParcelWatch ──────┘ one blocking call for the parcels of all runs
//
// A free place goes to the run that has been served least for its weight. A task that must run
// alone (engine/fleet_worker.h) runs while nothing else does, of any run.
//
// A run is refused, with a reason that everybody can read on the board, if it is not signed with
// our key, if this program does not have its recipe in that version, or if its folders are not the
// same here.
//
// Each process has a folder below the state folder while it lives. If it was killed, the next one
// on this host reports in its name (predecessors.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tidemill/app/worker/ended_tasks.h"
#include "tidemill/app/worker/parcel_watch.h"
#include "tidemill/app/worker/served_run.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/log.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/recipe.h"
#include "tidemill/state/fleet/board.h"
#include "tidemill/state/fleet/redis_fleet.h"
#include "tidemill/state/fleet/roots.h"
#include "tidemill/state/run/run_lock.h"
#include "tidemill/ui/command/console.h"
#include "tidemill/ui/command/verb.h"
#include "tidemill/ui/redis_flags/fleet_flags.h"

namespace tidemill::app {

// What the process has done, for its last message.
struct WorkerTotals {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t returned = 0;
  std::uint64_t refused = 0;  // reports that came too late
  std::uint64_t forged = 0;   // parcels without a valid signature
};

// One thread, but seen() by any.
class WorkerProcess {
 public:
  struct Options {
    redis_flags::FleetChoice choice{};
    std::size_t places = 1;
    fleet::RootMap map{};
    std::vector<std::string> only{};              // recipes; empty: all
    std::map<std::string, std::uint32_t> limits;  // places a recipe may use at most
    std::optional<std::chrono::milliseconds> until_idle{};
    std::string folder{};  // for the folders of the processes on this fleet
    std::string version{};
  };
  struct Parts {
    std::vector<const jobs::Recipe*> recipes{};
    const command::Program& program;
    command::Console& console;
    const Clock& clock;
    Log& log;
    std::stop_token stop{};
    std::stop_token kill{};
    // Whether the stop was typed: then running commands get a moment to finish.
    std::function<bool()> is_typed{};
  };

  [[nodiscard]] static Result<std::unique_ptr<WorkerProcess>> make(Options options, Parts parts);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  // Works until it is stopped, or idle for long enough.
  [[nodiscard]] Result<WorkerTotals> run();

  // For a display; by any thread.
  struct Seen {
    WorkerTotals totals{};
    std::vector<engine::WorkerStats> rows{};  // a row per place
    std::size_t runs = 0;
    bool is_silent = false;  // the server does not answer
  };
  [[nodiscard]] Seen seen() { return *seen_.lock(); }

 private:
  WorkerProcess(Options options, Parts parts, std::string consumer);

  [[nodiscard]] Result<void> prepare();

  [[nodiscard]] Result<void> look_at_board(Instant now);
  [[nodiscard]] Result<std::unique_ptr<ServedRun>> serve(const fleet::PublishedRun& run);
  [[nodiscard]] const jobs::Recipe* recipe_for(const fleet::PublishedRun& run,
                                               std::string& refusal) const;
  [[nodiscard]] bool is_refused(const fleet::PublishedRun& run, Instant now) const;
  void leave_unlisted(const std::vector<fleet::FleetBoard::Listed>& listed, bool is_drained);
  [[nodiscard]] Result<void> announce();

  [[nodiscard]] Result<void> look_if_due(Instant now);
  [[nodiscard]] bool is_idle_enough(Instant now);
  [[nodiscard]] Result<void> step_all(Instant now);
  void share_places(Instant now);
  void start_tasks(Instant now);
  [[nodiscard]] ServedRun* next_to_start(std::vector<ServedRun*>& tried);
  [[nodiscard]] bool is_within_limit(const ServedRun& served) const;
  void take_ended();
  void take_arrivals();
  void wait(Instant now);
  [[nodiscard]] Instant next_round(Instant now) const;
  void obey_stop(Instant now);
  void leave_all(Instant now);
  void show(Instant now);
  [[nodiscard]] std::size_t busy() const;
  void notice_silence(const Failure* failure, Instant now);
  void refuse(const fleet::PublishedRun& run, const std::string& why, Instant now);

  const Options options_;
  const Parts parts_;
  const std::string consumer_;
  const std::string host_;
  std::string own_folder_{};
  std::optional<run::RunLock> lock_{};
  std::unique_ptr<redis::Client> client_;
  std::unique_ptr<fleet::FleetBoard> board_;
  EndedTasks ended_;
  std::unique_ptr<ParcelWatch> watch_;
  std::map<std::string, std::unique_ptr<ServedRun>> served_;
  struct Refusal {
    std::string why{};
    fleet::PublishedRun run{};
    Instant next_try{};
  };
  std::map<std::string, Refusal> refusals_;  // by the name of the run
  WorkerTotals totals_;
  Guarded<Seen> seen_;
  Instant next_show_{};
  bool is_drained_ = false;
  Instant next_look_{};
  std::optional<Instant> stopped_at_{};
  std::optional<Instant> idle_since_{};
  std::optional<Instant> silent_since_{};
  bool has_told_silence_ = false;
};

}  // namespace tidemill::app
