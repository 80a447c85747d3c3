#include "tidemill/engine/parallel_for.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::engine {
namespace {

constexpr ParallelOptions kTwoToEight{.fewest = 2, .most = 8};

TEST(NextThreadCount, GrowsByHalfWhileCoresAreIdle) {
  EXPECT_EQ(next_thread_count(2, 2.0, kTwoToEight), 3U);
  EXPECT_EQ(next_thread_count(3, 2.0, kTwoToEight), 4U);
  EXPECT_EQ(next_thread_count(4, 2.5, kTwoToEight), 6U);
  EXPECT_EQ(next_thread_count(6, 6.0, kTwoToEight), 8U);
  EXPECT_EQ(next_thread_count(8, 8.0, kTwoToEight), 8U);
  EXPECT_EQ(next_thread_count(1, 0.9, {.fewest = 1, .most = 4}), 2U);
}

TEST(NextThreadCount, StaysWhenTheCoresAreBusy) {
  EXPECT_EQ(next_thread_count(2, 0.0, kTwoToEight), 2U);
  EXPECT_EQ(next_thread_count(2, 0.2, kTwoToEight), 2U);
  EXPECT_EQ(next_thread_count(2, -0.1, kTwoToEight), 2U);  // clocks differ a little
  EXPECT_EQ(next_thread_count(8, 6.0, kTwoToEight), 8U);
}

TEST(NextThreadCount, ShrinksStepByStepWhenThreadsWaitForACore) {
  EXPECT_EQ(next_thread_count(8, 1.0, kTwoToEight), 7U);
  EXPECT_EQ(next_thread_count(3, 0.0, kTwoToEight), 2U);
  EXPECT_EQ(next_thread_count(2, 0.0, {.fewest = 1, .most = 8}), 1U);
  EXPECT_EQ(next_thread_count(1, 0.0, {.fewest = 1, .most = 8}), 1U);
}

// Threads that sleep for a constant share of their time: the count converges without oscillating.
TEST(NextThreadCount, ConvergesWithoutOscillating) {
  for (const std::size_t cores : {1U, 2U, 3U, 4U, 8U, 64U}) {
    const ParallelOptions options{.fewest = cores, .most = 4 * cores};
    for (int percent = 0; percent <= 100; ++percent) {
      for (std::size_t threads = cores; threads <= options.most; ++threads) {
        std::size_t now = threads;
        const auto next = [&] {
          return next_thread_count(now, static_cast<double>(now) * percent / 100, options);
        };
        for (std::size_t i = 0; i < 4 * cores; ++i) now = next();
        EXPECT_EQ(next(), now) << cores << " cores, asleep " << percent << " %";
        EXPECT_GE(now, cores);
      }
    }
  }
}

// They start together, so that they contend.
TEST(ParallelSlices, RunsEverySliceOnce) {
  constexpr std::size_t kSlices = 20'000;
  for (std::size_t threads = 1; threads <= 8; ++threads) {
    const ParallelOptions options{.fewest = threads, .most = threads};
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
    const auto report = parallel_slices(options, kSlices, work, {});
    EXPECT_TRUE(report.is_complete);
    EXPECT_EQ(report.most_threads, threads);
    for (const auto& count : calls) ASSERT_EQ(count, 1);
  }
}

TEST(ParallelSlices, HasNoMoreThreadsThanSlices) {
  std::atomic<int> calls = 0;
  const auto count = [&](std::size_t, std::size_t) { ++calls; };
  EXPECT_EQ(parallel_slices({.fewest = 8, .most = 8}, 2, count, {}).most_threads, 2U);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(parallel_slices({}, 0, count, {}).is_complete);
  EXPECT_EQ(calls, 2);
}

TEST(ParallelSlices, StartsNoSliceAfterAStop) {
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
        parallel_slices({.fewest = threads, .most = threads}, 100'000, work, source.get_token());
    EXPECT_FALSE(report.is_complete);
    EXPECT_GE(begun, 10U);
    EXPECT_LT(begun, 10 + threads) << "one more for each of the others";
    const std::size_t before = begun;
    EXPECT_FALSE(parallel_slices({}, 10, work, source.get_token()).is_complete);
    EXPECT_EQ(begun, before);
  }
}

// No call returns before four have started: one thread is not enough, and each of them sleeps.
TEST(ParallelSlices, GrowsWhileItsThreadsSleep) {
  const SystemClock clock;
  Guarded<std::set<std::size_t>> inside;
  std::atomic<bool> is_late = false;
  const auto report = parallel_slices(
      {.fewest = 1, .most = 4}, 4,
      [&](std::size_t worker, std::size_t) {
        inside.update([&](auto& workers) { workers.insert(worker); });
        auto workers = inside.lock();
        const bool all = workers.wait_until(clock, clock.now() + std::chrono::minutes(1),
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

// A thread that waits for a core is not asleep.
bool is_asleep(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.substr(name_end).starts_with(") S");
}

// First the threads sleep until there are four, then all of them want to run. A thread that finds
// all others asleep in five slices in a row is alone: the others are suspended, and must be woken
// to end.
TEST(ParallelSlices, ParksThreadsThatWaitForACore) {
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
  EXPECT_EQ(
      parallel_slices({.fewest = 1, .most = 4}, 30'000, work, source.get_token()).most_threads, 4U);
  EXPECT_TRUE(was_alone);
}

TEST(ParallelSlices, DefaultsToOneThreadPerCoreAndAllowsFourPerCore) {
  const ParallelOptions options;
  EXPECT_GE(options.fewest, 1U);
  EXPECT_GE(options.most, 8U);
  EXPECT_GE(options.most, 4 * options.fewest);
}

TEST(ParallelSlices, FailsWhenASliceThrows) {
  std::atomic<std::size_t> begun = 0;
  const auto report = parallel_slices({.fewest = 2, .most = 2}, 100'000,
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

TEST(ParallelFor, CallsTheBodyOnceForEachIndexWhateverTheGrain) {
  for (const std::size_t grain : {0U, 1U, 3U, 1'000U, 5'000U}) {
    std::vector<std::atomic<int>> calls(1'000);
    const auto done = parallel_for(10, 1'000, [&](std::size_t index) { ++calls[index]; },
                                   {.fewest = 3, .most = 3, .grain = grain});
    EXPECT_TRUE(done);
    for (std::size_t i = 0; i < calls.size(); ++i) ASSERT_EQ(calls[i], i < 10 ? 0 : 1) << i;
  }
}

TEST(ParallelFor, AnEmptyRangeIsDoneAtOnce) {
  const auto never = [](std::size_t) { FAIL(); };
  EXPECT_TRUE(parallel_for(0, 0, never));
  EXPECT_TRUE(parallel_for(5, 2, never));
}

TEST(ParallelFor, HandlesARangeThatEndsAtTheLargestIndex) {
  constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> calls = 0;
  const auto count = [&](std::size_t) { ++calls; };
  EXPECT_TRUE(parallel_for(kLast - 10, kLast, count, {.fewest = 2, .most = 2, .grain = 4}));
  EXPECT_EQ(calls, 10U);
}

TEST(ParallelFor, PassesTheWorkerNumberForPerWorkerBuffers) {
  std::vector<std::size_t> sums(4);  // not atomic: no two calls of a worker overlap
  const auto add = [&](std::size_t worker, std::size_t index) { sums.at(worker) += index; };
  EXPECT_TRUE(parallel_for(0, 10'000, add, {.fewest = 4, .most = 4, .grain = 1}));
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::size_t{0}), 49'995'000U);
}

// The second slice ends only because the first one fails.
TEST(ParallelFor, ReturnsTheFirstFailureAndStartsNoFurtherIndex) {
  constexpr std::size_t kSlice = std::size_t{1} << 40U;
  for (const std::size_t threads : {1U, 2U}) {
    std::atomic<std::size_t> begun = 0;
    std::atomic<bool> is_second_there = threads == 1;
    const auto body = [&](std::size_t index) -> Result<void> {
      ++begun;
      if (index == kSlice) is_second_there = true;
      if (index != 10) return {};
      EXPECT_TRUE(testing::eventually([&] { return is_second_there.load(); }));
      return fail(Cure::give_up, "test", "the tenth");
    };
    const auto done =
        parallel_for(0, 2 * kSlice, body, {.fewest = threads, .most = threads, .grain = kSlice});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().reason, "the tenth");
    EXPECT_EQ(done.error().cure, Cure::give_up);
    EXPECT_TRUE(threads > 1 || begun == 11) << begun;
  }
}

TEST(ParallelFor, FailsWhenTheBodyThrows) {
  const auto body = [](std::size_t index) {
    if (index == 3) throw std::bad_alloc();
  };
  const auto done = parallel_for(0, 10, body, {.fewest = 2, .most = 2});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().step, "memory");
}

TEST(ParallelFor, AStopEndsItBetweenTwoIndices) {
  for (const std::size_t grain : {25'000U, 100'000U}) {  // four slices, and one that is interrupted
    const std::size_t threads = 100'000 / grain;
    std::stop_source source;
    std::atomic<std::size_t> begun = 0;
    const auto body = [&](std::size_t) {
      const std::size_t number = ++begun;
      if (number == 10) source.request_stop();
      if (number > 10) {  // it began before the stop
        EXPECT_TRUE(testing::eventually([&] { return source.stop_requested(); }));
      }
    };
    const auto done = parallel_for(
        0, 100'000, body, {.fewest = threads, .most = threads, .grain = grain}, source.get_token());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().step, "stopped");
    EXPECT_GE(begun, 10U);
    EXPECT_LT(begun, 10 + threads);
  }
}

}  // namespace
}  // namespace tidemill::engine
