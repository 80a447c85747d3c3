// Waiting until an open pool is idle, and moving the handle of a pool.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <stop_token>
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
using testing::expect_balanced;
using testing::pool_of;
using namespace std::chrono_literals;

TEST(PoolIdle, ReturnsAtOnceWhenNothingWasSubmittedOrThePoolHasEnded) {
  auto pool = pool_of({.workers = 2});
  EXPECT_TRUE(pool.wait_idle());
  pool.close();
  (void)pool.wait();
  EXPECT_TRUE(pool.wait_idle());
}

// Tasks of several attempts, and tasks that submit tasks: all are settled, round after round.
TEST(PoolIdle, ReturnsWhenAllTasksAreSettledAndThePoolStaysUsable) {
  auto pool = pool_of({.workers = 3,
                       .capacity = 4,
                       .retry = {.max_attempts = 3, .first_delay = 1ms, .max_delay = 1ms}});
  std::atomic<std::uint64_t> ran = 0;
  for (std::uint64_t round = 1; round <= 50; ++round) {
    for (int i = 0; i < 20; ++i) {
      const auto body = [&ran, &pool, i](TaskContext& context) -> Result<void> {
        if (i % 5 == 0 && context.attempt() < 3) return fail(Cure::retry, "test", "busy");
        if (i % 3 == 0) (void)pool.submit([&ran] { ++ran; });
        ++ran;
        return {};
      };
      ASSERT_EQ(pool.submit(body), Admission::accepted);
    }
    ASSERT_TRUE(pool.wait_idle());
    EXPECT_EQ(ran, 27 * round);
    const PoolStats now = pool.stats();
    EXPECT_EQ(now.completed, 27 * round);
    EXPECT_EQ(now.queued + now.waiting + now.active, 0U);
  }
  pool.close();
  expect_balanced(pool.wait());
}

TEST(PoolIdle, DoesNotReturnWhileATaskWaitsForARetry) {
  testing::FakeClock clock;
  auto pool =
      pool_of({.workers = 2, .retry = {.max_attempts = 2, .first_delay = 1h}, .clock = &clock});
  std::atomic<int> attempts = 0;
  ASSERT_EQ(pool.submit([&]() -> Result<void> {
    if (++attempts == 1) return fail(Cure::retry, "test", "busy");
    return {};
  }),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
  std::stop_source source;
  {
    const std::jthread stopper([&] { source.request_stop(); });
    const auto idle = pool.wait_idle(source.get_token());
    ASSERT_FALSE(idle);
    EXPECT_EQ(idle.error().step, "stopped");
  }
  const std::jthread mover([&] { clock.advance(2h); });
  EXPECT_TRUE(pool.wait_idle());
  EXPECT_EQ(attempts, 2);
}

TEST(PoolIdle, StoppingThePoolEndsTheWaitAfterTheRunningTaskEnds) {
  Door door;
  std::atomic<bool> has_ended = false;
  auto pool = pool_of({.workers = 1});
  ASSERT_EQ(pool.submit([&](TaskContext& context) {
    (void)door.task()(context);
    has_ended = true;
  }),
            Admission::accepted);
  ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  ASSERT_TRUE(door.entered());
  const std::jthread stopper([&] { pool.stop(); });
  const auto idle = pool.wait_idle();
  EXPECT_TRUE(has_ended);
  ASSERT_FALSE(idle);
  EXPECT_EQ(idle.error().reason, "the pool was stopped");
}

// Nothing runs, and all workers sleep until the retry is due: only the stop itself ends the wait.
TEST(PoolIdle, StoppingThePoolEndsTheWaitForARetry) {
  testing::FakeClock clock;
  auto pool =
      pool_of({.workers = 2, .retry = {.max_attempts = 2, .first_delay = 1h}, .clock = &clock});
  ASSERT_EQ(pool.submit([]() -> Result<void> { return fail(Cure::retry, "test", "busy"); }),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
  const std::jthread stopper([&] { pool.stop_because({.reason = "the disk is full"}); });
  const auto idle = pool.wait_idle();
  ASSERT_FALSE(idle);
  EXPECT_EQ(idle.error().reason, "the disk is full");
}

// Called by a worker itself, between one task and the next.
class DiceWithoutMemory final : public Dice {
 public:
  [[nodiscard]] double draw() override { throw std::bad_alloc(); }
};

TEST(PoolIdle, ADeadWorkerLeavesNoCallerWaiting) {
  Door door;
  DiceWithoutMemory dice;
  auto pool = pool_of({.workers = 1, .retry = {.max_attempts = 2}, .dice = &dice});
  auto value = pool.async([&](TaskContext& context) -> Result<int> {
    (void)door.task()(context);
    return fail(Cure::retry, "test", "busy");
  });
  ASSERT_TRUE(door.entered());
  const std::jthread opener([&] { door.open(); });
  const auto idle = pool.wait_idle();
  ASSERT_FALSE(idle);
  EXPECT_EQ(idle.error().step, "memory");
  EXPECT_FALSE(value.get());
}

TEST(PoolIdle, RefusesToWaitInsideATaskOfTheSamePool) {
  auto pool = pool_of({.workers = 2});
  std::optional<Failure> refused;
  ASSERT_EQ(pool.submit([&] {
    if (auto idle = pool.wait_idle(); !idle) refused = idle.error();
  }),
            Admission::accepted);
  EXPECT_TRUE(pool.wait_idle());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->cure, Cure::give_up);
}

// For ThreadSanitizer: several threads wait while others submit, and every wait ends.
TEST(PoolIdle, SeveralThreadsCanWaitWhileOthersSubmit) {
  auto pool = pool_of({.workers = 2, .capacity = 4});
  std::atomic<std::uint64_t> ran = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 100; ++round) {
          std::atomic<bool> has_run = false;
          EXPECT_EQ(pool.submit([&ran, &has_run] {
            ++ran;
            has_run = true;
          }),
                    Admission::accepted);
          EXPECT_TRUE(pool.wait_idle());
          EXPECT_TRUE(has_run);
        }
      });
    }
  }
  EXPECT_EQ(ran, 400U);
}

TEST(PoolHandle, CanBeMovedWhileTasksRunAndAssignmentStopsTheOldPool) {
  Door door;
  auto first = pool_of({.workers = 1});
  ASSERT_EQ(first.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  Pool pool = std::move(first);
  ASSERT_EQ(pool.submit([] {}), Admission::accepted);
  EXPECT_EQ(pool.stats().active, 1U);
  pool = pool_of({.workers = 3});  // the destructor of the old pool has stopped the task
  EXPECT_EQ(pool.stats().workers.size(), 3U);
  EXPECT_EQ(pool.stats().accepted, 0U);
}

}  // namespace
}  // namespace tidemill::engine
