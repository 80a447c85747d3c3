#include "tidemill/engine/task_context.h"

#include "tidemill/engine/pool/worker_state.h"

namespace tidemill::engine {

bool TaskContext::should_stop() const {
  if (context_.pool_stops.load(std::memory_order_relaxed)) return true;
  return context_.deadline && context_.clock.now() >= *context_.deadline;
}

std::stop_token TaskContext::stop() const { return context_.worker_state.interrupt.token(); }

std::unexpected<Failure> TaskContext::stopped() const {
  if (context_.pool_stops.load(std::memory_order_relaxed)) {
    return fail(Cure::retry, "stopped", "the pool was stopped while the task ran");
  }
  return fail(Cure::retry, "timed out", "the task passed its deadline");
}

void TaskContext::heartbeat() { context_.worker_state.beat(context_.clock.now()); }

void TaskContext::note(std::string_view what) { context_.worker_state.note(what); }

}  // namespace tidemill::engine
