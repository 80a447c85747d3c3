// Dispatch: the one place where producers, workers and waiting tasks meet.
//
//   producers ──► door ─► porch ──► inside ──► workers        the door's lock: porch, sleepers
//                           ▲                    │            the floor's lock: inside, waitlist
//                moment     │                    │ put_off
//                has come   └───── waitlist ◄────┘            both, in the order floor, door: what
//                                                             moves between them
//
// Producers lock the door, workers lock the floor, so the two do not fight over every task; a
// worker locks the door as well when it takes in what is on the porch, falls asleep, or calls
// producers. With one lock for all, more than half of the time went into the kernel's queue for
// that lock.
//
// The door knows only how many tasks are inside at most: the number at the last visit of a worker.
// Whoever must know exactly (try_submit before it says "full", a producer that has waited) looks
// inside, with both locks.
//
// How threads sleep and wake. Each rule is there because a simpler one was measured or found wrong:
//
// * An idle worker sleeps at a desk of its own, and the one that fell asleep last is woken first:
//   its caches are warm and the others may stay asleep.
// * At most one wake-up is on its way. The woken worker takes a task and wakes the next one if more
//   is there, so a producer that is faster than a wake-up does not pay a system call a task. No
//   task is forgotten: a worker falls asleep only with both locks held and nothing to take.
// * While tasks wait for a moment, one idle worker (the keeper) sleeps with a time limit. A keeper
//   that takes a task hands the office on by waking another idle worker. A keeper is not needed
//   while all are busy: each looks at the waitlist whenever it comes for a task.
// * A producer at the full door is woken when the backlog has fallen to half: waking it for each
//   free place costs two context switches a task. But it stands there with room inside for at most
//   a millisecond: then it looks inside, counts as impatient, and every place that becomes free
//   from that moment wakes one. (Without this, an urgent task could wait outside for as long as the
//   running tasks take.)
//
// A worker never waits at the door of its own pool: it would wait for itself. It may go beyond the
// capacity by `reserve` places; see Pool::submit for what follows when these are taken too.
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
  std::size_t waiting_limit = 1'000;  // producers also wait while this many tasks wait for a moment
  Order order = Order::first_come;
  unsigned ageing = 16;
  std::optional<Limiter> limiter = std::nullopt;  // how often a task may start
};

// Numbers for an operator, and for tests. Each is right for itself; together they may be of
// slightly different moments.
struct DispatchNumbers {
  std::size_t queued = 0;
  std::size_t high_water = 0;  // the most that were ever queued
  std::size_t waiting = 0;     // for a moment: a retry or a deferral
  std::size_t waiting_submits = 0;
  std::uint64_t accepted = 0;
  std::uint64_t dropped = 0;
};

// Thread-safe.
class Dispatch {
 public:
  Dispatch(const DispatchOptions& options, const Clock& clock);

  // Waits for room, unless the token or the deadline ends it.
  Admission admit(Task& task, const std::stop_token& stop, std::optional<Instant> deadline);
  Admission try_admit(Task& task);
  Admission admit_from_worker(Task& task);  // never waits; also while closed

  // Numbers and counts a task that runs at once, without the queue; see Pool::submit.
  void count_direct(Task& task);

  // Waits for a task; false: there will be none. Calling it again says that the task which this
  // worker got before is settled. `now` is what the worker knows of the time; moved on if it slept.
  [[nodiscard]] bool next(std::size_t worker, Instant& now, Task& into);

  // The task comes back when `due` has come. For tasks that a worker holds now. False: stopped, the
  // task was dropped and counted.
  bool put_off(Task&& task, Instant due);
  void drop_running();  // a task that a worker holds will not be finished: count it

  void lose(std::size_t worker);  // it will not come again, and has perhaps left a task unsettled

  // Waits for a moment at which no task is queued, running or put off. False: `stop` came first.
  [[nodiscard]] bool wait_idle(const std::stop_token& stop);

  void close();               // nothing more from outside; the rest is still handed out
  [[nodiscard]] bool stop();  // nothing more is handed out; false: it was stopped before
  [[nodiscard]] DispatchNumbers numbers() const;  // without a lock

 private:
  enum class State : std::uint8_t { open, closed, stopped };

  struct Desk {
    std::condition_variable wake;
    bool is_woken = false;  // the door's: taken off idle_ by whoever wakes it
    bool has_task = false;  // the floor's
  };

  using Lock = std::unique_lock<std::mutex>;

  Admission wait_and_admit(Task& task, const std::stop_token& stop,
                           std::optional<Instant> deadline);

  // The door's part; each needs its lock.
  [[nodiscard]] bool has_room(std::size_t places) const;
  void number(Task& task);
  void accept(Task& task, Lock& door);
  [[nodiscard]] Desk* desk_to_wake();
  [[nodiscard]] bool looks_half_empty() const;
  void sleep_at_door(Lock& door, bool& is_impatient, std::optional<Instant> deadline);
  void sleep_at_desk(std::size_t worker, Lock& door, std::optional<Instant> until);
  void call_producers();

  // Both locks; the first lets go of the door's for a moment to take them in order.
  void look_inside(Lock& door);
  void refresh();
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] bool has_ended();
  void wake_everyone();

  // The floor's part; each needs its lock.
  void promote(Instant now);
  void take_in();
  void tell_idle();
  [[nodiscard]] bool should_call_producers() const;
  void hand_out(std::size_t worker, Task& into, Lock& floor);

  const DispatchOptions options_;
  const Clock& clock_;
  std::atomic<State> state_ = State::open;  // written with both locks held
  std::unique_ptr<Backlog> backlog_;        // has a side for each lock; replaced with both held
  std::vector<std::unique_ptr<Desk>> desks_;

  // What a lock guards follows it. Gauges are written under the lock and read without it, by
  // numbers() and by the other side. The order is chosen so that a task touches few cache lines.
  alignas(64) std::mutex floor_;  // taken before door_
  std::size_t running_ = 0;
  Gauge<std::size_t> inside_;
  Waitlist waitlist_;
  std::optional<Limiter> limiter_;
  std::size_t idle_waits_ = 0;      // calls of wait_idle() that wait
  std::uint64_t idle_moments_ = 0;  // that were seen while one waited
  std::condition_variable is_idle_now_;

  alignas(64) std::mutex door_;
  std::size_t inside_at_most_ = 0;
  TaskId next_id_ = 1;
  bool wake_is_pending_ = false;
  std::vector<std::size_t> idle_;  // asleep at their desks; the last one fell asleep last
  std::optional<std::size_t> keeper_;
  Instant keeper_until_{};
  std::condition_variable room_;

  // The door's too, but apart from its mutex: workers look at them.
  alignas(64) Gauge<std::size_t> on_porch_;
  Gauge<std::uint64_t> accepted_;
  Gauge<std::size_t> high_water_;

  // Seldom written, and read by both sides for every task.
  alignas(64) Gauge<std::size_t> waiting_;  // the floor's; the rest is the door's
  Gauge<std::size_t> at_door_;
  Gauge<std::size_t> impatient_;
  Gauge<std::size_t> idle_count_;
  Gauge<bool> has_called_;  // producers were woken since the last fell asleep

  alignas(64) std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace tidemill::engine
