#include "tidemill/engine/pool/dispatch.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace tidemill::engine {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(1);

}  // namespace

Dispatch::Dispatch(const DispatchOptions& options, const Clock& clock)
    : options_(options),
      clock_(clock),
      backlog_(std::make_unique<Backlog>(options.order, options.ageing)),
      limiter_(options.limiter) {
  for (std::size_t i = 0; i < options.workers; ++i) desks_.push_back(std::make_unique<Desk>());
  idle_.reserve(options.workers);
}

// The producers' side: the door, the porch, and all who sleep.

Admission Dispatch::try_admit(Task& task) {
  Lock door(door_);
  if (!backlog_->has_slot() || !has_room(options_.capacity)) look_inside(door);
  if (state_ != State::open) return Admission::stopped;
  if (!has_room(options_.capacity)) return Admission::queue_full;
  accept(task, door);
  return Admission::accepted;
}

Admission Dispatch::admit_from_worker(Task& task) {
  const std::size_t places = options_.capacity + options_.reserve;
  Lock door(door_);
  if (!backlog_->has_slot() || backlog_->on_porch() + inside_at_most_ >= places) look_inside(door);
  if (state_ == State::stopped) return Admission::stopped;
  if (backlog_->on_porch() + inside_at_most_ >= places) return Admission::queue_full;
  accept(task, door);
  return Admission::accepted;
}

Admission Dispatch::admit(Task& task, const std::stop_token& stop,
                          std::optional<Instant> deadline) {
  if (stop.stop_requested()) return Admission::cancelled;
  {
    Lock door(door_);
    if (state_ != State::open) return Admission::stopped;
    if (has_room(options_.capacity) && backlog_->has_slot()) {
      accept(task, door);
      return Admission::accepted;
    }
  }
  // Made and destroyed outside the lock: its destructor waits for a callback that wants the lock.
  const std::stop_callback on_stop(stop, [this] {
    const Lock door(door_);
    room_.notify_all();
  });
  return wait_and_admit(task, stop, deadline);
}

Admission Dispatch::wait_and_admit(Task& task, const std::stop_token& stop,
                                   std::optional<Instant> deadline) {
  Lock door(door_);
  bool is_impatient = false;
  bool knows_exactly = false;
  auto answer = Admission::queue_full;
  while (answer == Admission::queue_full) {
    const bool is_late = deadline && clock_.now() >= *deadline;
    const bool has_slot = backlog_->has_slot();
    if (state_ != State::open) {
      answer = Admission::stopped;
    } else if (stop.stop_requested()) {
      answer = Admission::cancelled;
    } else if (has_slot && has_room(options_.capacity)) {
      answer = Admission::accepted;
    } else if (!has_slot || (!knows_exactly && (is_impatient || is_late || looks_half_empty()))) {
      look_inside(door);
      knows_exactly = true;
    } else if (is_late) {
      answer = Admission::timed_out;
    } else {
      sleep_at_door(door, is_impatient, deadline);
      knows_exactly = false;
    }
  }
  if (is_impatient) impatient_.subtract(1);
  if (answer == Admission::accepted) accept(task, door);
  return answer;
}

void Dispatch::sleep_at_door(Lock& door, bool& is_impatient, std::optional<Instant> deadline) {
  at_door_.add(1);
  has_called_.set(false);
  if (!is_impatient) {
    if (room_.wait_for(door, kPatience) == std::cv_status::timeout) {
      is_impatient = true;
      impatient_.add(1);
    }
  } else if (deadline) {
    clock_.wait_until(door, room_, *deadline);
  } else {
    room_.wait(door);
  }
  at_door_.subtract(1);
}

bool Dispatch::has_room(std::size_t places) const {
  return backlog_->on_porch() + inside_at_most_ < places &&
         waiting_.value() < options_.waiting_limit;
}

bool Dispatch::looks_half_empty() const {
  return backlog_->on_porch() + inside_.value() <= options_.capacity / 2;
}

// The pool's own numbers stay above every id that a caller chose.
void Dispatch::number(Task& task) {
  if (task.traits.id == 0) task.traits.id = next_id_;
  next_id_ = std::max(next_id_, task.traits.id + 1);
}

// Ends the lock: a worker that wakes while the waker still holds it would only fall asleep again.
void Dispatch::accept(Task& task, Lock& door) {
  number(task);
  backlog_->put(std::move(task));
  const std::size_t on_porch = backlog_->on_porch();
  accepted_.add(1);
  on_porch_.set(on_porch);
  const std::size_t high_water = high_water_.value();
  if (on_porch + inside_at_most_ > high_water) {
    const std::size_t queued = on_porch + inside_.value();
    high_water_.set(std::max(high_water, queued));
  }
  Desk* desk = desk_to_wake();
  door.unlock();
  if (desk != nullptr) desk->wake.notify_one();
}

void Dispatch::count_direct(Task& task) {
  const Lock door(door_);
  number(task);
  accepted_.add(1);
}

// For whoever has work, or a keeper's office, for an idle worker; to be notified without the lock.
Dispatch::Desk* Dispatch::desk_to_wake() {
  if (idle_.empty() || wake_is_pending_) return nullptr;
  Desk& desk = *desks_[idle_.back()];
  idle_.pop_back();
  idle_count_.set(idle_.size());
  desk.is_woken = true;
  wake_is_pending_ = true;
  return &desk;
}

void Dispatch::sleep_at_desk(std::size_t worker, Lock& door, std::optional<Instant> until) {
  Desk& desk = *desks_[worker];
  idle_.push_back(worker);
  idle_count_.set(idle_.size());
  if (until && (!keeper_ || *until < keeper_until_)) {
    keeper_ = worker;
    keeper_until_ = *until;
    clock_.wait_until(door, desk.wake, *until);
  } else {
    desk.wake.wait(door);
  }
  if (keeper_ == worker) keeper_.reset();
  if (std::exchange(desk.is_woken, false)) {
    wake_is_pending_ = false;
  } else {
    std::erase(idle_, worker);
    idle_count_.set(idle_.size());
  }
}

void Dispatch::call_producers() {
  if (at_door_.value() == 0 || !has_room(options_.capacity)) return;
  const std::size_t queued = backlog_->on_porch() + inside_at_most_;
  if (queued > options_.capacity / 2 && impatient_.value() == 0) return;
  has_called_.set(true);
  if (at_door_.value() == 1 || queued + 1 == options_.capacity) {
    room_.notify_one();
  } else {
    room_.notify_all();
  }
}

// The workers' side: what comes next, and what waits for its moment.

bool Dispatch::next(std::size_t worker, Instant& now, Task& into) {
  Lock floor(floor_);
  if (std::exchange(desks_[worker]->has_task, false)) --running_;
  for (;;) {
    if (state_ == State::stopped) {
      tell_idle();
      return false;
    }
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
    if (is_idle() && has_ended()) return false;
    floor.unlock();
    sleep_at_desk(worker, door, look_again);
    door.unlock();
    floor.lock();
    now = clock_.now();
  }
}

// The last task is settled. True if none will come any more: then nobody has anything to wait for.
bool Dispatch::has_ended() {
  tell_idle();
  if (state_ != State::closed) return false;
  wake_everyone();
  return true;
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

void Dispatch::lose(std::size_t worker) {
  const Lock floor(floor_);
  if (std::exchange(desks_[worker]->has_task, false)) --running_;
  if (state_ == State::stopped) tell_idle();
}

// The moment counts, not whether it lasts: new tasks may come before a waiter has the lock.
bool Dispatch::wait_idle(const std::stop_token& stop) {
  // Made and destroyed outside the lock, as in admit().
  const std::stop_callback on_stop(stop, [this] {
    const Lock floor(floor_);
    is_idle_now_.notify_all();
  });
  Lock floor(floor_);
  {
    const Lock door(door_);
    if (is_idle()) return true;
  }
  const std::uint64_t before = idle_moments_;
  ++idle_waits_;
  is_idle_now_.wait(floor, [&] { return idle_moments_ != before || stop.stop_requested(); });
  --idle_waits_;
  return idle_moments_ != before;
}

// Of a pool that is idle, or stopped: then it is when the last task has returned.
void Dispatch::tell_idle() {
  if (idle_waits_ == 0 || running_ > 0) return;
  ++idle_moments_;
  is_idle_now_.notify_all();
}

// What concerns both sides, and the end of everything.

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

bool Dispatch::is_idle() const {
  return running_ == 0 && waitlist_.empty() && backlog_->empty() && backlog_->on_porch() == 0;
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
  if (is_idle()) wake_everyone();
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
