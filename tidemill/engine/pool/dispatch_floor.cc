// The workers' side: what comes next, and what waits for its moment.
#include <algorithm>
#include <utility>

#include "tidemill/engine/pool/dispatch.h"

namespace tidemill::engine {

bool Dispatch::next(std::size_t worker, Instant& now, Task& into) {
  Lock floor(floor_);
  if (std::exchange(desks_[worker]->has_task, false)) --running_;
  for (;;) {
    if (state_ == State::stopped) return false;
    if (!waitlist_.empty()) promote(now);
    if (backlog_->empty() || backlog_->should_take_in()) take_in();
    // When to look again unasked; never, if only another thread can bring news.
    std::optional<Instant> look_again;
    if (backlog_->empty()) {
      look_again = waitlist_.next_due();
    } else {
      const auto wait = limiter_ ? limiter_->take(now) : Instant::duration::zero();
      if (wait <= Instant::duration::zero()) {
        hand_out(worker, into, floor);
        return true;
      }
      look_again = now + wait;
    }
    Lock door(door_);
    if (backlog_->empty() && backlog_->on_porch() > 0) continue;  // it came in between
    if (is_drained()) {
      wake_everyone();  // the last task is settled: nobody has anything to wait for
      return false;
    }
    floor.unlock();
    sleep_at_desk(worker, door, look_again);
    door.unlock();
    floor.lock();
    now = clock_.now();
  }
}

void Dispatch::promote(Instant now) {
  if (const auto due = waitlist_.next_due(); !due || *due > now) return;
  const Lock door(door_);
  while (auto task = waitlist_.take_due(now)) {
    refresh();
    backlog_->put(*std::move(task));
  }
  const std::size_t queued = backlog_->on_porch() + backlog_->inside();
  waiting_.set(waitlist_.size());
  on_porch_.set(backlog_->on_porch());
  high_water_.set(std::max(high_water_.value(), queued));
  call_producers();  // fewer are waiting now
}

void Dispatch::take_in() {
  const Lock door(door_);
  backlog_->take_in();
  refresh();
  on_porch_.set(0);
  inside_.set(backlog_->inside());
}

void Dispatch::hand_out(std::size_t worker, Task& into, Lock& floor) {
  into = backlog_->pop();
  ++running_;
  desks_[worker]->has_task = true;
  inside_.set(backlog_->inside());
  const bool has_idle = idle_count_.value() > 0;
  const bool has_more = has_idle && (!backlog_->empty() || on_porch_.value() > 0);
  const bool wakes = has_more || (has_idle && !waitlist_.empty());
  const bool calls = should_call_producers();
  if (!wakes && !calls) return;
  Desk* desk = nullptr;
  {
    const Lock door(door_);
    if (wakes && (has_more || !keeper_)) desk = desk_to_wake();
    if (calls) {
      refresh();
      call_producers();
    }
  }
  floor.unlock();
  if (desk != nullptr) desk->wake.notify_one();
}

bool Dispatch::should_call_producers() const {
  if (at_door_.value() == 0) return false;
  if (impatient_.value() > 0) return true;
  const std::size_t queued = on_porch_.value() + backlog_->inside();
  return !has_called_.value() && queued <= options_.capacity / 2;
}

bool Dispatch::put_off(Task&& task, Instant due) {
  Task dropped;  // destroyed outside the lock
  const Lock floor(floor_);
  if (state_ == State::stopped) {
    dropped_ += 1;
    dropped = std::move(task);
    return false;
  }
  waitlist_.add(due, std::move(task));
  waiting_.set(waitlist_.size());
  return true;
}

void Dispatch::drop_running() { dropped_ += 1; }

}  // namespace tidemill::engine
