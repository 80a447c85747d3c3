// Statistics, deadlines and stalls. Reads the worker states without blocking a worker.
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "tidemill/engine/pool/executor.h"

namespace tidemill::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

std::string describe(const StallEvent& event, const std::string& note, const PoolOptions& options) {
  const bool stalls = event.kind == StallEvent::Kind::stalled;
  const auto age = std::chrono::duration_cast<milliseconds>(event.age).count();
  return "worker " + std::to_string(event.worker) +
         (stalls ? " is stalled in " : " recovered from ") + options.types[event.type].name + " " +
         std::to_string(event.task) + named(note) + ", " + std::to_string(age) + " ms " +
         (event.why == StallEvent::Why::overdue ? "past its deadline" : "without progress");
}

}  // namespace

void Executor::watch(const std::stop_token& stop, Instant::duration interval) {
  Watchdog watchdog(options_.watchdog, worker_states_.size());
  const std::stop_callback on_stop(stop,
                                   [this] { watch_ends_.update([](bool& ends) { ends = true; }); });
  bool ends = false;
  while (!ends) {
    const Instant now = clock_.now();
    for (std::size_t i = 0; i < worker_states_.size(); ++i) look_at(i, watchdog, now);
    ends = watch_ends_.lock().wait_until(clock_, now + interval, std::identity{});
  }
}

void Executor::look_at(std::size_t worker, Watchdog& watchdog, Instant now) {
  const WorkerSnapshot seen = worker_states_[worker]->snapshot();
  if (seen.busy && seen.deadline && now >= *seen.deadline) {
    worker_states_[worker]->interrupt.fire(seen.turn);
  }
  for (const StallEvent& event : watchdog.look(worker, seen, now)) {
    log_.write(LogLevel::warning, describe(event, worker_states_[worker]->noted(), options_));
    if (options_.on_stall) options_.on_stall(event);
  }
}

PoolStats Executor::stats() const {
  const Instant now = clock_.now();
  const DispatchNumbers numbers = dispatch_.numbers();
  PoolStats all;
  all.capacity = options_.capacity.value_or(10 * options_.workers);
  all.queued = numbers.queued;
  all.queue_high_water = numbers.high_water;
  all.waiting = numbers.waiting;
  all.waiting_submits = numbers.waiting_submits;
  all.accepted = numbers.accepted;
  all.dropped = numbers.dropped;
  for (const auto& type : options_.types) all.types.push_back({.name = type.name});
  for (const auto& worker_state : worker_states_) {
    WorkerStats worker;
    for (std::size_t t = 0; t < all.types.size(); ++t) {
      const TypeTally& tally = *worker_state->tallies[t];
      all.types[t].completed += tally.completed.value();
      all.types[t].failed += tally.failed.value();
      all.types[t].recent += tally.times.recent(now);
      all.types[t].lifetime += tally.times.lifetime();
      worker.tasks += tally.completed.value() + tally.failed.value();
    }
    all.retried += worker_state->retried.value();
    all.deferred += worker_state->deferred.value();
    all.inline_runs += worker_state->inline_runs.value();
    const WorkerSnapshot seen = worker_state->snapshot();
    worker.busy = worker_state->busy.total(clock_);
    if (seen.busy) {
      ++all.active;
      worker.running = seen.task;
      // It may have started since `now` was read.
      worker.running_for = std::max<nanoseconds>(now - seen.beat, nanoseconds(0));
      worker.note = worker_state->noted();
    }
    worker.idle =
        std::max<nanoseconds>(clock_.now() - worker_state->since() - worker.busy, nanoseconds(0));
    all.workers.push_back(std::move(worker));
  }
  for (const auto& type : all.types) {
    all.completed += type.completed;
    all.failed += type.failed;
  }
  return all;
}

}  // namespace tidemill::engine
