#include "tidemill/engine/task_context.h"

#include "tidemill/engine/pool/seat.h"

namespace tidemill::engine {

bool TaskContext::should_stop() const {
  if (around_.pool_stops.load(std::memory_order_relaxed)) return true;
  return around_.deadline && around_.clock.now() >= *around_.deadline;
}

std::stop_token TaskContext::stop() const { return around_.seat.interrupt.token(); }

std::unexpected<Failure> TaskContext::stopped() const {
  if (around_.pool_stops.load(std::memory_order_relaxed)) {
    return fail(Cure::retry, "stopped", "the pool was stopped while the task ran");
  }
  return fail(Cure::retry, "timed out", "the task passed its deadline");
}

void TaskContext::heartbeat() { around_.seat.beat(around_.clock.now()); }

void TaskContext::note(std::string_view what) { around_.seat.note(what); }

}  // namespace tidemill::engine
