#include "tidemill/engine/dispatch.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemill::engine {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kPatience = std::chrono::milliseconds(1);

}  // namespace

Dispatch::Dispatch(const DispatchOptions& options, const Clock& clock)
    : options_(options),
      clock_(clock),
      backlog_(options.order, options.ageing),
      limiter_(options.limiter) {
  for (std::size_t i = 0; i < options.workers; ++i) desks_.push_back(std::make_unique<Desk>());
  idle_.reserve(options.workers);
}

Admission Dispatch::try_admit(Task& task) {
  Lock lock(mutex_);
  if (state_ != State::open) return Admission::stopped;
  if (!has_room()) return Admission::queue_full;
  accept(task);
  wake_for_work(lock);
  return Admission::accepted;
}

Admission Dispatch::admit_from_worker(Task& task) {
  Lock lock(mutex_);
  if (state_ == State::stopped) return Admission::stopped;
  if (backlog_.size() >= options_.capacity + options_.reserve) return Admission::queue_full;
  accept(task);
  wake_for_work(lock);
  return Admission::accepted;
}

Admission Dispatch::admit(Task& task, const std::stop_token& stop,
                          std::optional<Instant> deadline) {
  if (const auto quick = stop.stop_requested() ? Admission::cancelled : try_admit(task);
      quick != Admission::queue_full) {
    return quick;
  }
  // Made and destroyed outside the lock: its destructor waits for a callback that wants the lock.
  const std::stop_callback on_stop(stop, [this] {
    const std::scoped_lock held(mutex_);
    door_.notify_all();
  });
  Lock lock(mutex_);
  gauges_.waiting_submits.store(++at_door_, kRelaxed);
  bool is_impatient = false;
  auto answer = Admission::queue_full;
  while (answer == Admission::queue_full) {
    if (state_ != State::open) {
      answer = Admission::stopped;
    } else if (stop.stop_requested()) {
      answer = Admission::cancelled;
    } else if (has_room()) {
      answer = Admission::accepted;
    } else if (deadline && clock_.now() >= *deadline) {
      answer = Admission::timed_out;
    } else {
      sleep_at_door(lock, is_impatient, deadline);
    }
  }
  gauges_.waiting_submits.store(--at_door_, kRelaxed);
  if (is_impatient) --impatient_;
  if (answer == Admission::accepted) {
    accept(task);
    wake_for_work(lock);
  }
  return answer;
}

void Dispatch::sleep_at_door(Lock& lock, bool& is_impatient, std::optional<Instant> deadline) {
  if (!is_impatient) {
    if (door_.wait_for(lock, kPatience) == std::cv_status::timeout) {
      is_impatient = true;
      ++impatient_;
    }
  } else if (deadline) {
    clock_.wait_until(lock, door_, *deadline);
  } else {
    door_.wait(lock);
  }
}

bool Dispatch::has_room() const {
  return backlog_.size() < options_.capacity && waitlist_.size() < options_.waiting_limit;
}

// The pool's own numbers stay above every id that a caller chose.
void Dispatch::number(Task& task) {
  if (task.traits.id == 0) task.traits.id = next_id_;
  next_id_ = std::max(next_id_, task.traits.id + 1);
}

void Dispatch::accept(Task& task) {
  number(task);
  backlog_.push(std::move(task));
  const std::size_t queued = backlog_.size();
  gauges_.accepted.store(gauges_.accepted.load(kRelaxed) + 1, kRelaxed);
  gauges_.queued.store(queued, kRelaxed);
  if (queued > gauges_.high_water.load(kRelaxed)) gauges_.high_water.store(queued, kRelaxed);
}

void Dispatch::count_direct(Task& task) {
  const Lock lock(mutex_);
  number(task);
  gauges_.accepted.store(gauges_.accepted.load(kRelaxed) + 1, kRelaxed);
}

// Wakes an idle worker if there is work, or a keeper's office, for it. Ends the lock: a worker that
// wakes while the waker still holds it would only fall asleep again.
void Dispatch::wake_for_work(Lock& lock) {
  const bool needs_keeper = !waitlist_.empty() && !keeper_;
  if (idle_.empty() || wake_is_pending_ || (backlog_.empty() && !needs_keeper)) {
    lock.unlock();
    return;
  }
  Desk& desk = *desks_[idle_.back()];
  idle_.pop_back();
  desk.is_woken = true;
  wake_is_pending_ = true;
  lock.unlock();
  desk.wake.notify_one();
}

void Dispatch::wake_everyone() {
  for (auto& desk : desks_) desk->wake.notify_one();
  door_.notify_all();
}

bool Dispatch::next(std::size_t worker, Instant& now, Task& into) {
  Lock lock(mutex_);
  if (std::exchange(desks_[worker]->has_task, false)) --running_;
  for (;;) {
    if (state_ == State::stopped) return false;
    promote(now);
    bool may_start = false;
    const auto look_again = moment_to_look_again(now, may_start);
    if (may_start) {
      hand_out(worker, into, lock);
      return true;
    }
    if (is_drained()) {
      wake_everyone();  // the last task is settled: nobody has anything to wait for
      return false;
    }
    sleep_at_desk(worker, lock, look_again);
    now = clock_.now();
  }
}

void Dispatch::promote(Instant now) {
  if (waitlist_.empty()) return;
  while (auto task = waitlist_.take_due(now)) backlog_.push(*std::move(task));
  gauges_.waiting.store(waitlist_.size(), kRelaxed);
  gauges_.queued.store(backlog_.size(), kRelaxed);
  if (backlog_.size() > gauges_.high_water.load(kRelaxed)) {
    gauges_.high_water.store(backlog_.size(), kRelaxed);
  }
}

// Nothing when only another thread can bring news; otherwise when to look again unasked.
std::optional<Instant> Dispatch::moment_to_look_again(Instant now, bool& may_start) {
  if (backlog_.empty()) return waitlist_.next_due();
  const auto wait = limiter_ ? limiter_->take(now) : Instant::duration::zero();
  may_start = wait <= Instant::duration::zero();
  return now + wait;
}

void Dispatch::hand_out(std::size_t worker, Task& into, Lock& lock) {
  into = backlog_.pop();
  ++running_;
  desks_[worker]->has_task = true;
  gauges_.queued.store(backlog_.size(), kRelaxed);
  const int producers = producers_to_wake();
  wake_for_work(lock);
  if (producers == 1) door_.notify_one();
  if (producers > 1) door_.notify_all();
}

int Dispatch::producers_to_wake() const {
  if (at_door_ == 0 || !has_room()) return 0;
  const bool is_half_empty = backlog_.size() <= options_.capacity / 2;
  if (!is_half_empty && impatient_ == 0) return 0;
  return at_door_ == 1 || backlog_.size() + 1 == options_.capacity ? 1 : 2;
}

void Dispatch::sleep_at_desk(std::size_t worker, Lock& lock, std::optional<Instant> until) {
  Desk& desk = *desks_[worker];
  idle_.push_back(worker);
  if (until && (!keeper_ || *until < keeper_until_)) {
    keeper_ = worker;
    keeper_until_ = *until;
    clock_.wait_until(lock, desk.wake, *until);
  } else {
    desk.wake.wait(lock);
  }
  if (keeper_ == worker) keeper_.reset();
  if (std::exchange(desk.is_woken, false)) {
    wake_is_pending_ = false;
  } else {
    std::erase(idle_, worker);
  }
}

bool Dispatch::put_off(Task&& task, Instant due) {
  Task dropped;  // destroyed outside the lock
  const Lock lock(mutex_);
  if (state_ == State::stopped) {
    gauges_.dropped.store(gauges_.dropped.load(kRelaxed) + 1, kRelaxed);
    dropped = std::move(task);
    return false;
  }
  waitlist_.add(due, std::move(task));
  gauges_.waiting.store(waitlist_.size(), kRelaxed);
  return true;
}

void Dispatch::drop_running() {
  const Lock lock(mutex_);
  gauges_.dropped.store(gauges_.dropped.load(kRelaxed) + 1, kRelaxed);
}

bool Dispatch::is_drained() const {
  return state_ == State::closed && running_ == 0 && backlog_.empty() && waitlist_.empty();
}

void Dispatch::close() {
  const Lock lock(mutex_);
  if (state_ != State::open) return;
  state_ = State::closed;
  if (is_drained()) wake_everyone();
  door_.notify_all();
}

bool Dispatch::stop() {
  Backlog queued(options_.order, options_.ageing);  // both destroyed outside the lock
  Waitlist waiting;
  const Lock lock(mutex_);
  if (state_ == State::stopped) return false;
  state_ = State::stopped;
  std::swap(queued, backlog_);
  std::swap(waiting, waitlist_);
  gauges_.dropped.store(gauges_.dropped.load(kRelaxed) + queued.size() + waiting.size(), kRelaxed);
  gauges_.queued.store(0, kRelaxed);
  gauges_.waiting.store(0, kRelaxed);
  wake_everyone();
  return true;
}

}  // namespace tidemill::engine
