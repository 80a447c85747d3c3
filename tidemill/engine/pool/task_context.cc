#include "tidemill/engine/task_context.h"

namespace tidemill::engine {

bool TaskContext::should_stop() const {
  if (around_.pool_stops.load(std::memory_order_relaxed)) return true;
  return entry_.deadline && around_.clock.now() >= *entry_.deadline;
}

std::unexpected<Failure> TaskContext::stopped() const {
  if (around_.pool_stops.load(std::memory_order_relaxed)) {
    return fail(Cure::retry, "stopped", "the pool was stopped while the task ran");
  }
  return fail(Cure::retry, "timed out", "the task passed its deadline");
}

}  // namespace tidemill::engine
