// Tasks that submit tasks to their own pool: no deadlock, no loss, a bound on memory.
#include <atomic>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/engine/pool.h"
#include "tidemill/testing/door.h"
#include "tidemill/testing/pools.h"

namespace tidemill::engine {
namespace {

using testing::expect_balanced;
using testing::pool_of;

// Every task submits two more, down to `depth`: 2^(depth+1) - 1 tasks in all.
struct TaskTree {
  Pool* pool;
  std::atomic<int>* ran;
  std::atomic<int>* refused;
  int depth;

  void operator()() const {
    ++*ran;
    if (depth == 0) return;
    for (int i = 0; i < 2; ++i) {
      if (pool->submit(TaskTree{pool, ran, refused, depth - 1}) != Admission::accepted) ++*refused;
    }
  }
};

// If submit() waited for room, this would hang: both workers would wait for a place that only they
// free.
TEST(PoolGrowth, WorkersThatSubmitToAFullQueueDoNotDeadlockAndLoseNothing) {
  std::atomic<int> ran = 0;
  std::atomic<int> refused = 0;
  auto pool = pool_of({.workers = 2, .capacity = 1, .reserve = 0});
  ASSERT_EQ(pool.submit(TaskTree{&pool, &ran, &refused, 12}), Admission::accepted);
  pool.close();  // what running tasks submit is still accepted
  const PoolReport report = pool.wait();
  EXPECT_EQ(ran, (1 << 13) - 1);
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(report.completed, (1U << 13U) - 1);
  EXPECT_GT(pool.stats().inline_runs, 0U);
  expect_balanced(report);
}

TEST(PoolGrowth, TheQueueNeverGrowsBeyondCapacityAndReserve) {
  std::atomic<int> ran = 0;
  std::atomic<int> refused = 0;
  auto pool = pool_of({.workers = 2, .capacity = 4, .reserve = 8});
  ASSERT_EQ(pool.submit(TaskTree{&pool, &ran, &refused, 14}), Admission::accepted);
  pool.close();
  EXPECT_EQ(pool.wait().completed, (1U << 15U) - 1);
  EXPECT_LE(pool.stats().queue_high_water, 4U + 8U);
  EXPECT_GE(pool.stats().queue_high_water, 4U) << "the reserve was never needed: a weak test";
}

// Each task of a chain takes a place and frees one: a chain of any length needs no nesting.
TEST(PoolGrowth, ALongChainOfSubmitsNeedsNoNesting) {
  std::atomic<int> ran = 0;
  auto pool = pool_of({.workers = 1, .capacity = 1, .reserve = 1});
  std::function<void()> link = [&] {
    if (++ran == 100'000) return;
    EXPECT_EQ(pool.submit(link), Admission::accepted);
  };
  ASSERT_EQ(pool.submit(link), Admission::accepted);
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(ran, 100'000);
  EXPECT_EQ(pool.stats().inline_runs, 0U);
}

TEST(PoolGrowth, SubmitBeyondTheNestingLimitIsRejectedAndLeavesTheTaskIntact) {
  int deepest = 0;
  int refused = 0;
  auto pool = pool_of({.workers = 1, .capacity = 1, .reserve = 0});
  std::function<void(int)> dig = [&](int depth) {
    deepest = std::max(deepest, depth);
    if (depth == 0) {
      EXPECT_EQ(pool.submit([] {}), Admission::accepted);  // fills the queue
    }
    Task next([&, depth] { dig(depth + 1); });
    if (pool.submit(std::move(next)) == Admission::queue_full) {
      ++refused;
      EXPECT_TRUE(next.body);
    }
  };
  ASSERT_EQ(pool.submit([&] { dig(0); }), Admission::accepted);
  pool.close();
  const PoolReport report = pool.wait();
  EXPECT_EQ(deepest, Pool::kDeepest);
  EXPECT_EQ(refused, 1);
  expect_balanced(report);
}

TEST(PoolGrowth, TrySubmitFromAWorkerNeverRunsTheTaskInline) {
  std::atomic<int> ran = 0;
  Admission second{};
  auto pool = pool_of({.workers = 1, .capacity = 1, .reserve = 0});
  ASSERT_EQ(pool.submit([&] {
    EXPECT_EQ(pool.try_submit([&] { ++ran; }), Admission::accepted);
    second = pool.try_submit([&] { ++ran; });
    EXPECT_EQ(ran, 0);
  }),
            Admission::accepted);
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(second, Admission::queue_full);
  EXPECT_EQ(ran, 1);
}

TEST(PoolGrowth, RestoresTheOuterTaskAfterAnInlineTask) {
  TaskId before = 0;
  TaskId after = 0;
  TaskId inner = 0;
  auto pool = pool_of({.workers = 1, .capacity = 1, .reserve = 0});
  ASSERT_EQ(pool.submit([&](TaskContext& context) {
    EXPECT_EQ(pool.submit([] {}), Admission::accepted);
    before = *pool.stats().workers[0].running;
    EXPECT_EQ(pool.submit([&](TaskContext& mine) {
      inner = *pool.stats().workers[0].running;
      EXPECT_EQ(inner, mine.id());
    }),
              Admission::accepted);
    after = *pool.stats().workers[0].running;
    EXPECT_EQ(after, context.id());
  }),
            Admission::accepted);
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(before, after);
  EXPECT_NE(inner, after);
}

TEST(PoolGrowth, AStoppedPoolRefusesItsOwnWorkersToo) {
  Admission answer{};
  auto pool = pool_of({.workers = 1});
  ASSERT_EQ(pool.submit([&] {
    pool.stop();
    answer = pool.submit([] {});
  }),
            Admission::accepted);
  (void)pool.wait();
  EXPECT_EQ(answer, Admission::stopped);
}

}  // namespace
}  // namespace tidemill::engine
