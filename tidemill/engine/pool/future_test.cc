#include "tidemill/engine/future.h"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
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
using testing::expect_balanced;
using testing::pool_of;
using namespace std::chrono_literals;

TEST(Future, HoldsTheReturnValueWithOrWithoutContextOrResult) {
  auto pool = pool_of({.workers = 2});
  auto number = pool.async([] { return 7; });
  auto text = pool.async([](TaskContext& context) { return std::to_string(context.attempt()); });
  auto result = pool.async([]() -> Result<int> { return 8; });
  auto moved = pool.async([box = std::make_unique<int>(9)]() mutable { return std::move(box); });
  int calls = 0;
  auto nothing = pool.async([&] { ++calls; });
  auto done = pool.async([](TaskContext&) -> Result<void> { return {}; });
  EXPECT_EQ(number.get(), 7);
  EXPECT_EQ(text.get(), "1");
  EXPECT_EQ(result.get(), 8);
  EXPECT_EQ(**moved.get(), 9);
  EXPECT_TRUE(nothing.get());
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(done.get());
}

TEST(Future, HoldsTheValueOfACallTooLargeForInlineStorage) {
  auto pool = pool_of({.workers = 1});
  std::array<int, 100> large{};
  large[99] = 5;
  EXPECT_EQ(pool.async([large] { return large[99]; }).get(), 5);
}

TEST(Future, ReturnsAFailureWhenTheCallFailsOrThrows) {
  auto pool = pool_of({.workers = 1});
  const auto failed =
      pool.async([]() -> Result<int> { return fail(Cure::give_up, "read", "bad input"); }).get();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(),
            (Failure{.cure = Cure::give_up, .step = "read", .reason = "bad input"}));
  const auto thrown = pool.async([]() -> int { throw std::runtime_error("odd"); }).get();
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().reason, "odd");
  pool.close();
  const PoolReport report = pool.wait();
  EXPECT_EQ(report.failed, 2U);
  expect_balanced(report);
}

TEST(Future, HasTheValueOfTheAttemptThatSucceeded) {
  auto pool = pool_of({.workers = 1, .retry = {.max_attempts = 3, .first_delay = 0ms}});
  auto value = pool.async([](TaskContext& context) -> Result<int> {
    if (context.attempt() < 3) return fail(Cure::retry, "read", "busy");
    return context.attempt();
  });
  EXPECT_EQ(value.get(), 3);
  auto never = pool.async([](TaskContext& context) -> Result<int> {
    return fail(Cure::retry, "read", "busy " + std::to_string(context.attempt()));
  });
  const auto outcome = never.get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().reason, "busy 3");
}

// Tasks that are queued, wait for a retry, or run and fail with a retryable failure: all are
// dropped.
TEST(Future, FailsWhenAStopDropsTheTask) {
  const testing::FakeClock clock;
  Door door;
  auto pool =
      pool_of({.workers = 1, .retry = {.max_attempts = 2, .first_delay = 1h}, .clock = &clock});
  auto waiting = pool.async([]() -> Result<int> { return fail(Cure::retry, "read", "busy"); });
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
  auto running = pool.async(door.task());
  ASSERT_TRUE(door.entered());
  auto queued = pool.async([] { return 1; });
  pool.stop();
  for (const Result<int>& outcome : {waiting.get(), queued.get()}) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().step, "stopped");
    EXPECT_EQ(outcome.error().cure, Cure::retry);
  }
  const auto outcome = running.get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().step, "stopped");
  EXPECT_EQ(pool.wait().dropped, 3U);
}

TEST(Future, OutlivesItsPool) {
  Door door;
  std::optional<Future<int>> queued;
  {
    auto pool = pool_of({.workers = 1});
    ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
    queued = pool.async([] { return 1; });
    ASSERT_TRUE(door.entered());
    EXPECT_FALSE(queued->is_ready());
  }
  EXPECT_TRUE(queued->is_ready());
  EXPECT_FALSE(queued->get());
}

TEST(Future, FailsAtOnceWhenTheCallIsNotAccepted) {
  auto pool = pool_of({.workers = 1});
  std::stop_source stop;
  stop.request_stop();
  auto cancelled = pool.async([] { return 1; }, {}, stop.get_token());
  EXPECT_TRUE(cancelled.is_ready());
  EXPECT_EQ(cancelled.get().error().reason, "cancelled");
  pool.close();
  auto late = pool.async([] { return 1; });
  EXPECT_TRUE(late.is_ready());
  EXPECT_EQ(late.get().error().reason, "pool stopped");
}

TEST(Future, AStopTokenEndsAWaitThatCanBeRepeated) {
  Door door;
  auto pool = pool_of({.workers = 1});
  auto done = pool.async(door.task());
  std::stop_source source;
  ASSERT_TRUE(door.entered());
  const std::jthread stopper([&] { source.request_stop(); });
  const auto outcome = done.get(source.get_token());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().step, "stopped");
  door.open();
  EXPECT_TRUE(done.get());
}

// If get() waited, this would hang: the only worker would wait for a task that only it can run.
TEST(Future, RefusesToWaitInsideATaskOfTheSamePool) {
  auto pool = pool_of({.workers = 1});
  auto other = pool_of({.workers = 1});
  auto outer = pool.async([&]() -> Result<int> {
    auto inner = pool.async([] { return 1; });
    const auto refused = inner.get();
    EXPECT_FALSE(refused);
    if (refused) return 0;
    EXPECT_EQ(refused.error().cure, Cure::give_up);
    return other.async([] { return 2; }).get();
  });
  EXPECT_EQ(outer.get(), 2);
}

// For ThreadSanitizer: values cross threads, and after a stop midway no thread still waits.
TEST(Future, EveryFutureBecomesReadyWhenThePoolStopsMidway) {
  for (int round = 0; round < 20; ++round) {
    auto pool =
        pool_of({.workers = 3, .capacity = 8, .retry = {.max_attempts = 2, .first_delay = 0ms}});
    std::atomic<int> values = 0;
    std::atomic<int> failures = 0;
    {
      std::vector<std::jthread> callers;
      for (int caller = 0; caller < 3; ++caller) {
        callers.emplace_back([&] {
          for (int i = 0; i < 200; ++i) {
            auto text = pool.async([i](TaskContext& context) -> Result<std::string> {
              if (i % 7 == 0 && context.attempt() == 1) return fail(Cure::retry, "test", "once");
              return std::to_string(i);
            });
            const auto outcome = text.get();
            ++(outcome ? values : failures);
            EXPECT_EQ(outcome.value_or(std::to_string(i)), std::to_string(i));
          }
        });
      }
      EXPECT_TRUE(eventually([&] { return values >= round * 20; }));
      pool.stop();
    }
    EXPECT_EQ(values + failures, 600);
    expect_balanced(pool.wait());
  }
}

}  // namespace
}  // namespace tidemill::engine
