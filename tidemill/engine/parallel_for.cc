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
    book_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    has_clock_ = ::pthread_getcpuclockid(thread.native_handle(), &clock_) == 0;
  }

  // Of a thread that has ended, what it was before.
  nanoseconds awake() {
    if (book_.is_open()) return last_ = std::max(last_, in_book());
    timespec time{};  // a kernel without schedstat: only the time on a core is known
    if (has_clock_ && ::clock_gettime(clock_, &time) == 0) {
      last_ = std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
    }
    return last_;
  }

 private:
  // "<ns on a core> <ns waiting for one> <times>".
  [[nodiscard]] nanoseconds in_book() const {
    std::array<char, 96> text{};
    const ssize_t size = ::pread(book_.number(), text.data(), text.size(), 0);
    const char* const end = text.data() + std::max<ssize_t>(size, 0);
    nanoseconds::rep on_core = 0;
    nanoseconds::rep queued = 0;
    const auto first = std::from_chars(text.data(), end, on_core);
    if (first.ec != std::errc() || first.ptr == end) return nanoseconds(0);
    std::from_chars(first.ptr + 1, end, queued);
    return nanoseconds(on_core + queued);
  }

  Descriptor book_;
  clockid_t clock_{};
  bool has_clock_ = false;
  nanoseconds last_{0};
};

// The threads and what they share. Thread-safe in what the threads use; run() is the caller's.
class Loop {
 public:
  Loop(const ParallelOptions& options, std::size_t slices,
       const std::function<Result<void>(std::size_t, std::size_t)>& work,
       const std::stop_token& stop)
      : options_(options), slices_(slices), work_(work), stop_(stop) {}

  SlicesReport run() {
    if (auto led = contained([this] { lead(); }); !led) fail_with(std::move(led).error());
    state_.lock().wait([](const State& now) { return now.present == 0; });
    members_.clear();  // joins
    return {.is_complete = done_.load() == slices_,
            .most_threads = std::max<std::size_t>(most_, 1),
            .failure = state_.lock()->failure};
  }

 private:
  struct State {
    std::size_t allowed = 0;  // as allowed_, for those who rest
    std::size_t present = 0;  // threads that have not left
    std::optional<Failure> failure{};
  };
  struct Member {
    std::atomic<pid_t> id{0};
    std::optional<Meter> meter{};  // as soon as there is an id
    std::jthread thread{};
  };

  [[nodiscard]] bool is_over() const {
    return stop_.stop_requested() || has_failed_.load() || next_.load() >= slices_;
  }

  void lead() {
    resize(std::min(options_.fewest, slices_));
    if (members_.empty()) {
      allowed_.store(1);
      serve(0);
      return;
    }
    const std::stop_callback wake(stop_, [this] { state_.update([](State&) {}); });
    if (options_.most > options_.fewest) fit_to_the_disk();
    state_.lock().wait([](const State& now) { return now.present == 0; });
  }

  void fail_with(Failure failure) {
    has_failed_.store(true);
    state_.update([&](State& state) {
      if (!state.failure) state.failure = std::move(failure);
    });
  }

  void serve(std::size_t worker) {
    for (;;) {
      if (worker >= allowed_.load(std::memory_order_relaxed) && !rest(worker)) return;
      if (stop_.stop_requested() || has_failed_.load()) return;
      const std::size_t slice = next_.fetch_add(1);
      if (slice >= slices_) return;
      if (auto done = work_(worker, slice); !done) return fail_with(std::move(done).error());
      done_.fetch_add(1);
    }
  }

  // False: there is nothing left to do.
  bool rest(std::size_t worker) {
    auto state = state_.lock();
    state.wait([&](const State& now) { return worker < now.allowed || is_over(); });
    return !is_over();
  }

  // Who leaves wakes the others: those who rest see that it is over, the caller that one is gone.
  void enter(std::size_t worker, Member& member) {
    member.id.store(::gettid());
    serve(worker);
    leave();
  }

  void leave() {
    state_.update([](State& state) { --state.present; });
  }

  // False: the machine gives no more threads.
  bool hire() {
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
    allow(count);  // first: nobody comes only to rest
    while (members_.size() < count) {
      if (!hire()) allow(count = members_.size());
    }
    most_ = std::max(most_, count);
  }

  void allow(std::size_t count) {
    allowed_.store(count);
    state_.update([&](State& state) { state.allowed = count; });
  }

  // A thread that has waited for a core all the time is in the kernel's book only when it got one:
  // so it takes two looks in a row to grow.
  void fit_to_the_disk() {
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

  // Of all members together. Those at rest add nothing to it.
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

// Threads that are awake the same part of their time must settle down: a step up from below kIdle
// does not lead above kCrowded, and no step down leads below kIdle.
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
