#include "tidemill/state/journal/patience.h"

#include <utility>

namespace tidemill::journal {

Result<void> Patience::insist(const std::function<Result<void>()>& attempt) {
  auto answer = attempt();
  if (answer || answer.error().cure != Cure::retry) return answer;
  begin(answer.error());
  while (!answer && answer.error().cure == Cure::retry && wait()) answer = attempt();
  end();
  return answer;
}

void Patience::give_up() {
  state_.update([](State& state) { state.has_ended = true; });
}

bool Patience::wait() {
  auto state = state_.lock();
  return !state.wait_until(clock_, clock_.now() + interval_,
                           [](const State& s) { return s.has_ended; });
}

// Several threads may wait for the same disk; people hear of it once.
void Patience::begin(const Failure& failure) {
  const int before = state_.update([](State& state) { return state.waiting++; });
  if (before == 0 && observer_) observer_(&failure);
}

void Patience::end() {
  const int left = state_.update([](State& state) { return --state.waiting; });
  if (left == 0 && observer_) observer_(nullptr);
}

}  // namespace tidemill::journal
