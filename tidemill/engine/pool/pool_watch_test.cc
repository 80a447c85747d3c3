// What a pool shows to the outside: deadlines, stalls, statistics.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/engine/pool.h"
#include "tidemill/testing/door.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/pools.h"
#include "tidemill/testing/recording_log.h"

namespace tidemill::engine {
namespace {

using testing::Door;
using testing::eventually;
using testing::pool_of;
using namespace std::chrono_literals;

using Kind = StallEvent::Kind;
using Why = StallEvent::Why;

struct Watched : ::testing::Test {
  testing::FakeClock clock;
  testing::RecordingLog log;
  Guarded<std::vector<StallEvent>> events;

  PoolOptions options() {
    return {.workers = 1,
            .capacity = 8,
            .on_stall = [this](const StallEvent& event) { events.lock()->push_back(event); },
            .clock = &clock,
            .log = &log};
  }

  bool has_events(std::size_t count) {
    return eventually([&] { return events.lock()->size() == count; });
  }
};

TEST_F(Watched, ATasksDeadlineShowsInItsContext) {
  PoolOptions with_timeout = options();
  with_timeout.types = {{"slow", 5min}};
  std::atomic<bool> started = false;
  auto pool = pool_of(std::move(with_timeout));
  ASSERT_EQ(pool.submit([&](TaskContext& context) -> Result<void> {
    EXPECT_EQ(context.deadline(), clock.now() + 5min);
    EXPECT_FALSE(context.should_stop());
    started = true;
    while (!context.should_stop()) std::this_thread::yield();
    return context.stopped();
  }),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return started.load(); }));
  clock.advance(5min);
  pool.close();
  const PoolReport report = pool.wait();
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(report.errors[0].failure.step, "timed out");
  EXPECT_EQ(report.errors[0].failure.cure, Cure::retry);
}

TEST_F(Watched, ADeadlineStopsItsTaskAndNotTheNextTask) {
  PoolOptions with_timeout = options();
  with_timeout.types = {{"slow", 10s}};
  Door door;
  auto pool = pool_of(std::move(with_timeout));
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);  // waits only on the token
  ASSERT_TRUE(door.entered());
  clock.advance(10s);
  ASSERT_TRUE(eventually([&] { return pool.stats().failed == 1; }));
  std::atomic<bool> felt_it = true;
  ASSERT_EQ(pool.submit([&](TaskContext& context) { felt_it = context.stop().stop_requested(); }),
            Admission::accepted);
  pool.close();
  const PoolReport report = pool.wait();
  EXPECT_EQ(report.errors.at(0).failure.step, "timed out");
  EXPECT_FALSE(felt_it);
}

TEST_F(Watched, AnAttemptThatTimedOutIsTriedAgainWithAFreshDeadline) {
  PoolOptions with_timeout = options();
  with_timeout.types = {{"slow", 10s}};
  with_timeout.retry = {.max_attempts = 2, .first_delay = 0ms};
  Door door;
  auto pool = pool_of(std::move(with_timeout));
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered(1));
  clock.advance(10s);
  ASSERT_TRUE(door.entered(2));  // the second attempt
  door.open();
  pool.close();
  EXPECT_EQ(pool.wait().completed, 1U);
}

TEST_F(Watched, ASilentTaskIsReportedOnceAndAgainWhenItRecovers) {
  Door door;
  std::atomic<bool> beats = false;
  std::atomic<bool> has_beaten = false;
  PoolOptions silent = options();
  silent.watchdog.stall_after = 30s;
  auto pool = pool_of(std::move(silent));
  ASSERT_EQ(pool.submit({[&](TaskContext& context) {
                           while (!beats) std::this_thread::yield();
                           context.heartbeat();
                           has_beaten = true;
                           (void)door.task()(context);
                         },
                         {.id = 7}}),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return pool.stats().active == 1; }));
  clock.advance(29s);
  EXPECT_TRUE(events.lock()->empty());
  clock.advance(2s);
  ASSERT_TRUE(has_events(1));
  beats = true;
  ASSERT_TRUE(eventually([&] { return has_beaten.load(); }));
  clock.advance(1s);  // the next check is due
  ASSERT_TRUE(has_events(2));
  {
    const auto seen = events.lock();
    EXPECT_EQ((*seen)[0].kind, Kind::stalled);
    EXPECT_EQ((*seen)[0].why, Why::silent);
    EXPECT_EQ((*seen)[0].task, 7U);
    EXPECT_EQ((*seen)[0].worker, 0U);
    EXPECT_GE((*seen)[0].age, 30s);
    EXPECT_EQ((*seen)[1].kind, Kind::recovered);
  }
  EXPECT_TRUE(log.has("worker 0 is stalled in task 7"));
  door.open();
}

TEST_F(Watched, ATaskThatIgnoresItsDeadlineIsReportedAsStalled) {
  PoolOptions with_timeout = options();
  with_timeout.types = {{"deaf", 10s}};
  with_timeout.watchdog = {.stall_after = 1h, .overdue_grace = 1s};
  std::atomic<bool> leaves = false;
  auto pool = pool_of(std::move(with_timeout));
  ASSERT_EQ(pool.submit([&] {
    while (!leaves) std::this_thread::yield();
  }),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return pool.stats().active == 1; }));
  clock.advance(12s);
  ASSERT_TRUE(has_events(1));
  EXPECT_EQ(events.lock()->at(0).why, Why::overdue);
  leaves = true;
  ASSERT_TRUE(eventually([&] { return pool.stats().active == 0; }));
  clock.advance(10s);  // the next check is due
  ASSERT_TRUE(has_events(2));
  EXPECT_EQ(events.lock()->at(1).kind, Kind::recovered);
}

TEST_F(Watched, CountsEachTaskTypeSeparately) {
  PoolOptions two = options();
  two.types = {{"scan"}, {"hash"}};
  auto pool = pool_of(std::move(two));
  const auto run = [&](TaskType type, bool ok) {
    ASSERT_EQ(pool.submit({[ok]() -> Result<void> {
                             if (ok) return {};
                             return fail(Cure::give_up, "s", "r");
                           },
                           {.type = type}}),
              Admission::accepted);
  };
  for (int i = 0; i < 3; ++i) run(0, true);
  for (int i = 0; i < 2; ++i) run(1, true);
  run(1, false);
  pool.close();
  (void)pool.wait();
  const PoolStats stats = pool.stats();
  EXPECT_EQ(stats.types[0].name, "scan");
  EXPECT_EQ(stats.types[0].completed, 3U);
  EXPECT_EQ(stats.types[0].failed, 0U);
  EXPECT_EQ(stats.types[1].completed, 2U);
  EXPECT_EQ(stats.types[1].failed, 1U);
  EXPECT_EQ(stats.completed, 5U);
  EXPECT_EQ(stats.failed, 1U);
  EXPECT_EQ(stats.accepted, 6U);
  EXPECT_EQ(stats.active, 0U);
  EXPECT_EQ(stats.types[1].lifetime.count(), 3U);
  EXPECT_DOUBLE_EQ(stats.error_rate(), 1.0 / 6.0);
}

TEST_F(Watched, HighWaterIsTheLargestQueueLengthEver) {
  Door door;
  auto pool = pool_of(options());
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  for (int i = 0; i < 5; ++i) ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  EXPECT_EQ(pool.stats().queued, 5U);
  door.open();
  ASSERT_TRUE(eventually([&] { return pool.stats().completed == 6; }));
  EXPECT_EQ(pool.stats().queued, 0U);
  EXPECT_EQ(pool.stats().queue_high_water, 5U);
}

TEST_F(Watched, MeasuresExecutionAndBusyTimeWithThePoolsClock) {
  auto pool = pool_of(options());
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(pool.submit([&] { clock.advance(5s); }), Admission::accepted);
  }
  ASSERT_TRUE(eventually([&] { return pool.stats().completed == 4; }));
  const TypeStats times = pool.stats().types[0];
  EXPECT_EQ(times.lifetime.mean(), 5s);
  EXPECT_EQ(times.recent.count(), 4U);
  EXPECT_NEAR(std::chrono::duration<double>(times.recent.percentile(50)).count(), 5, 0.7);
  clock.advance(60s);  // idle
  const PoolStats stats = pool.stats();
  EXPECT_EQ(stats.workers[0].busy, 20s);
  EXPECT_EQ(stats.workers[0].idle, 60s);
  EXPECT_DOUBLE_EQ(stats.workers[0].utilisation(), 0.25);
  EXPECT_DOUBLE_EQ(stats.utilisation(), 0.25);
  EXPECT_EQ(stats.workers[0].tasks, 4U);
}

TEST_F(Watched, ARunningTaskShowsWithItsNoteAndCountsAsBusy) {
  Door door;
  auto pool = pool_of(options());
  ASSERT_EQ(pool.submit({[&](TaskContext& context) {
                           context.note("photos/1.jpg");
                           return door.task()(context);
                         },
                         {.id = 12}}),
            Admission::accepted);
  ASSERT_TRUE(door.entered());
  clock.advance(8s);
  const PoolStats stats = pool.stats();
  EXPECT_EQ(stats.workers[0].running, 12U);
  EXPECT_EQ(stats.workers[0].running_for, 8s);
  EXPECT_EQ(stats.workers[0].note, "photos/1.jpg");
  EXPECT_EQ(stats.workers[0].busy, 8s);
  door.open();
}

// A task may start between the moment that stats() reads and its look at the worker.
TEST_F(Watched, ARunningTimeIsNeverNegative) {
  Door door;
  auto pool = pool_of(options());
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  clock.advance(-1ms);  // as if the time had been read before
  EXPECT_EQ(pool.stats().workers[0].running_for, 0ns);
  clock.advance(1ms);
  door.open();
}

// Prometheus treats a counter that decreases as a restart: busy time must never decrease, not even
// while a worker waits in a settlement or runs a nested task.
TEST_F(Watched, BusyTimeNeverFalls) {
  Guarded<bool> may_settle{false};
  std::atomic<bool> is_settling = false;
  PoolOptions slow = options();
  slow.capacity = 1;
  slow.reserve = 0;
  slow.on_settled = [&](const Settlement& settlement) {
    if (settlement.id == 9) {
      is_settling = true;
      may_settle.lock().wait([](bool may) { return may; });
    }
    return Result<void>();
  };
  auto pool = pool_of(std::move(slow));
  const auto busy = [&] { return pool.stats().workers[0].busy; };
  ASSERT_EQ(pool.submit({[&] {
                           clock.advance(10s);
                           EXPECT_EQ(busy(), 10s);
                           EXPECT_EQ(pool.submit([] {}), Admission::accepted);
                           EXPECT_EQ(pool.submit([&] {
                             clock.advance(1s);
                             EXPECT_EQ(busy(), 11s);
                           }),
                                     Admission::accepted);
                           EXPECT_EQ(busy(), 11s);
                         },
                         {.id = 9}}),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return is_settling.load(); }));
  clock.advance(5s);
  EXPECT_EQ(busy(), 11s);
  may_settle.update([](bool& may) { may = true; });
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(busy(), 11s);
}

// For ThreadSanitizer: another thread reads statistics while workers run, and no snapshot may show
// more settled tasks than accepted ones.
TEST(PoolStats, CanBeReadFromAnotherThreadWhileTasksRun) {
  auto pool = pool_of({.workers = 2, .types = {{"a", 1h}, {"b"}}});
  std::jthread reader([&](const std::stop_token& stop) {
    std::uint64_t last = 0;
    while (!stop.stop_requested()) {
      const PoolStats stats = pool.stats();
      EXPECT_GE(stats.completed, last);
      last = stats.completed;
      EXPECT_LE(stats.active, 2U);
    }
  });
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(pool.submit({[](TaskContext& context) { context.note("x"); },
                           {.type = static_cast<TaskType>(i % 2)}}),
              Admission::accepted);
  }
  pool.close();
  EXPECT_EQ(pool.wait().completed, 20'000U);
}

}  // namespace
}  // namespace tidemill::engine
