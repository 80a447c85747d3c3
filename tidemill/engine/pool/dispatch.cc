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
  for (std::size_t i = 0; i < options.workers; ++i)
    wake_slots_.push_back(std::make_unique<WakeSlot>());
  idle_.reserve(options.workers);
}

// Producer side: admission, the inbox, and all sleeping threads.

Admission Dispatch::try_admit(Task& task) {
  Lock producer_lock(producer_mutex_);
  if (!backlog_->has_slot() || !has_room(options_.capacity)) sync_ready(producer_lock);
  if (state_ != State::open) return Admission::stopped;
  if (!has_room(options_.capacity)) return Admission::queue_full;
  accept(task, producer_lock);
  return Admission::accepted;
}

Admission Dispatch::admit_from_worker(Task& task) {
  const std::size_t places = options_.capacity + options_.reserve;
  Lock producer_lock(producer_mutex_);
  if (!backlog_->has_slot() || backlog_->in_inbox() + ready_at_most_ >= places)
    sync_ready(producer_lock);
  if (state_ == State::stopped) return Admission::stopped;
  if (backlog_->in_inbox() + ready_at_most_ >= places) return Admission::queue_full;
  accept(task, producer_lock);
  return Admission::accepted;
}

Admission Dispatch::admit(Task& task, const std::stop_token& stop,
                          std::optional<Instant> deadline) {
  if (stop.stop_requested()) return Admission::cancelled;
  {
    Lock producer_lock(producer_mutex_);
    if (state_ != State::open) return Admission::stopped;
    if (has_room(options_.capacity) && backlog_->has_slot()) {
      accept(task, producer_lock);
      return Admission::accepted;
    }
  }
  // Created and destroyed outside the lock: its destructor waits for a callback that takes the
  // lock.
  const std::stop_callback on_stop(stop, [this] {
    const Lock producer_lock(producer_mutex_);
    room_.notify_all();
  });
  return wait_and_admit(task, stop, deadline);
}

Admission Dispatch::wait_and_admit(Task& task, const std::stop_token& stop,
                                   std::optional<Instant> deadline) {
  Lock producer_lock(producer_mutex_);
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
      sync_ready(producer_lock);
      knows_exactly = true;
    } else if (is_late) {
      answer = Admission::timed_out;
    } else {
      wait_for_room(producer_lock, is_impatient, deadline);
      knows_exactly = false;
    }
  }
  if (is_impatient) impatient_.subtract(1);
  if (answer == Admission::accepted) accept(task, producer_lock);
  return answer;
}

void Dispatch::wait_for_room(Lock& producer_lock, bool& is_impatient,
                             std::optional<Instant> deadline) {
  waiting_producers_.add(1);
  woke_producers_.set(false);
  if (!is_impatient) {
    if (room_.wait_for(producer_lock, kPatience) == std::cv_status::timeout) {
      is_impatient = true;
      impatient_.add(1);
    }
  } else if (deadline) {
    clock_.wait_until(producer_lock, room_, *deadline);
  } else {
    room_.wait(producer_lock);
  }
  waiting_producers_.subtract(1);
}

bool Dispatch::has_room(std::size_t places) const {
  return backlog_->in_inbox() + ready_at_most_ < places &&
         waiting_.value() < options_.waiting_limit;
}

bool Dispatch::looks_half_empty() const {
  return backlog_->in_inbox() + ready_.value() <= options_.capacity / 2;
}

// Ids that the pool assigns stay above every id that a caller chose.
void Dispatch::number(Task& task) {
  if (task.traits.id == 0) task.traits.id = next_id_;
  next_id_ = std::max(next_id_, task.traits.id + 1);
}

// Releases the lock: a worker that wakes while the waker holds it would only fall asleep again.
void Dispatch::accept(Task& task, Lock& producer_lock) {
  number(task);
  backlog_->put(std::move(task));
  const std::size_t in_inbox = backlog_->in_inbox();
  accepted_.add(1);
  in_inbox_.set(in_inbox);
  const std::size_t high_water = high_water_.value();
  if (in_inbox + ready_at_most_ > high_water) {
    const std::size_t queued = in_inbox + ready_.value();
    high_water_.set(std::max(high_water, queued));
  }
  WakeSlot* slot = slot_to_wake();
  producer_lock.unlock();
  if (slot != nullptr) slot->wake.notify_one();
}

void Dispatch::count_direct(Task& task) {
  const Lock producer_lock(producer_mutex_);
  number(task);
  accepted_.add(1);
}

// The idle worker to wake for a task or as the timed waiter; null if none is idle or a wake-up is
// pending. The caller notifies it without the lock.
Dispatch::WakeSlot* Dispatch::slot_to_wake() {
  if (idle_.empty() || wake_is_pending_) return nullptr;
  WakeSlot& slot = *wake_slots_[idle_.back()];
  idle_.pop_back();
  idle_count_.set(idle_.size());
  slot.is_woken = true;
  wake_is_pending_ = true;
  return &slot;
}

void Dispatch::sleep_in_slot(std::size_t worker, Lock& producer_lock,
                             std::optional<Instant> until) {
  WakeSlot& slot = *wake_slots_[worker];
  idle_.push_back(worker);
  idle_count_.set(idle_.size());
  if (until && (!timed_waiter_ || *until < timed_waiter_until_)) {
    timed_waiter_ = worker;
    timed_waiter_until_ = *until;
    clock_.wait_until(producer_lock, slot.wake, *until);
  } else {
    slot.wake.wait(producer_lock);
  }
  if (timed_waiter_ == worker) timed_waiter_.reset();
  if (std::exchange(slot.is_woken, false)) {
    wake_is_pending_ = false;
  } else {
    std::erase(idle_, worker);
    idle_count_.set(idle_.size());
  }
}

void Dispatch::wake_producers() {
  if (waiting_producers_.value() == 0 || !has_room(options_.capacity)) return;
  const std::size_t queued = backlog_->in_inbox() + ready_at_most_;
  if (queued > options_.capacity / 2 && impatient_.value() == 0) return;
  woke_producers_.set(true);
  if (waiting_producers_.value() == 1 || queued + 1 == options_.capacity) {
    room_.notify_one();
  } else {
    room_.notify_all();
  }
}

// Worker side: the ready list and the waitlist.

bool Dispatch::next(std::size_t worker, Instant& now, Task& into) {
  Lock worker_lock(worker_mutex_);
  if (std::exchange(wake_slots_[worker]->has_task, false)) --running_;
  for (;;) {
    if (state_ == State::stopped) {
      notify_idle();
      return false;
    }
    if (!waitlist_.empty()) promote(now);
    if (backlog_->empty() || backlog_->should_drain_inbox()) drain_inbox();
    // When to check again without a wake-up; nullopt if only another thread can change something.
    std::optional<Instant> look_again;
    if (backlog_->empty()) {
      look_again = waitlist_.next_due();
    } else {
      const auto wait = limiter_ ? limiter_->take(now) : Instant::duration::zero();
      if (wait <= Instant::duration::zero()) {
        hand_out(worker, into, worker_lock);
        return true;
      }
      look_again = now + wait;
    }
    Lock producer_lock(producer_mutex_);
    if (backlog_->empty() && backlog_->in_inbox() > 0) continue;  // a task came in between
    if (is_idle() && has_ended()) return false;
    worker_lock.unlock();
    sleep_in_slot(worker, producer_lock, look_again);
    producer_lock.unlock();
    worker_lock.lock();
    now = clock_.now();
  }
}

// The last task is settled. True if no more will come: then all waiting threads are woken.
bool Dispatch::has_ended() {
  notify_idle();
  if (state_ != State::closed) return false;
  wake_everyone();
  return true;
}

void Dispatch::promote(Instant now) {
  if (const auto due = waitlist_.next_due(); !due || *due > now) return;
  const Lock producer_lock(producer_mutex_);
  while (auto task = waitlist_.take_due(now)) {
    refresh();
    backlog_->put(*std::move(task));
  }
  const std::size_t queued = backlog_->in_inbox() + backlog_->ready();
  waiting_.set(waitlist_.size());
  in_inbox_.set(backlog_->in_inbox());
  high_water_.set(std::max(high_water_.value(), queued));
  wake_producers();  // the waitlist is shorter now
}

void Dispatch::drain_inbox() {
  const Lock producer_lock(producer_mutex_);
  backlog_->drain_inbox();
  refresh();
  in_inbox_.set(0);
  ready_.set(backlog_->ready());
}

void Dispatch::hand_out(std::size_t worker, Task& into, Lock& worker_lock) {
  into = backlog_->pop();
  ++running_;
  wake_slots_[worker]->has_task = true;
  ready_.set(backlog_->ready());
  const bool has_idle = idle_count_.value() > 0;
  const bool has_more = has_idle && (!backlog_->empty() || in_inbox_.value() > 0);
  const bool wakes_worker = has_more || (has_idle && !waitlist_.empty());
  const bool wakes_producer = should_wake_producers();
  if (!wakes_worker && !wakes_producer) return;
  WakeSlot* slot = nullptr;
  {
    const Lock producer_lock(producer_mutex_);
    if (wakes_worker && (has_more || !timed_waiter_)) slot = slot_to_wake();
    if (wakes_producer) {
      refresh();
      wake_producers();
    }
  }
  worker_lock.unlock();
  if (slot != nullptr) slot->wake.notify_one();
}

bool Dispatch::should_wake_producers() const {
  if (waiting_producers_.value() == 0) return false;
  if (impatient_.value() > 0) return true;
  const std::size_t queued = in_inbox_.value() + backlog_->ready();
  return !woke_producers_.value() && queued <= options_.capacity / 2;
}

bool Dispatch::defer(Task&& task, Instant due) {
  Task dropped;  // destroyed outside the lock
  const Lock worker_lock(worker_mutex_);
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
  const Lock worker_lock(worker_mutex_);
  if (std::exchange(wake_slots_[worker]->has_task, false)) --running_;
  if (state_ == State::stopped) notify_idle();
}

// An idle moment is enough, even if it is over: new tasks may come before a waiter gets the lock.
bool Dispatch::wait_idle(const std::stop_token& stop) {
  // Created and destroyed outside the lock, as in admit().
  const std::stop_callback on_stop(stop, [this] {
    const Lock worker_lock(worker_mutex_);
    is_idle_now_.notify_all();
  });
  Lock worker_lock(worker_mutex_);
  {
    const Lock producer_lock(producer_mutex_);
    if (is_idle()) return true;
  }
  const std::uint64_t before = idle_moments_;
  ++idle_waits_;
  is_idle_now_.wait(worker_lock, [&] { return idle_moments_ != before || stop.stop_requested(); });
  --idle_waits_;
  return idle_moments_ != before;
}

// Called when the pool is idle or stopped. A stopped pool is idle when its last task has returned.
void Dispatch::notify_idle() {
  if (idle_waits_ == 0 || running_ > 0) return;
  ++idle_moments_;
  is_idle_now_.notify_all();
}

// Both sides: idle, close and stop.

void Dispatch::sync_ready(Lock& producer_lock) {
  producer_lock.unlock();
  const Lock worker_lock(worker_mutex_);
  producer_lock.lock();
  refresh();
}

void Dispatch::refresh() {
  ready_at_most_ = backlog_->ready();
  if (!backlog_->has_slot()) backlog_->make_slots();
}

bool Dispatch::is_idle() const {
  return running_ == 0 && waitlist_.empty() && backlog_->empty() && backlog_->in_inbox() == 0;
}

void Dispatch::wake_everyone() {
  for (auto& slot : wake_slots_) slot->wake.notify_one();
  room_.notify_all();
}

void Dispatch::close() {
  const Lock worker_lock(worker_mutex_);
  const Lock producer_lock(producer_mutex_);
  if (state_ != State::open) return;
  state_ = State::closed;
  if (is_idle()) wake_everyone();
  room_.notify_all();
}

bool Dispatch::stop() {
  Waitlist waiting;  // both are destroyed outside the locks: task bodies are foreign code
  auto queued = std::make_unique<Backlog>(options_.order, options_.ageing);
  const Lock worker_lock(worker_mutex_);
  const Lock producer_lock(producer_mutex_);
  if (state_ == State::stopped) return false;
  state_ = State::stopped;
  std::swap(queued, backlog_);
  std::swap(waiting, waitlist_);
  dropped_ += queued->ready() + queued->in_inbox() + waiting.size();
  in_inbox_.set(0);
  ready_.set(0);
  waiting_.set(0);
  wake_everyone();
  return true;
}

DispatchNumbers Dispatch::numbers() const {
  return {.queued = in_inbox_.value() + ready_.value(),
          .high_water = high_water_.value(),
          .waiting = waiting_.value(),
          .waiting_submits = waiting_producers_.value(),
          .accepted = accepted_.value(),
          .dropped = dropped_};
}

}  // namespace tidemill::engine
