#include "tidemill/engine/pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/door.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/pools.h"
#include "tidemill/testing/recording_log.h"

namespace tidemill::engine {
namespace {

using testing::Door;
using testing::eventually;
using testing::expect_balanced;
using testing::pool_of;
using namespace std::chrono_literals;

TEST(PoolOptions, AnErrorNamesTheFieldWithAnInvalidCount) {
  const auto reason = [](PoolOptions options) {
    const auto pool = Pool::start(std::move(options));
    return pool ? std::string("accepted") : pool.error().reason;
  };
  EXPECT_EQ(reason({.workers = 0}), "workers must be at least 1");
  EXPECT_EQ(reason({.workers = 1, .capacity = 0}), "capacity must be at least 1");
  EXPECT_EQ(reason({.workers = 1, .ageing = 0}), "ageing must be at least 1");
  EXPECT_EQ(reason({.workers = 1, .types = {}}), "types must name at least one type");
  EXPECT_EQ(reason({.workers = 1, .retry = {.max_attempts = 0}}),
            "max_attempts must be at least 1");
  EXPECT_EQ(reason({.workers = 1, .retry = {.max_attempts = 70'000}}),
            "retry.max_attempts must be at most 65,535");
}

TEST(PoolOptions, DefaultsToOneWorkerPerCpuAndTenQueueSlotsPerWorker) {
  auto pool = pool_of({});
  const PoolStats stats = pool.stats();
  EXPECT_EQ(stats.workers.size(), std::thread::hardware_concurrency());
  EXPECT_EQ(stats.capacity, 10 * stats.workers.size());
}

TEST(Pool, RunsAsManyTasksAtOnceAsItHasWorkers) {
  Door door;
  auto pool = pool_of({.workers = 3});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered(3));
  EXPECT_EQ(pool.stats().active, 3U);
  EXPECT_EQ(pool.stats().queued, 2U);
  door.open();
  pool.close();
  EXPECT_EQ(pool.wait().completed, 5U);
}

TEST(Pool, SubmitWaitsWhileTheQueueIsFull) {
  Door door;
  auto pool = pool_of({.workers = 1, .capacity = 1});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  ASSERT_EQ(pool.submit([] {}), Admission::accepted);  // fills the queue

  std::atomic<bool> accepted = false;
  std::jthread producer([&] { accepted = pool.submit([] {}) == Admission::accepted; });
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting_submits == 1; }));
  EXPECT_FALSE(accepted);
  EXPECT_EQ(pool.stats().queued, 1U);

  door.open();
  producer.join();
  EXPECT_TRUE(accepted);
}

TEST(Pool, TrySubmitReturnsQueueFullAtOnceAndLeavesTheTaskIntact) {
  Door door;
  auto pool = pool_of({.workers = 1, .capacity = 2});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  EXPECT_EQ(pool.try_submit([] {}), Admission::accepted);
  EXPECT_EQ(pool.try_submit([] {}), Admission::accepted);
  Task third([] {});
  EXPECT_EQ(pool.try_submit(std::move(third)), Admission::queue_full);
  EXPECT_TRUE(third.body) << "a refused task is still whole";
  door.open();
}

TEST(Pool, TheCallersStopTokenEndsABlockedSubmit) {
  Door door;
  auto pool = pool_of({.workers = 1, .capacity = 1});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  std::stop_source stop;
  std::jthread producer(
      [&] { EXPECT_EQ(pool.submit([] {}, stop.get_token()), Admission::cancelled); });
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting_submits == 1; }));
  stop.request_stop();
  producer.join();
  EXPECT_EQ(pool.submit([] {}, stop.get_token()), Admission::cancelled);
  door.open();
}

TEST(Pool, TheCallersDeadlineEndsABlockedSubmit) {
  Door door;
  testing::FakeClock clock;
  auto pool = pool_of({.workers = 1, .capacity = 1, .clock = &clock});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  std::atomic<bool> returned = false;
  const Instant deadline = clock.now() + 5s;
  std::jthread producer([&] {
    EXPECT_EQ(pool.submit([] {}, deadline), Admission::timed_out);
    returned = true;
  });
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting_submits == 1; }));
  clock.advance(4s);
  EXPECT_FALSE(returned);
  clock.advance(1s);
  producer.join();
  door.open();
}

// Producers are woken together at half of the capacity, but a producer that has waited is woken by
// the first free place. Without that rule this test hangs until the second door opens.
TEST(Pool, WakesABlockedProducerWhenTheFirstSlotIsFree) {
  Door first;
  Door second;
  auto pool = pool_of({.workers = 1, .capacity = 10});
  ASSERT_EQ(pool.submit(first.task()), Admission::accepted);
  ASSERT_TRUE(first.entered());
  for (int i = 0; i < 10; ++i) ASSERT_EQ(pool.submit(second.task()), Admission::accepted);
  std::jthread producer([&] {
    EXPECT_EQ(pool.submit({[] {}, {.priority = Priority::urgent}}), Admission::accepted);
  });
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting_submits == 1; }));
  first.open();  // one place becomes free, and the next task blocks at the second door
  ASSERT_TRUE(second.entered());
  EXPECT_TRUE(eventually([&] { return pool.stats().waiting_submits == 0; }));
  second.open();
}

TEST(Pool, CloseRejectsNewTasksAndFinishesQueuedOnes) {
  Door door;
  std::atomic<int> ran = 0;
  auto pool = pool_of({.workers = 2, .capacity = 10});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  for (int i = 0; i < 9; ++i) ASSERT_EQ(pool.submit([&] { ++ran; }), Admission::accepted);
  pool.close();
  EXPECT_EQ(pool.submit([&] { ++ran; }), Admission::stopped);
  EXPECT_EQ(pool.try_submit([&] { ++ran; }), Admission::stopped);
  door.open();
  const PoolReport report = pool.wait();
  EXPECT_EQ(ran, 9);
  EXPECT_EQ(report.completed, 10U);
  EXPECT_EQ(report.dropped, 0U);
}

TEST(Pool, StopDropsAndCountsQueuedTasksAndAsksRunningTasksToStop) {
  Door door;
  std::atomic<int> ran = 0;
  auto pool = pool_of({.workers = 2, .capacity = 10});
  for (int i = 0; i < 2; ++i) ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered(2));
  for (int i = 0; i < 5; ++i) ASSERT_EQ(pool.submit([&] { ++ran; }), Admission::accepted);
  pool.stop();  // does not wait: the door stays closed
  pool.stop();  // may be called twice
  EXPECT_EQ(pool.submit([&] { ++ran; }), Admission::stopped);
  const PoolReport report = pool.wait();
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(report.dropped, 7U) << "five queued, two interrupted";
  expect_balanced(report);
}

TEST(Pool, StopWakesBlockedProducers) {
  Door door;
  auto pool = pool_of({.workers = 1, .capacity = 1});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  std::jthread producer([&] { EXPECT_EQ(pool.submit([] {}), Admission::stopped); });
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting_submits == 1; }));
  pool.stop();
}

TEST(Pool, ATaskThatFinishesItsWorkAfterAStopCountsAsCompleted) {
  std::latch started(1);
  auto pool = pool_of({.workers = 1});
  ASSERT_EQ(pool.submit([&](TaskContext& context) {
    started.count_down();
    while (!context.should_stop()) std::this_thread::yield();
  }),
            Admission::accepted);
  started.wait();
  pool.stop();
  EXPECT_EQ(pool.wait().completed, 1U);
}

TEST(Pool, WaitWithADeadlineTimesOutAndCanBeRepeatedForTheReport) {
  Door door;
  testing::FakeClock clock;
  auto pool = pool_of({.workers = 1, .clock = &clock});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  ASSERT_TRUE(door.entered());
  pool.close();
  const Instant deadline = clock.now() + 5s;
  std::jthread time([&] { clock.advance(5s); });
  const auto late = pool.wait(deadline);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().cure, Cure::retry);
  EXPECT_EQ(late.error().reason, "timed out with 1 running and 1 waiting tasks");
  door.open();
  EXPECT_EQ(pool.wait().completed, 2U);
}

TEST(PoolDeathTest, AProgramCanExitWhileATaskHangs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto pool = pool_of({.workers = 1});
        std::latch started(1);
        (void)pool.submit([&] {
          started.count_down();
          for (;;) std::this_thread::yield();
        });
        started.wait();
        pool.stop();
        const auto report = pool.wait(std::chrono::steady_clock::now() + 10ms);
        std::_Exit(report ? 1 : 42);
      },
      ::testing::ExitedWithCode(42), "");
}

TEST(Pool, FailsAndLogsATaskThatThrowsAndContinues) {
  testing::RecordingLog log;
  auto pool = pool_of({.workers = 1, .log = &log});
  ASSERT_EQ(pool.submit([] { throw std::runtime_error("boom"); }), Admission::accepted);
  ASSERT_EQ(pool.submit([] { throw 7; }), Admission::accepted);
  ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  pool.close();
  const PoolReport report = pool.wait();
  EXPECT_EQ(report.completed, 1U);
  EXPECT_EQ(report.failed, 2U);
  ASSERT_EQ(report.errors.size(), 2U);
  EXPECT_EQ(report.errors[0].failure.step, "uncaught");
  EXPECT_EQ(report.errors[0].failure.reason, "boom");
  EXPECT_EQ(report.errors[1].failure.reason, "an exception that is not a std::exception");
  EXPECT_TRUE(log.has("task 1 failed at uncaught: boom"));
}

TEST(Pool, LogsTheNoteOfTheFailedTaskAndNotOfThePreviousTask) {
  testing::RecordingLog log;
  auto pool = pool_of({.workers = 1, .log = &log});
  ASSERT_EQ(pool.submit([](TaskContext& context) {
    context.note("photos/1.jpg");
    throw std::runtime_error("bad");
  }),
            Admission::accepted);
  ASSERT_EQ(pool.submit([] { throw std::runtime_error("bad"); }), Admission::accepted);
  pool.close();
  (void)pool.wait();
  EXPECT_TRUE(log.has("task 1 (photos/1.jpg) failed at uncaught: bad"));
  EXPECT_TRUE(log.has("task 2 failed at uncaught: bad"));
}

TEST(Pool, FailingTasksDoNotStopTheOthersAndAllErrorsAreReported) {
  auto pool = pool_of({.workers = 2, .capacity = 100});
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(pool.submit([i]() -> Result<void> {
      if (i % 10 == 0) return fail(Cure::give_up, "open", "file " + std::to_string(i));
      return {};
    }),
              Admission::accepted);
  }
  pool.close();
  const PoolReport report = pool.wait();
  EXPECT_EQ(report.completed, 90U);
  EXPECT_EQ(report.failed, 10U);
  EXPECT_EQ(report.errors.size(), 10U);
  EXPECT_FALSE(report.fatal);
}

TEST(Pool, AFatalFailureStopsTheWholePoolWithItsCause) {
  Door door;
  auto pool = pool_of({.workers = 2, .capacity = 10});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  ASSERT_EQ(pool.submit([](TaskContext& context) -> Result<void> {
    return context.fatal({.cure = Cure::give_up, .step = "write", .reason = "disk full"});
  }),
            Admission::accepted);
  const PoolReport report = pool.wait();  // neither the pool was closed nor the door opened
  ASSERT_TRUE(report.fatal);
  EXPECT_EQ(report.fatal->reason, "disk full");
  expect_balanced(report);
}

TEST(Pool, KeepsTheFirstThousandErrorsAndCountsAll) {
  auto pool = pool_of({.workers = 2});
  for (int i = 0; i < 1'500; ++i) {
    ASSERT_EQ(pool.submit([]() -> Result<void> { return fail(Cure::give_up, "s", "r"); }),
              Admission::accepted);
  }
  pool.close();
  const PoolReport report = pool.wait();
  EXPECT_EQ(report.failed, 1'500U);
  EXPECT_EQ(report.errors.size(), Pool::kErrorsKept);
}

TEST(Pool, StartsHigherPrioritiesFirst) {
  Door door;
  std::vector<int> order;
  auto pool = pool_of({.workers = 1, .capacity = 10});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  const auto add = [&](int id, Priority priority) {
    ASSERT_EQ(pool.submit({[&order, id] { order.push_back(id); }, {.priority = priority}}),
              Admission::accepted);
  };
  add(1, Priority::low);
  add(2, Priority::normal);
  add(3, Priority::urgent);
  add(4, Priority::high);
  door.open();
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(order, (std::vector<int>{3, 4, 2, 1}));
}

TEST(Pool, StartsTheSmallestFirstWhenAskedTo) {
  Door door;
  std::vector<int> order;
  auto pool = pool_of({.workers = 1, .capacity = 10, .order = TaskOrder::smallest_first});
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  for (const int size : {500, 20, 100}) {
    ASSERT_EQ(pool.submit({[&order, size] { order.push_back(size); },
                           {.weight = static_cast<std::uint64_t>(size)}}),
              Admission::accepted);
  }
  door.open();
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(order, (std::vector<int>{20, 100, 500}));
}

TEST(Pool, TheStartRateAppliesToAllWorkersTogether) {
  testing::FakeClock clock;
  std::atomic<int> ran = 0;
  auto pool = pool_of(
      {.workers = 3, .capacity = 10, .rate = {.per_second = 10, .burst = 2}, .clock = &clock});
  for (int i = 0; i < 6; ++i) ASSERT_EQ(pool.submit([&] { ++ran; }), Admission::accepted);
  for (int expected = 2; expected <= 6; ++expected) {
    ASSERT_TRUE(eventually([&] { return ran == expected; }));
    EXPECT_EQ(pool.stats().queued, static_cast<std::size_t>(6 - expected));
    clock.advance(100ms);
  }
}

TEST(Pool, GivesATaskItsIdTypeAndAttempt) {
  auto pool = pool_of({.workers = 1, .types = {{"scan"}, {"hash"}}});
  std::string seen;
  ASSERT_EQ(pool.submit({[&](TaskContext& context) {
                           seen = std::string(context.type()) + " " + std::to_string(context.id()) +
                                  " " + std::to_string(context.attempt());
                         },
                         {.id = 77, .type = 1}}),
            Admission::accepted);
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(seen, "hash 77 1");
}

TEST(Pool, AContextCarriesTheLogOfThePool) {
  testing::RecordingLog log;
  auto pool = pool_of({.workers = 1, .log = &log});
  ASSERT_EQ(pool.submit([](TaskContext& context) {
    context.log().write(LogLevel::info, "read photos/1.jpg");
  }),
            Admission::accepted);
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(log.lines(), (std::vector<std::string>{"info: read photos/1.jpg"}));
}

TEST(Pool, AssignsUniqueIdsToTasksWithoutAnId) {
  std::vector<TaskId> ids;
  auto pool = pool_of({.workers = 1});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(pool.submit([&](TaskContext& context) { ids.push_back(context.id()); }),
              Admission::accepted);
  }
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(ids, (std::vector<TaskId>{1, 2, 3}));
}

TEST(Pool, AssignsIdsAboveThoseChosenByCallers) {
  std::vector<TaskId> ids;
  auto pool = pool_of({.workers = 1});
  const auto note = [&](TaskContext& context) { ids.push_back(context.id()); };
  ASSERT_EQ(pool.submit({note, {.id = 1}}), Admission::accepted);
  ASSERT_EQ(pool.submit(note), Admission::accepted);
  ASSERT_EQ(pool.submit({note, {.id = 70}}), Admission::accepted);
  ASSERT_EQ(pool.submit(note), Admission::accepted);
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(ids, (std::vector<TaskId>{1, 2, 70, 71}));
}

TEST(Pool, ReportsEachSettlementOnce) {
  Guarded<std::vector<TaskId>> settled;
  auto pool = pool_of({.workers = 2, .on_settled = [&](const Settlement& settlement) {
                         settled.lock()->push_back(settlement.id);
                         return Result<void>();
                       }});
  for (int i = 0; i < 5; ++i) ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  pool.close();
  EXPECT_EQ(pool.wait().completed, 5U);
  std::ranges::sort(*settled.lock());
  EXPECT_EQ(*settled.lock(), (std::vector<TaskId>{1, 2, 3, 4, 5}));
}

TEST(Pool, AFailedSettlementCallbackStopsThePoolWithItsCause) {
  for (const bool throws : {false, true}) {
    Door door;
    auto pool = pool_of({.workers = 2, .on_settled = [&](const Settlement&) -> Result<void> {
                           if (throws) throw std::runtime_error("journal lost");
                           return fail(Cure::give_up, "commit", "journal lost");
                         }});
    ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
    ASSERT_TRUE(door.entered());
    ASSERT_EQ(pool.submit([] {}), Admission::accepted);
    const PoolReport report = pool.wait();  // neither the pool was closed nor the door opened
    ASSERT_TRUE(report.fatal);
    EXPECT_EQ(report.fatal->reason, "journal lost");
    expect_balanced(report);
  }
}

TEST(Pool, StoresSmallBodiesInlineAndRunsLargeBodies) {
  static_assert(sizeof(Closure) == Closure::kInline + sizeof(void*));
  std::atomic<int> sum = 0;
  auto pool = pool_of({.workers = 1});
  std::array<int, 100> large{};
  large.fill(1);
  ASSERT_EQ(pool.submit([&sum, large] {
    for (const int i : large) sum += i;
  }),
            Admission::accepted);
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(sum, 100);
}

}  // namespace
}  // namespace tidemill::engine
