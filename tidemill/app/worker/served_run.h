// ServedRun: the work of this process on one run of the fleet: its parcels (engine/fleet_worker.h),
// the stage of its recipe, and the threads that perform its tasks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/app/worker/ended_tasks.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/fleet_worker.h"
#include "tidemill/engine/pool.h"
#include "tidemill/jobs/recipe.h"
#include "tidemill/state/fleet/board.h"
#include "tidemill/state/fleet/redis_fleet.h"

namespace tidemill::app {

// One thread, that of the process's loop.
class ServedRun {
 public:
  struct Setting {
    redis::Client& client;
    fleet::FleetPlace place{};
    std::string consumer{};  // the name of this process
    std::string host{};
    std::size_t places = 1;
    const Clock& clock;
    Log& log;
    EndedTasks& ended;
  };

  [[nodiscard]] static Result<std::unique_ptr<ServedRun>> make(const fleet::PublishedRun& run,
                                                               const jobs::Recipe& recipe,
                                                               jobs::StageSurroundings surroundings,
                                                               const Setting& setting);
  ServedRun(const ServedRun&) = delete;
  ServedRun& operator=(const ServedRun&) = delete;
  ~ServedRun();  // ends its commands

  [[nodiscard]] const fleet::PublishedRun& run() const { return run_; }
  // Whether a run that was published anew is done in the same way: then it continues with it.
  [[nodiscard]] bool takes_up(const fleet::PublishedRun& again);
  [[nodiscard]] const fleet::FleetPlace& place() const { return setting_.place; }
  [[nodiscard]] fleet::RedisFleetMember& member() { return member_; }
  [[nodiscard]] engine::FleetWorker& worker() { return worker_; }

  [[nodiscard]] Result<void> step(Instant now);
  // Starts the next task, if there is one that may start.
  [[nodiscard]] bool start(Instant now);
  void end(engine::TaskReport report);

  // Takes nothing more, and returns what was not started. It is over when it is_empty().
  void leave();
  // Also ends the running tasks: they are returned.
  void end_tasks(bool now);
  [[nodiscard]] bool is_leaving() const { return is_leaving_; }
  [[nodiscard]] bool is_over() const { return is_leaving_ && worker_.is_empty() && !is_busy(); }
  [[nodiscard]] bool is_busy() const { return in_threads_ > 0; }
  [[nodiscard]] std::size_t in_threads() const { return in_threads_; }

  // A row for each of its running tasks.
  void add_rows(std::vector<engine::WorkerStats>& rows) const;

  // For a fair share: the time its tasks have taken, in units of its weight.
  [[nodiscard]] double served() const;
  void begin_at(double served) { served_ = served; }
  // Whether it had work in the last few seconds.
  [[nodiscard]] bool is_active(Instant now) const;

 private:
  ServedRun(const fleet::PublishedRun& run, std::unique_ptr<jobs::RecipeStage> stage,
            const Setting& setting);

  fleet::PublishedRun run_;  // the threads of the pool must not read it
  const Setting setting_;
  std::unique_ptr<jobs::RecipeStage> stage_;
  fleet::RedisFleetMember member_;
  engine::FleetWorker worker_;
  std::unique_ptr<engine::Pool> pool_{};  // after the stage: its threads use it
  std::size_t in_threads_ = 0;            // tasks, also those whose parcels were lost
  bool is_leaving_ = false;
  std::optional<Instant> last_work_{};
  double served_ = 0;   // seconds / weight
  double average_ = 0;  // seconds of a task, recent ones count more
};

}  // namespace tidemill::app
