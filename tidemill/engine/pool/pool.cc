// The handle, and the functions of the options and statistics.
#include "tidemill/engine/pool.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/engine/pool/executor.h"

namespace tidemill::engine {

Result<Pool> Pool::start(PoolOptions options) {
  TRY(options.check());
  const std::size_t capacity = options.capacity.value_or(10 * options.workers);
  auto executor = std::make_unique<Executor>(std::move(options), capacity);
  TRY(executor->start_threads());
  return Pool(std::move(executor));
}

Pool::Pool(std::unique_ptr<Executor> executor) : executor_(std::move(executor)) {}
Pool::Pool(Pool&& other) noexcept = default;
Pool& Pool::operator=(Pool&& other) noexcept = default;
Pool::~Pool() = default;

Admission Pool::submit(Task&& task, const std::stop_token& stop) {
  return executor_->submit(task, std::nullopt, stop);
}

Admission Pool::submit(Task&& task, Instant deadline, const std::stop_token& stop) {
  return executor_->submit(task, deadline, stop);
}

Admission Pool::try_submit(Task&& task) { return executor_->try_submit(task); }

void Pool::close() { executor_->close(); }
void Pool::stop() { executor_->stop(); }
void Pool::stop_because(Failure cause) { executor_->stop_because(std::move(cause)); }
PoolReport Pool::wait() { return executor_->wait(); }
Result<PoolReport> Pool::wait(Instant deadline) { return executor_->wait(deadline); }
Result<void> Pool::wait_idle(const std::stop_token& stop) { return executor_->wait_idle(stop); }
PoolStats Pool::stats() const { return executor_->stats(); }
std::vector<SlowAttempt> Pool::slowest() const { return executor_->slowest(); }

// Also called by a destructor, so the texts for a stop are short and need no allocation.
std::unexpected<Failure> not_accepted(Admission answer) {
  return fail(Cure::retry, "stopped",
              answer == Admission::stopped ? "pool stopped" : std::string(name_of(answer)));
}

Result<void> PoolOptions::check() const {
  const auto wrong = [](std::string what) {
    return fail(Cure::give_up, "pool options", std::move(what));
  };
  if (workers < 1) return wrong("workers must be at least 1");
  if (workers > 10'000) return wrong("workers must be at most 10,000");
  if (capacity == 0U) return wrong("capacity must be at least 1");
  if (waiting_limit == 0U) return wrong("waiting_limit must be at least 1");
  if (ageing < 1) return wrong("ageing must be at least 1");
  if (ageing > 60'000) return wrong("ageing must be at most 60,000");
  if (types.empty()) return wrong("types must name at least one type");
  if (types.size() > std::size_t{std::numeric_limits<TaskType>::max()} + 1) {
    return wrong("types must be at most 256");
  }
  for (const auto& type : types) {
    if (type.timeout.count() < 0) return wrong("the timeout of " + type.name + " is negative");
  }
  if (retry.max_attempts > std::numeric_limits<std::uint16_t>::max()) {
    return wrong("retry.max_attempts must be at most 65,535");
  }
  TRY(retry.check());
  TRY(watchdog.check());
  return rate.check();
}

// A check is late by at most an eighth of the shortest limit.
std::optional<Instant::duration> PoolOptions::interval_between_looks() const {
  std::optional<Instant::duration> shortest;
  const auto consider = [&](Instant::duration limit) {
    if (limit.count() > 0 && (!shortest || limit < *shortest)) shortest = limit;
  };
  consider(watchdog.stall_after);
  for (const auto& type : types) consider(type.timeout);
  if (!shortest) return std::nullopt;
  using std::chrono::milliseconds;
  return std::clamp<Instant::duration>(*shortest / 8, milliseconds(1), milliseconds(250));
}

double PoolStats::utilisation() const {
  WorkerStats all;
  for (const auto& worker : workers) {
    all.busy += worker.busy;
    all.idle += worker.idle;
  }
  return all.utilisation();
}

}  // namespace tidemill::engine
