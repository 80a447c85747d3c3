#include "tidemill/engine/parallel_for.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::engine {
namespace {

constexpr CrewOptions kTwoToEight{.fewest = 2, .most = 8};

TEST(CrewSize, GrowsByHalfWhileCoresAreIdle) {
  EXPECT_EQ(crew_size(2, 2.0, kTwoToEight), 3U);
  EXPECT_EQ(crew_size(3, 2.0, kTwoToEight), 4U);
  EXPECT_EQ(crew_size(4, 2.5, kTwoToEight), 6U);
  EXPECT_EQ(crew_size(6, 6.0, kTwoToEight), 8U);
  EXPECT_EQ(crew_size(8, 8.0, kTwoToEight), 8U);
  EXPECT_EQ(crew_size(1, 0.9, {.fewest = 1, .most = 4}), 2U);
}

TEST(CrewSize, StaysWhenTheCoresAreBusy) {
  EXPECT_EQ(crew_size(2, 0.0, kTwoToEight), 2U);
  EXPECT_EQ(crew_size(2, 0.2, kTwoToEight), 2U);
  EXPECT_EQ(crew_size(2, -0.1, kTwoToEight), 2U);  // clocks differ a little
  EXPECT_EQ(crew_size(8, 6.0, kTwoToEight), 8U);
}

TEST(CrewSize, ShrinksStepByStepWhenThreadsWaitForACore) {
  EXPECT_EQ(crew_size(8, 1.0, kTwoToEight), 7U);
  EXPECT_EQ(crew_size(3, 0.0, kTwoToEight), 2U);
  EXPECT_EQ(crew_size(2, 0.0, {.fewest = 1, .most = 8}), 1U);
  EXPECT_EQ(crew_size(1, 0.0, {.fewest = 1, .most = 8}), 1U);
}

// Threads that sleep the same part of their time: it comes to rest and does not swing.
TEST(CrewSize, SettlesDown) {
  for (const std::size_t cores : {1U, 2U, 3U, 4U, 8U, 64U}) {
    const CrewOptions options{.fewest = cores, .most = 4 * cores};
    for (int percent = 0; percent <= 100; ++percent) {
      for (std::size_t threads = cores; threads <= options.most; ++threads) {
        std::size_t now = threads;
        const auto next = [&] {
          return crew_size(now, static_cast<double>(now) * percent / 100, options);
        };
        for (std::size_t i = 0; i < 4 * cores; ++i) now = next();
        EXPECT_EQ(next(), now) << cores << " cores, asleep " << percent << " %";
        EXPECT_GE(now, cores);
      }
    }
  }
}

// They begin together, so that they get in each other's way.
TEST(Crew, DoesEverySliceOnce) {
  constexpr std::size_t kSlices = 20'000;
  for (std::size_t threads = 1; threads <= 8; ++threads) {
    const CrewOptions options{.fewest = threads, .most = threads};
    std::vector<std::atomic<int>> calls(kSlices);
    std::vector<int> of_worker(threads);  // not atomic: no two calls of a worker overlap
    std::atomic<std::size_t> present = 0;
    const auto work = [&](std::size_t worker, std::size_t slice) {
      ASSERT_LT(worker, threads);
      if (of_worker[worker]++ == 0) {
        ++present;
        EXPECT_TRUE(testing::eventually([&] { return present == threads; }));
      }
      ++calls[slice];
    };
    const auto report = run_crew(options, kSlices, work, {});
    EXPECT_TRUE(report.is_complete);
    EXPECT_EQ(report.most_threads, threads);
    for (const auto& count : calls) ASSERT_EQ(count, 1);
  }
}

TEST(Crew, HasNoMoreThreadsThanSlices) {
  std::atomic<int> calls = 0;
  const auto count = [&](std::size_t, std::size_t) { ++calls; };
  EXPECT_EQ(run_crew({.fewest = 8, .most = 8}, 2, count, {}).most_threads, 2U);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(run_crew({}, 0, count, {}).is_complete);
  EXPECT_EQ(calls, 2);
}

TEST(Crew, BeginsNothingAfterAStop) {
  for (const std::size_t threads : {1U, 4U}) {
    std::stop_source source;
    std::atomic<std::size_t> begun = 0;
    const auto is_stopped = [&] { return source.stop_requested(); };
    const auto work = [&](std::size_t, std::size_t) {
      const std::size_t number = ++begun;
      if (number == 10) source.request_stop();
      if (number > 10) {  // it began before the stop
        EXPECT_TRUE(testing::eventually(is_stopped));
      }
    };
    const auto report =
        run_crew({.fewest = threads, .most = threads}, 100'000, work, source.get_token());
    EXPECT_FALSE(report.is_complete);
    EXPECT_GE(begun, 10U);
    EXPECT_LT(begun, 10 + threads) << "one more for each of the others";
    const std::size_t before = begun;
    EXPECT_FALSE(run_crew({}, 10, work, source.get_token()).is_complete);
    EXPECT_EQ(begun, before);
  }
}

// Nobody goes on before four are in: one thread is not enough, and each of them sleeps.
TEST(Crew, GrowsWhileItsThreadsSleep) {
  const SystemClock clock;
  Guarded<std::set<std::size_t>> inside;
  std::atomic<bool> is_late = false;
  const auto report = run_crew({.fewest = 1, .most = 4}, 4,
                               [&](std::size_t worker, std::size_t) {
                                 inside.update([&](auto& workers) { workers.insert(worker); });
                                 auto workers = inside.lock();
                                 const bool all = workers.wait_until(
                                     clock, clock.now() + std::chrono::minutes(1),
                                     [](const auto& now) { return now.size() == 4; });
                                 if (!all) is_late = true;
                               },
                               {});
  EXPECT_FALSE(is_late);
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(report.most_threads, 4U);
}

std::chrono::nanoseconds time_on_core() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Who waits for a core is not asleep.
bool is_asleep(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.substr(name_end).starts_with(") S");
}

// First they sleep until there are four, then they all want to run. Who finds all others asleep,
// five slices in a row, is alone: they are at rest, and must come back to end.
TEST(Crew, SendsThreadsToRestThatWaitForACore) {
  std::stop_source source;
  Guarded<std::map<std::size_t, pid_t>> inside;
  std::mutex mutex;
  std::size_t last = 0;
  int in_a_row = 0;
  std::atomic<bool> was_alone = false;
  const auto work = [&](std::size_t worker, std::size_t) {
    inside.update([&](auto& workers) { workers[worker] = ::gettid(); });
    inside.lock().wait([](const auto& now) { return now.size() == 4; });
    const auto until = time_on_core() + std::chrono::milliseconds(1);
    while (time_on_core() < until) {
    }
    const auto workers = *inside.lock();
    const bool is_alone = std::ranges::all_of(
        workers, [&](const auto& each) { return each.first == worker || is_asleep(each.second); });
    const std::scoped_lock lock(mutex);
    in_a_row = is_alone && worker == last ? in_a_row + 1 : 0;
    last = worker;
    if (in_a_row < 5) return;
    was_alone = true;
    source.request_stop();
  };
  EXPECT_EQ(run_crew({.fewest = 1, .most = 4}, 30'000, work, source.get_token()).most_threads, 4U);
  EXPECT_TRUE(was_alone);
}

TEST(Crew, HasOneThreadACoreAndMayHaveFourByDefault) {
  const CrewOptions options;
  EXPECT_GE(options.fewest, 1U);
  EXPECT_GE(options.most, 8U);
  EXPECT_GE(options.most, 4 * options.fewest);
}

TEST(Crew, ASliceThatThrowsEndsItWithAFailure) {
  std::atomic<std::size_t> begun = 0;
  const auto report = run_crew({.fewest = 2, .most = 2}, 100'000,
                               [&](std::size_t, std::size_t slice) {
                                 ++begun;
                                 if (slice == 10) throw std::bad_alloc();
                               },
                               {});
  EXPECT_FALSE(report.is_complete);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->step, "memory");
  EXPECT_LE(begun.load(), 100'000U);
}

}  // namespace
}  // namespace tidemill::engine
