#include "tidemill/engine/parallel_for.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <ctime>
#include <deque>
#include <optional>
#include <string>
#include <thread>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/thread.h"

namespace tidemill::engine {
namespace {

using std::chrono::nanoseconds;

constexpr auto kLook = std::chrono::milliseconds(25);

// How long a thread was awake since it began: on a core, or waiting for one. One thread.
class Meter {
 public:
  Meter(std::jthread& thread, pid_t id) {
    const std::string path = "/proc/self/task/" + std::to_string(id) + "/schedstat";
    schedstat_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    has_clock_ = ::pthread_getcpuclockid(thread.native_handle(), &clock_) == 0;
  }

  // For a thread that has ended, the last known value.
  nanoseconds awake() {
    if (schedstat_.is_open()) return last_ = std::max(last_, schedstat_time());
    timespec time{};  // a kernel without schedstat: only the time on a core is known
    if (has_clock_ && ::clock_gettime(clock_, &time) == 0) {
      last_ = std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
    }
    return last_;
  }

 private:
  // "<ns on a core> <ns waiting for one> <times>".
  [[nodiscard]] nanoseconds schedstat_time() const {
    std::array<char, 96> text{};
    const ssize_t size = ::pread(schedstat_.number(), text.data(), text.size(), 0);
    const char* const end = text.data() + std::max<ssize_t>(size, 0);
    nanoseconds::rep on_core = 0;
    nanoseconds::rep queued = 0;
    const auto first = std::from_chars(text.data(), end, on_core);
    if (first.ec != std::errc() || first.ptr == end) return nanoseconds(0);
    std::from_chars(first.ptr + 1, end, queued);
    return nanoseconds(on_core + queued);
  }

  Descriptor schedstat_;
  clockid_t clock_{};
  bool has_clock_ = false;
  nanoseconds last_{0};
};

// The threads and their shared state. Thread-safe where the threads use it; run() is the caller's.
class Loop {
 public:
  Loop(const ParallelOptions& options, std::size_t slices,
       const std::function<Result<void>(std::size_t, std::size_t)>& work,
       const std::stop_token& stop)
      : options_(options), slices_(slices), work_(work), stop_(stop) {}

  SlicesReport run() {
    if (auto ran = contained([this] { run_threads(); }); !ran) fail_with(std::move(ran).error());
    state_.lock().wait([](const State& now) { return now.present == 0; });
    members_.clear();  // joins
    return {.is_complete = done_.load() == slices_,
            .most_threads = std::max<std::size_t>(most_, 1),
            .failure = state_.lock()->failure};
  }

 private:
  struct State {
    std::size_t allowed = 0;  // as allowed_, for suspended threads
    std::size_t present = 0;  // threads that have not ended
    std::optional<Failure> failure{};
  };
  struct Member {
    std::atomic<pid_t> id{0};
    std::optional<Meter> meter{};  // set as soon as the id is known
    std::jthread thread{};
  };

  [[nodiscard]] bool is_over() const {
    return stop_.stop_requested() || has_failed_.load() || next_.load() >= slices_;
  }

  void run_threads() {
    resize(std::min(options_.fewest, slices_));
    if (members_.empty()) {
      allowed_.store(1);
      run_slices_of(0);
      return;
    }
    const std::stop_callback wake(stop_, [this] { state_.update([](State&) {}); });
    if (options_.most > options_.fewest) adapt_thread_count();
    state_.lock().wait([](const State& now) { return now.present == 0; });
  }

  void fail_with(Failure failure) {
    has_failed_.store(true);
    state_.update([&](State& state) {
      if (!state.failure) state.failure = std::move(failure);
    });
  }

  void run_slices_of(std::size_t worker) {
    for (;;) {
      if (worker >= allowed_.load(std::memory_order_relaxed) && !rest(worker)) return;
      if (stop_.stop_requested() || has_failed_.load()) return;
      const std::size_t slice = next_.fetch_add(1);
      if (slice >= slices_) return;
      if (auto done = work_(worker, slice); !done) return fail_with(std::move(done).error());
      done_.fetch_add(1);
    }
  }

  // Suspends a thread that is not needed now. False: there is nothing left to do.
  bool rest(std::size_t worker) {
    auto state = state_.lock();
    state.wait([&](const State& now) { return worker < now.allowed || is_over(); });
    return !is_over();
  }

  // A thread that ends wakes the others: suspended threads check whether the loop is over, and the
  // caller sees that one has ended.
  void enter(std::size_t worker, Member& member) {
    member.id.store(::gettid());
    run_slices_of(worker);
    leave();
  }

  void leave() {
    state_.update([](State& state) { --state.present; });
  }

  // False: the machine is out of threads.
  bool add_thread() {
    const std::size_t worker = members_.size();
    Member& member = members_.emplace_back();
    state_.update([](State& state) { ++state.present; });
    auto started = start_thread(
        "a loop", [this, worker, &member] { enter(worker, member); },
        [this](Failure failure) {
          fail_with(std::move(failure));
          leave();
        });
    if (started) {
      member.thread = *std::move(started);
      return true;
    }
    leave();
    members_.pop_back();
    return false;
  }

  void resize(std::size_t count) {
    allow(count);  // first, so that a new thread is not suspended at once
    while (members_.size() < count) {
      if (!add_thread()) allow(count = members_.size());
    }
    most_ = std::max(most_, count);
  }

  void allow(std::size_t count) {
    allowed_.store(count);
    state_.update([&](State& state) { state.allowed = count; });
  }

  // The kernel counts the time that a thread waited for a core only when the thread gets one. So
  // threads are added only after two measurements in a row.
  void adapt_thread_count() {
    bool was_idle = false;
    for (;;) {
      const Instant since = clock_.now();
      const nanoseconds before = awake();
      {
        auto state = state_.lock();
        if (state.wait_until(clock_, since + kLook, [&](const State&) { return is_over(); }))
          return;
      }
      const std::chrono::duration<double> were_awake = awake() - before;
      const std::chrono::duration<double> passed = clock_.now() - since;
      const std::size_t threads = allowed_.load();
      const double asleep = static_cast<double>(threads) - were_awake / passed;
      const std::size_t wanted = next_thread_count(threads, asleep, options_);
      const bool is_idle = wanted > threads;
      if (wanted < threads || (is_idle && was_idle)) resize(wanted);
      was_idle = is_idle;
    }
  }

  // The sum over all members. Suspended ones add nothing.
  nanoseconds awake() {
    nanoseconds sum{0};
    for (Member& member : members_) {
      const pid_t id = member.id.load();
      if (!member.meter && id != 0) member.meter.emplace(member.thread, id);
      if (member.meter) sum += member.meter->awake();
    }
    return sum;
  }

  const ParallelOptions& options_;
  const std::size_t slices_;
  const std::function<Result<void>(std::size_t, std::size_t)>& work_;
  const std::stop_token& stop_;
  const SystemClock clock_{};
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> has_failed_{false};
  std::atomic<std::size_t> allowed_{0};  // workers with a lower number may take slices
  Guarded<State> state_;
  std::size_t most_ = 0;        // the caller's
  std::deque<Member> members_;  // the caller's; last: the threads use everything above
};

}  // namespace

std::size_t ParallelOptions::default_fewest() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&cores)));
}

std::size_t ParallelOptions::default_most() {
  return std::max<std::size_t>(8, 4 * default_fewest());
}

// The count must converge if threads are awake for a constant share of their time: a step up from
// below kIdle does not lead above kCrowded, and a step down does not lead below kIdle.
std::size_t next_thread_count(std::size_t threads, double asleep, const ParallelOptions& options) {
  constexpr double kIdle = 0.85;
  constexpr double kCrowded = 1.35;
  const auto count = static_cast<double>(threads);
  const auto cores = static_cast<double>(options.fewest);
  const double awake = count - asleep;
  if (awake < kIdle * cores) {
    const std::size_t step = std::max<std::size_t>(1, threads / 2);
    return std::min(std::max(options.most, options.fewest), threads + step);
  }
  const double with_one_less = awake * (count - 1) / count;
  const bool is_crowded = awake > kCrowded * cores && with_one_less > kIdle * cores;
  return is_crowded && threads > options.fewest ? threads - 1 : threads;
}

SlicesReport run_slices(const ParallelOptions& options, std::size_t slices,
                        const std::function<Result<void>(std::size_t, std::size_t)>& work,
                        const std::stop_token& stop) {
  if (slices == 0) return {.is_complete = !stop.stop_requested()};
  return Loop(options, slices, work, stop).run();
}

}  // namespace tidemill::engine
