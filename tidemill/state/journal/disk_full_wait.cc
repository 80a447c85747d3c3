#include "tidemill/state/journal/disk_full_wait.h"

#include <utility>

namespace tidemill::journal {

Result<void> DiskFullWait::retry_until_written(const std::function<Result<void>()>& attempt) {
  auto answer = attempt();
  if (answer || answer.error().cure != Cure::retry) return answer;
  begin(answer.error());
  while (!answer && answer.error().cure == Cure::retry && wait()) answer = attempt();
  end();
  return answer;
}

void DiskFullWait::give_up() {
  state_.update([](State& state) { state.has_ended = true; });
}

bool DiskFullWait::wait() {
  auto state = state_.lock();
  return !state.wait_until(clock_, clock_.now() + interval_,
                           [](const State& s) { return s.has_ended; });
}

// Several threads may wait for the same disk; the observer is called once.
void DiskFullWait::begin(const Failure& failure) {
  const int before = state_.update([](State& state) { return state.waiting++; });
  if (before == 0 && observer_) observer_(&failure);
}

void DiskFullWait::end() {
  const int left = state_.update([](State& state) { return --state.waiting; });
  if (left == 0 && observer_) observer_(nullptr);
}

}  // namespace tidemill::journal
