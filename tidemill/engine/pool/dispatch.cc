// What concerns both sides, and the end of everything.
#include "tidemill/engine/pool/dispatch.h"

#include <memory>
#include <utility>

namespace tidemill::engine {

Dispatch::Dispatch(const DispatchOptions& options, const Clock& clock)
    : options_(options),
      clock_(clock),
      backlog_(std::make_unique<Backlog>(options.order, options.ageing)),
      limiter_(options.limiter) {
  for (std::size_t i = 0; i < options.workers; ++i) desks_.push_back(std::make_unique<Desk>());
  idle_.reserve(options.workers);
}

void Dispatch::look_inside(Lock& door) {
  door.unlock();
  const Lock floor(floor_);
  door.lock();
  refresh();
}

void Dispatch::refresh() {
  inside_at_most_ = backlog_->inside();
  if (!backlog_->has_slot()) backlog_->make_slots();
}

bool Dispatch::is_drained() const {
  return state_ == State::closed && running_ == 0 && waitlist_.empty() && backlog_->empty() &&
         backlog_->on_porch() == 0;
}

void Dispatch::wake_everyone() {
  for (auto& desk : desks_) desk->wake.notify_one();
  room_.notify_all();
}

void Dispatch::close() {
  const Lock floor(floor_);
  const Lock door(door_);
  if (state_ != State::open) return;
  state_ = State::closed;
  if (is_drained()) wake_everyone();
  room_.notify_all();
}

bool Dispatch::stop() {
  Waitlist waiting;  // both destroyed outside the locks: bodies of tasks are strangers
  auto queued = std::make_unique<Backlog>(options_.order, options_.ageing);
  const Lock floor(floor_);
  const Lock door(door_);
  if (state_ == State::stopped) return false;
  state_ = State::stopped;
  std::swap(queued, backlog_);
  std::swap(waiting, waitlist_);
  dropped_ += queued->inside() + queued->on_porch() + waiting.size();
  on_porch_.set(0);
  inside_.set(0);
  waiting_.set(0);
  wake_everyone();
  return true;
}

DispatchNumbers Dispatch::numbers() const {
  return {.queued = on_porch_.value() + inside_.value(),
          .high_water = high_water_.value(),
          .waiting = waiting_.value(),
          .waiting_submits = at_door_.value(),
          .accepted = accepted_.value(),
          .dropped = dropped_};
}

}  // namespace tidemill::engine
