// Dispatch: hands tasks from producers and from the waitlist to workers, and lets both sides sleep.
//
//        producer side │ worker side                   producer lock: inbox, sleeping threads
//   producers ──► inbox ──► ready list ──► workers     worker lock: ready list, waitlist
//                   ▲                         │        both, worker lock first: moves between
//            due    │                         │ defer  the two sides
//                   └─────── waitlist ◄───────┘
//
// Producers take the producer lock and workers the worker lock, so they do not contend at every
// task; a worker also takes the producer lock to drain the inbox, to fall asleep, or to wake
// producers. With one lock for both sides, more than half of the time was spent in the kernel's
// queue for that lock.
//
// The producer side has only an upper bound of the length of the ready list: the length when it was
// last refreshed. A caller that needs the exact length (try_submit before it returns queue_full, a
// producer that has waited) takes both locks.
//
// How threads sleep and wake. For each rule, a simpler one was measured as slower or found wrong:
//
// * An idle worker sleeps in its own wake slot, and the one that fell asleep last is woken first:
//   its caches are warm, and the others may stay asleep.
// * At most one wake-up is pending. The woken worker takes a task and wakes the next worker if
//   there are more, so a producer that is faster than a wake-up does not pay a system call per
//   task. No task is forgotten: a worker decides to sleep with both locks held, when there is
//   nothing that it may take.
// * While the waitlist is not empty, one idle worker (the timed waiter) sleeps with a time limit.
//   If it takes a task, it passes this role on by waking another idle worker. While all workers are
//   busy, no timed waiter is needed: each checks the waitlist whenever it comes for a task.
// * A blocked producer is woken when the backlog has fallen to half of the capacity: waking it for
//   each free place costs two context switches per task. But it waits for at most a millisecond
//   while there is room: then it refreshes the length of the ready list and counts as impatient,
//   and from then on every freed place wakes a producer. (Otherwise an urgent task could stay
//   blocked for as long as the running tasks take.)
//
// A worker never waits for room in its own pool: it would wait for itself. It may exceed the
// capacity by `reserve` places; pool.h describes what happens when these are taken too.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/limiter.h"
#include "tidemill/engine/pool/backlog.h"
#include "tidemill/engine/pool/gauge.h"
#include "tidemill/engine/pool/waitlist.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

struct DispatchOptions {
  std::size_t workers = 1;
  std::size_t capacity = 10;
  std::size_t reserve = 64;           // places beyond the capacity, for tasks that workers submit
  std::size_t waiting_limit = 1'000;  // producers also wait while the waitlist has this many tasks
  TaskOrder order = TaskOrder::first_come;
  unsigned ageing = 16;
  std::optional<Limiter> limiter = std::nullopt;  // of task starts
};

// Numbers for an operator, and for tests. Each is exact, but they may be from slightly different
// moments.
struct DispatchNumbers {
  std::size_t queued = 0;
  std::size_t high_water = 0;  // the maximum of `queued` so far
  std::size_t waiting = 0;     // on the waitlist: for a retry or a deferral
  std::size_t waiting_submits = 0;
  std::uint64_t accepted = 0;
  std::uint64_t dropped = 0;
};

// Thread-safe.
class Dispatch {
 public:
  Dispatch(const DispatchOptions& options, const Clock& clock);

  // Waits for room, until the token or the deadline ends the wait.
  Admission admit(Task& task, const std::stop_token& stop, std::optional<Instant> deadline);
  Admission try_admit(Task& task);
  Admission admit_from_worker(Task& task);  // never waits; also works while closed

  // Assigns an id to a task that runs at once, nested in another one, and counts it; see pool.h.
  void count_direct(Task& task);

  // Waits for a task; false: there will be none. The next call by the same worker means that its
  // previous task is settled. `now` is the worker's last known time; updated if the worker slept.
  [[nodiscard]] bool next(std::size_t worker, Instant& now, Task& into);

  // Puts a task that a worker holds on the waitlist until `due`. False: stopped, the task was
  // dropped and counted.
  bool defer(Task&& task, Instant due);
  void drop_running();  // counts a task that a worker holds and will not finish

  void lose(std::size_t worker);  // has ended, perhaps with a task unsettled

  // Waits for a moment at which no task is queued, running or waiting. False: `stop` came first.
  [[nodiscard]] bool wait_idle(const std::stop_token& stop);

  void close();               // no more from outside; queued tasks are still handed out
  [[nodiscard]] bool stop();  // nothing more is handed out; false: already stopped
  [[nodiscard]] DispatchNumbers numbers() const;  // without a lock

 private:
  enum class State : std::uint8_t { open, closed, stopped };

  struct WakeSlot {
    std::condition_variable wake;
    bool is_woken = false;  // producer lock; set when the waker removes it from idle_
    bool has_task = false;  // worker lock
  };

  using Lock = std::unique_lock<std::mutex>;

  Admission wait_and_admit(Task& task, const std::stop_token& stop,
                           std::optional<Instant> deadline);

  // Producer side; each needs the producer lock.
  [[nodiscard]] bool has_room(std::size_t places) const;
  void number(Task& task);
  void accept(Task& task, Lock& producer_lock);
  [[nodiscard]] WakeSlot* slot_to_wake();
  [[nodiscard]] bool looks_half_empty() const;
  void wait_for_room(Lock& producer_lock, bool& is_impatient, std::optional<Instant> deadline);
  void sleep_in_slot(std::size_t worker, Lock& producer_lock, std::optional<Instant> until);
  void wake_producers();

  // Both locks. sync_ready() briefly releases the producer lock, to take both in order.
  void sync_ready(Lock& producer_lock);
  void refresh();
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] bool has_ended();
  void wake_everyone();

  // Worker side; each needs the worker lock.
  void promote(Instant now);
  void drain_inbox();
  void notify_idle();
  [[nodiscard]] bool should_wake_producers() const;
  void hand_out(std::size_t worker, Task& into, Lock& worker_lock);

  const DispatchOptions options_;
  const Clock& clock_;
  std::atomic<State> state_ = State::open;  // written with both locks held
  std::unique_ptr<Backlog> backlog_;        // one side per lock; replaced with both held
  std::vector<std::unique_ptr<WakeSlot>> wake_slots_;

  // The members that a mutex guards follow it. Gauges are written under the lock and read without
  // it, by numbers() and by the other side. The order is chosen so that a task touches few cache
  // lines.
  alignas(64) std::mutex worker_mutex_;  // taken before producer_mutex_
  std::size_t running_ = 0;
  Gauge<std::size_t> ready_;
  Waitlist waitlist_;
  std::optional<Limiter> limiter_;
  std::size_t idle_waits_ = 0;      // calls of wait_idle() that wait
  std::uint64_t idle_moments_ = 0;  // seen while a call waited
  std::condition_variable is_idle_now_;

  alignas(64) std::mutex producer_mutex_;
  std::size_t ready_at_most_ = 0;
  TaskId next_id_ = 1;
  bool wake_is_pending_ = false;
  std::vector<std::size_t> idle_;  // asleep in their wake slots; the last one fell asleep last
  std::optional<std::size_t> timed_waiter_;
  Instant timed_waiter_until_{};
  std::condition_variable room_;

  // Producer lock too, but apart from its mutex: workers read them.
  alignas(64) Gauge<std::size_t> in_inbox_;
  Gauge<std::uint64_t> accepted_;
  Gauge<std::size_t> high_water_;

  // Rarely written, and read by both sides for every task.
  alignas(64) Gauge<std::size_t> waiting_;  // worker lock; the others: producer lock
  Gauge<std::size_t> waiting_producers_;
  Gauge<std::size_t> impatient_;
  Gauge<std::size_t> idle_count_;
  Gauge<bool> woke_producers_;  // since the last one fell asleep

  alignas(64) std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace tidemill::engine
