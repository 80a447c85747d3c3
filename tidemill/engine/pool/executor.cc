#include "tidemill/engine/pool/executor.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"

namespace tidemill::engine {

struct Executor::Worker {
  const Executor* executor;
  std::size_t index;
  WorkerState& worker_state;
  int depth = 0;  // of nested tasks
};

namespace {

// For a task that is deferred without a duration: it must not spin.
constexpr std::chrono::milliseconds kShortestDeferral{1};

// The Worker of this thread, if it is one: submit() must not wait there.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local void* worker_of_this_thread = nullptr;

DispatchOptions dispatch_options(const PoolOptions& options, std::size_t capacity) {
  std::optional<Limiter> limiter;
  if (options.rate != LimiterOptions::unlimited()) limiter.emplace(options.rate);
  return {
      .workers = options.workers,
      .capacity = capacity,
      .reserve = options.reserve.value_or(64 * options.workers),
      .waiting_limit = options.waiting_limit.value_or(std::max<std::size_t>(10 * capacity, 1000)),
      .order = options.order,
      .ageing = options.ageing,
      .limiter = limiter};
}

}  // namespace

Executor::Executor(PoolOptions options, std::size_t capacity)
    : options_(std::move(options)),
      clock_(options_.clock != nullptr ? *options_.clock : system_clock_),
      log_(options_.log != nullptr ? *options_.log : silent_log_),
      own_dice_(static_cast<std::uint64_t>(system_clock_.now().time_since_epoch().count())),
      dice_(options_.dice != nullptr ? options_.dice : &own_dice_),
      dispatch_(dispatch_options(options_, capacity), clock_) {
  for (std::size_t i = 0; i < options_.workers; ++i) {
    worker_states_.push_back(std::make_unique<WorkerState>(options_.types.size(), clock_.now()));
  }
}

Result<void> Executor::start_threads() {
  workers_.reserve(options_.workers);
  for (std::size_t i = 0; i < options_.workers; ++i) {
    workers_left_.update([](std::size_t& left) { ++left; });
    auto started = start_thread(
        "a worker", [this, i] { work(i); },
        [this, i](Failure cause) { lose_worker(i, std::move(cause)); });
    if (!started) {
      workers_left_.update([](std::size_t& left) { --left; });
      started.error().reason = "only " + std::to_string(workers_.size()) + " of " +
                               std::to_string(options_.workers) +
                               " workers could start: " + started.error().reason;
      return std::unexpected(std::move(started).error());
    }
    workers_.push_back(*std::move(started));
  }
  if (const auto interval = options_.interval_between_looks()) {
    LET(watcher_, start_thread(
                      "the watchdog",
                      [this, interval](const std::stop_token& stop) { watch(stop, *interval); },
                      [this](Failure cause) { stop_because(std::move(cause)); }));
  }
  return {};
}

Executor::~Executor() {
  stop();
  workers_.clear();  // joins
}

Admission Executor::submit(Task& task, std::optional<Instant> deadline,
                           const std::stop_token& stop) {
  if (Worker* worker = worker_here()) return submit_from_worker(*worker, task);
  return dispatch_.admit(task, stop, deadline);
}

Admission Executor::try_submit(Task& task) {
  if (worker_here() != nullptr) return dispatch_.admit_from_worker(task);
  return dispatch_.try_admit(task);
}

bool is_worker_of(const Executor* executor) {
  const auto* worker = static_cast<const Executor::Worker*>(worker_of_this_thread);
  return worker != nullptr && worker->executor == executor;
}

Executor::Worker* Executor::worker_here() const {
  return is_worker_of(this) ? static_cast<Worker*>(worker_of_this_thread) : nullptr;
}

Admission Executor::submit_from_worker(Worker& worker, Task& task) {
  if (const auto answer = dispatch_.admit_from_worker(task); answer != Admission::queue_full) {
    return answer;
  }
  if (worker.depth >= Pool::kDeepest) return Admission::queue_full;
  dispatch_.count_direct(task);
  worker.worker_state.inline_runs.add(1);
  const WorkerState::Entry outer = worker.worker_state.entry();
  ++worker.depth;
  Task inner = std::move(task);
  const Instant now = perform(worker, inner, clock_.now());
  --worker.depth;
  worker.worker_state.begin(outer, now);
  return Admission::accepted;
}

void Executor::close() { dispatch_.close(); }

void Executor::stop() {
  stops_.store(true);
  if (!dispatch_.stop()) return;
  for (auto& worker_state : worker_states_) worker_state->interrupt.fire_for_good();
}

void Executor::stop_because(Failure cause) {
  {
    auto failed = failed_.lock();
    if (!failed->fatal) failed->fatal = std::move(cause);
  }
  stop();
}

void Executor::work(std::size_t index) {
  Worker worker{.executor = this, .index = index, .worker_state = *worker_states_[index]};
  worker_of_this_thread = &worker;
  Task task;
  Instant now = clock_.now();
  while (dispatch_.next(index, now, task)) {
    now = perform(worker, task, now);
  }
  workers_left_.update([](std::size_t& left) { --left; });
}

// For a worker that ran out of memory outside a task's body: between tasks, or while settling one.
void Executor::lose_worker(std::size_t index, Failure cause) {
  stop_because(std::move(cause));
  dispatch_.lose(index);
  workers_left_.update([](std::size_t& left) { --left; });
}

// Runs one attempt and settles its outcome. Returns the time after that.
Instant Executor::perform(Worker& worker, Task& task, Instant started) {
  const TaskType type = task.traits.type;
  assert(type < options_.types.size());
  const TaskTypeOptions& kind = options_.types[type];
  WorkerState::Entry entry{.task = task.traits.id, .type = type, .is_nested = worker.depth > 0};
  if (kind.timeout.count() > 0) entry.deadline = started + kind.timeout;
  const bool is_outermost = worker.depth == 0;
  if (is_outermost) worker.worker_state.busy.starts(started);
  worker.worker_state.begin(entry, started);
  const TaskContext::Context pool_context{.worker = worker.index,
                                          .worker_state = worker.worker_state,
                                          .clock = clock_,
                                          .log = log_,
                                          .pool_stops = stops_,
                                          .type_name = kind.name,
                                          .id = entry.task,
                                          .deadline = entry.deadline,
                                          .attempt = task.attempt};
  TaskContext context(pool_context);
  Result<void> outcome = contained([&] { return task.body.run(context); });
  const Instant ended = clock_.now();
  worker.worker_state.end();
  if (is_outermost) worker.worker_state.busy.ends(ended);  // waiting in settle() is not busy time
  worker.worker_state.tallies[type]->times.record(ended, ended - started);
  if (slowest_.wants(ended - started)) {
    slowest_.add({.task = entry.task,
                  .type = kind.name,
                  .note = worker.worker_state.own_note(),
                  .attempt = task.attempt,
                  .took = ended - started,
                  .ended = clock_.wall()});
  }
  const bool may_take_long = has_callbacks(task);
  settle(worker, task, std::move(outcome), context, ended);
  task.body.reset();
  return may_take_long ? clock_.now() : ended;  // the next task's time excludes a long settlement
}

void Executor::settle(Worker& worker, Task& task, Result<void> outcome, const TaskContext& context,
                      Instant now) {
  if (outcome) return settle_for_good(worker, task, outcome);
  const Failure& failure = outcome.error();
  if (context.is_fatal()) {
    stop_because(failure);
    return settle_for_good(worker, task, outcome);
  }
  if (stops_.load() && failure.cure != Cure::give_up) return dispatch_.drop_running();
  std::optional<std::chrono::milliseconds> wait = context.deferral();
  if (!wait && failure.cure == Cure::later) {
    wait = std::clamp(failure.not_before, kShortestDeferral, RetryPolicy::kLongest);
  }
  if (wait) {
    if (dispatch_.defer(std::move(task), now + *wait)) worker.worker_state.deferred.add(1);
    return;
  }
  if (const auto delay = retry_delay(failure, task.attempt)) {
    return try_again(worker, task, failure, *delay, now);
  }
  settle_for_good(worker, task, outcome);
}

void Executor::try_again(Worker& worker, Task& task, const Failure& failure,
                         std::chrono::milliseconds delay, Instant now) {
  if (options_.on_retry) {
    const Retrial retrial{.id = task.traits.id,
                          .type = task.traits.type,
                          .attempt = task.attempt,
                          .failure = &failure,
                          .wait = delay};
    if (auto recorded = contained([&] { return options_.on_retry(retrial); }); !recorded) {
      stop_because(std::move(recorded).error());
    }
  }
  ++task.attempt;
  if (dispatch_.defer(std::move(task), now + delay)) worker.worker_state.retried.add(1);
}

std::optional<std::chrono::milliseconds> Executor::retry_delay(const Failure& failure,
                                                               int attempt) {
  const double draw = (*dice_.lock())->draw();
  return options_.retry.after(failure, attempt, draw);
}

void Executor::settle_for_good(Worker& worker, Task& task, const Result<void>& outcome) {
  const Settlement settlement{.id = task.traits.id,
                              .type = task.traits.type,
                              .attempts = task.attempt,
                              .outcome = &outcome};
  TypeTally& tally = *worker.worker_state.tallies[settlement.type];
  if (outcome) {
    tally.completed.add(1);
  } else {
    tally.failed.add(1);
    log_.write(LogLevel::error, options_.types[settlement.type].name + " " +
                                    std::to_string(settlement.id) +
                                    named(worker.worker_state.own_note()) + " failed at " +
                                    outcome.error().step + ": " + outcome.error().reason);
    auto failed = failed_.lock();
    if (failed->errors.size() < Pool::kErrorsKept) {
      failed->errors.push_back(
          {settlement.id, settlement.type, settlement.attempts, outcome.error()});
    }
  }
  auto recorded = contained([&]() -> Result<void> {
    if (task.body.wants_settlement()) task.body.settled(settlement);
    if (options_.on_settled) return options_.on_settled(settlement);
    return {};
  });
  if (!recorded) stop_because(std::move(recorded).error());
}

bool Executor::has_callbacks(const Task& task) const {
  return task.body && (task.body.wants_settlement() || options_.on_settled || options_.on_retry);
}

PoolReport Executor::wait() {
  workers_left_.lock().wait([](std::size_t left) { return left == 0; });
  return report();
}

Result<PoolReport> Executor::wait(Instant deadline) {
  const auto none_left = [](std::size_t left) { return left == 0; };
  if (!workers_left_.lock().wait_until(clock_, deadline, none_left)) {
    const PoolStats now = stats();
    return fail(Cure::retry, "wait",
                "timed out with " + std::to_string(now.active) + " running and " +
                    std::to_string(now.queued + now.waiting) + " waiting tasks");
  }
  return report();
}

Result<void> Executor::wait_idle(const std::stop_token& stop) {
  if (worker_here() != nullptr) {
    return fail(Cure::give_up, "wait", "a task cannot wait for its own pool to be idle");
  }
  if (!dispatch_.wait_idle(stop)) {
    return fail(Cure::retry, "stopped", "the wait was stopped before the pool was idle");
  }
  if (!stops_.load()) return {};
  if (const auto fatal = failed_.lock()->fatal) return std::unexpected(*fatal);
  return fail(Cure::retry, "stopped", "the pool was stopped");
}

PoolReport Executor::report() {
  const PoolStats now = stats();
  auto failed = failed_.lock();
  return {.accepted = now.accepted,
          .completed = now.completed,
          .failed = now.failed,
          .dropped = now.dropped,
          .errors = failed->errors,
          .fatal = failed->fatal};
}

}  // namespace tidemill::engine
