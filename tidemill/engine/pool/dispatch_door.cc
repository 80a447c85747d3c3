// The producers' side: the door, the porch, and all who sleep.
#include <algorithm>
#include <chrono>
#include <utility>

#include "tidemill/engine/pool/dispatch.h"

namespace tidemill::engine {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(1);

}  // namespace

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

}  // namespace tidemill::engine
