#include "tidemill/engine/progress.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/engine/pool.h"
#include "tidemill/testing/door.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/pools.h"

namespace tidemill::engine {
namespace {

using testing::Door;
using testing::eventually;
using testing::pool_of;
using namespace std::chrono_literals;

// A fake clock that also counts the waits on it. Thread-safe.
class WatchedClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return fake_.now(); }
  [[nodiscard]] WallTime wall() const override { return fake_.wall(); }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  Instant until) const override {
    ++waits_;
    fake_.wait_until(lock, changed, until);
  }

  void advance(Instant::duration by) { fake_.advance(by); }

  // After two more waits, the waiting thread has read the time again and acted on it: the first
  // wait may belong to an earlier reading, the second does not.
  [[nodiscard]] std::uint64_t waits() const { return waits_; }

 private:
  testing::FakeClock fake_;
  mutable std::atomic<std::uint64_t> waits_ = 0;
};

// A run that consists only of numbers, and the snapshots that were reported of it.
struct ReportedProgress {
  static constexpr std::size_t kTooMany = 100;  // so that a reporter that does not wait fails early
  WatchedClock clock;
  std::atomic<std::uint64_t> found = 0;
  std::atomic<std::uint64_t> done = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::atomic<bool> is_total_known = false;
  Guarded<std::vector<ProgressSnapshot>> snapshots;

  auto source() {
    return [this]() -> ProgressInputs {
      return {.counts = {.found = found, .done = done, .failed = failed},
              .is_total_known = is_total_known};
    };
  }
  auto observer() {
    return [this](const ProgressSnapshot& snapshot) {
      const auto all = snapshots.lock();
      if (all->size() < kTooMany) all->push_back(snapshot);
    };
  }
  auto start(Instant::duration interval = 100ms) {
    auto reporter = ProgressReporter::start({.interval = interval}, source(), observer(), clock);
    EXPECT_TRUE(reporter);
    return *std::move(reporter);
  }
  // Whether the reporter has done everything that is due, and waits.
  bool is_up_to_date() {
    const auto before = clock.waits();
    return eventually([&] { return clock.waits() >= before + 2 || count() == kTooMany; }) &&
           count() < kTooMany;
  }
  std::size_t count() { return snapshots.lock()->size(); }
  ProgressSnapshot at(std::size_t index) { return snapshots.lock()->at(index); }
};

TEST(ProgressOptions, AnIntervalBelow100MsOrAboveADayIsRefused) {
  ReportedProgress told;
  const auto reason = [&](Instant::duration interval) {
    const auto reporter =
        ProgressReporter::start({.interval = interval}, told.source(), told.observer(), told.clock);
    return reporter ? std::string("accepted") : reporter.error().reason;
  };
  EXPECT_EQ(reason(100ms - 1ns), "interval must be at least 100 ms");
  EXPECT_EQ(reason(-1s), "interval must be at least 100 ms");
  EXPECT_EQ(reason(24h + 1ns), "interval must be at most 24 hours");
  EXPECT_EQ(told.count(), 0U);
  EXPECT_EQ(reason(100ms), "accepted");
  EXPECT_EQ(ProgressOptions{}.interval, 100ms);
}

TEST(ProgressReporter, ReportsTheStartAtOnceAndNothingMoreBeforeTheInterval) {
  ReportedProgress told;
  const auto reporter = told.start();
  ASSERT_TRUE(told.is_up_to_date());
  for (int i = 0; i < 10; ++i) {
    told.done += 1000;  // however fast it goes
    ASSERT_TRUE(told.is_up_to_date());
  }
  told.clock.advance(100ms - 1ns);
  ASSERT_TRUE(told.is_up_to_date());
  EXPECT_EQ(told.count(), 1U);
  told.clock.advance(1ns);
  ASSERT_TRUE(told.is_up_to_date());
  ASSERT_EQ(told.count(), 2U);
  EXPECT_EQ(told.at(0).counts.done, 0U);
  EXPECT_EQ(told.at(1).counts.done, 10'000U);
  EXPECT_EQ(told.at(1).elapsed, 100ms);
}

// One snapshot at the first check at or after each due instant; missed ones are not made up for.
TEST(ProgressReporter, ReportsOncePerIntervalAndDoesNotCatchUpAfterALongDelay) {
  ReportedProgress told;
  const auto reporter = told.start();
  ASSERT_TRUE(told.is_up_to_date());
  std::vector<Instant::duration> expected = {0ms};
  Instant::duration now{0};
  for (const Instant::duration by :
       {99ms, 1ms, 100ms, 30ms, 69ms, 5000ms, 100ms, 250ms, 50ms, 60ms}) {
    now += by;
    if (now >= expected.back() + 100ms) expected.push_back(now);
    told.clock.advance(by);
    ASSERT_TRUE(told.is_up_to_date());
  }
  std::vector<Instant::duration> seen;
  for (std::size_t i = 0; i < told.count(); ++i) seen.push_back(told.at(i).elapsed);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(expected.size(), 7U);
}

TEST(ProgressReporter, ReportsAnExactLastSnapshotOnce) {
  ReportedProgress told;
  const auto reporter = told.start(24h);
  ASSERT_TRUE(told.is_up_to_date());
  told.found = 10;
  told.done = 7;
  told.failed = 3;
  told.is_total_known = true;
  told.clock.advance(5s);
  reporter->finish();  // does not wait for the interval
  ASSERT_EQ(told.count(), 2U);
  EXPECT_FALSE(told.at(0).is_last);
  const ProgressSnapshot last = told.at(1);
  EXPECT_TRUE(last.is_last);
  EXPECT_EQ(last.counts, (FlowCounts{.found = 10, .done = 7, .failed = 3}));
  EXPECT_EQ(last.failures, 3U);
  EXPECT_TRUE(last.is_total_known);
  EXPECT_EQ(last.elapsed, 5s);
  EXPECT_DOUBLE_EQ(last.items_per_second, 2.0);

  told.clock.advance(48h);
  reporter->finish();
  EXPECT_EQ(told.count(), 2U);
}

TEST(ProgressReporter, TheDestructorReportsTheLastSnapshotWithoutFinish) {
  ReportedProgress told;
  {
    const auto reporter = told.start();
    told.done = 42;
  }
  ASSERT_GE(told.count(), 1U);
  EXPECT_TRUE(told.at(told.count() - 1).is_last);
  EXPECT_EQ(told.at(told.count() - 1).counts.done, 42U);
}

TEST(ProgressReporter, ConcurrentFinishCallsAllReturnAfterTheLastSnapshot) {
  ReportedProgress told;
  const auto reporter = told.start();
  std::atomic<int> saw_it = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] {
        reporter->finish();
        saw_it += told.snapshots.lock()->back().is_last ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(saw_it, 4);
  EXPECT_EQ(told.count(), 2U);
}

TEST(ProgressReporter, ReportsRateAndEtaButNoEtaInTheLastSnapshot) {
  ReportedProgress told;
  told.found = 1000;
  const auto reporter = told.start();
  ASSERT_TRUE(told.is_up_to_date());
  told.done = 500;
  told.clock.advance(10s);
  ASSERT_TRUE(told.is_up_to_date());
  told.is_total_known = true;
  told.clock.advance(100ms);
  ASSERT_TRUE(told.is_up_to_date());
  reporter->finish();
  ASSERT_EQ(told.count(), 4U);
  EXPECT_DOUBLE_EQ(told.at(1).items_per_second, 50.0);
  EXPECT_EQ(told.at(1).eta, std::nullopt);  // more may be found
  ASSERT_TRUE(told.at(2).eta);
  EXPECT_GT(*told.at(2).eta, 9s);
  EXPECT_LT(*told.at(2).eta, 11s);
  EXPECT_EQ(told.at(3).eta, std::nullopt);  // stopped with half of it left
}

ProgressInputs inputs_of(const Pool& pool) {
  PoolStats stats = pool.stats();
  return {.counts = {.found = stats.accepted, .done = stats.completed, .failed = stats.failed},
          .workers = std::move(stats.workers)};
}

TEST(ProgressReporter, ShowsTheCurrentItemOfEachWorker) {
  WatchedClock clock;
  Door door;
  auto pool = pool_of({.workers = 3, .clock = &clock});
  const auto submit = [&](TaskId id, std::string what) {
    return pool.submit({[&door, what](TaskContext& context) {
                          context.note(what);
                          return door.task()(context);
                        },
                        {.id = id}});
  };
  ASSERT_EQ(submit(7, "a.txt"), Admission::accepted);
  ASSERT_EQ(submit(8, "b.txt"), Admission::accepted);
  ASSERT_TRUE(door.entered(2));
  clock.advance(3s);
  Guarded<std::vector<ProgressSnapshot>> seen;
  const auto observer = [&](const ProgressSnapshot& told) { seen.lock()->push_back(told); };
  auto reporter = ProgressReporter::start({}, [&] { return inputs_of(pool); }, observer, clock);
  ASSERT_TRUE(reporter);
  (*reporter)->finish();
  auto last = seen.lock()->back();
  EXPECT_EQ(last.workers, 3U);
  EXPECT_EQ(last.busy, 2U);
  std::ranges::sort(last.current, {}, &ProgressItem::id);
  EXPECT_EQ(last.current, (std::vector<ProgressItem>{{"a.txt", 7, 3s}, {"b.txt", 8, 3s}}));
  door.open();
}

TEST(ProgressReporter, AHangingObserverBlocksNoWorkerAndQueuesNoSnapshots) {
  WatchedClock clock;
  auto pool = pool_of({.workers = 2, .capacity = 4});
  struct Gate {
    std::size_t entered = 0;
    bool is_open = false;
    std::uint64_t done = 0;  // in the last snapshot
  };
  Guarded<Gate> gate;
  const auto observer = [&](const ProgressSnapshot& told) {
    gate.update([&](Gate& state) {
      ++state.entered;
      state.done = told.counts.done;
    });
    gate.lock().wait([](const Gate& state) { return state.is_open; });
  };
  auto reporter = ProgressReporter::start({}, [&] { return inputs_of(pool); }, observer, clock);
  ASSERT_TRUE(reporter);
  ASSERT_TRUE(eventually([&] { return gate.lock()->entered == 1; }));

  for (int i = 0; i < 1000; ++i) ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  pool.close();
  EXPECT_EQ(pool.wait().completed, 1000U);
  clock.advance(10s);  // a hundred intervals
  EXPECT_EQ(gate.lock()->entered, 1U);

  const auto waits = clock.waits();
  gate.update([](Gate& state) { state.is_open = true; });
  ASSERT_TRUE(eventually([&] { return clock.waits() >= waits + 2; }));
  EXPECT_EQ(gate.lock()->entered, 2U);
  (*reporter)->finish();
  EXPECT_EQ(gate.lock()->entered, 3U);
  EXPECT_EQ(gate.lock()->done, 1000U);
}

TEST(WaitsOf, NamesTheReasonWhenAllWorkersAreIdle) {
  EXPECT_EQ(waits_of({.queued = 3, .waiting = 2, .active = 1}, true), "");
  EXPECT_EQ(waits_of({.queued = 3, .waiting = 2}, true), "the rate limit");
  EXPECT_EQ(waits_of({.queued = 3, .waiting = 2}, false), "");  // about to start
  EXPECT_EQ(waits_of({.waiting = 1}, true), "the next attempt of 1 task");
  EXPECT_EQ(waits_of({.waiting = 2}, false), "the next attempt of 2 tasks");
  EXPECT_EQ(waits_of({}, true), "");
}

}  // namespace
}  // namespace tidemill::engine
