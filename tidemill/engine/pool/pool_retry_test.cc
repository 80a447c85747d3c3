// Failures, waits and retries: what the pool does with a Failure.
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

namespace tidemill::engine {
namespace {

using testing::Door;
using testing::eventually;
using testing::expect_balanced;
using testing::pool_of;
using namespace std::chrono_literals;

// Always draws the same number, so that delays are predictable.
class FixedDice final : public Dice {
 public:
  explicit FixedDice(double value) : value_(value) {}
  [[nodiscard]] double draw() override { return value_; }

 private:
  double value_;
};

constexpr RetryPolicy kPatient{.max_attempts = 3, .first_delay = 1s, .max_delay = 60s};

struct Retrying : ::testing::Test {
  testing::FakeClock clock;
  FixedDice dice{0.999'999};

  PoolOptions options(RetryPolicy retry = kPatient) {
    return {.workers = 1, .capacity = 4, .retry = retry, .clock = &clock, .dice = &dice};
  }
};

TEST_F(Retrying, ATransientFailureIsTriedAgainAfterItsDelayAndNotBefore) {
  std::vector<int> attempts;
  std::atomic<std::size_t> tries = 0;
  auto pool = pool_of(options());
  ASSERT_EQ(pool.submit([&](TaskContext& context) -> Result<void> {
    attempts.push_back(context.attempt());
    ++tries;
    if (context.attempt() < 3) return fail(Cure::retry, "read", "busy");
    return {};
  }),
            Admission::accepted);
  pool.close();  // a closed pool still runs accepted tasks, including retries
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
  clock.advance(990ms);
  EXPECT_EQ(tries, 1U);
  clock.advance(10ms);
  ASSERT_TRUE(eventually([&] { return tries == 2 && pool.stats().waiting == 1; }));
  clock.advance(2s);
  const PoolReport report = pool.wait();
  EXPECT_EQ(attempts, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(report.completed, 1U);
  EXPECT_EQ(report.failed, 0U);
  EXPECT_EQ(pool.stats().retried, 2U);
}

TEST_F(Retrying, ReportsEachFailedAttemptBeforeTheRetry) {
  std::vector<std::string> told;
  PoolOptions telling = options();
  telling.on_retry = [&](const Retrial& retrial) -> Result<void> {
    told.push_back(std::to_string(retrial.id) + " attempt " + std::to_string(retrial.attempt) +
                   " " + retrial.failure->reason + " " + std::to_string(retrial.wait.count()));
    if (retrial.attempt == 2) return fail(Cure::give_up, "commit", "journal lost");
    return {};
  };
  auto pool = pool_of(std::move(telling));
  ASSERT_EQ(pool.submit([]() -> Result<void> { return fail(Cure::retry, "read", "busy"); }),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
  clock.advance(1s);
  const PoolReport report = pool.wait();  // a retry that cannot be recorded ends the pool
  EXPECT_EQ(told, (std::vector<std::string>{"1 attempt 1 busy 1000", "1 attempt 2 busy 2000"}));
  ASSERT_TRUE(report.fatal);
  EXPECT_EQ(report.fatal->reason, "journal lost");
  EXPECT_EQ(report.dropped, 1U);
  expect_balanced(report);
}

TEST_F(Retrying, CountsOneFailureAfterTheLastAttempt) {
  std::atomic<int> runs = 0;
  auto pool = pool_of(options({.max_attempts = 3, .first_delay = 0ms}));
  ASSERT_EQ(pool.submit([&]() -> Result<void> {
    ++runs;
    return fail(Cure::retry, "read", "busy");
  }),
            Admission::accepted);
  pool.close();
  const PoolReport report = pool.wait();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(report.failed, 1U);
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(report.errors[0].attempts, 3);
}

TEST_F(Retrying, APermanentFailureIsNotTriedAgain) {
  std::atomic<int> runs = 0;
  auto pool = pool_of(options());
  ASSERT_EQ(pool.submit([&]() -> Result<void> {
    ++runs;
    return fail(Cure::give_up, "parse", "not JSON");
  }),
            Admission::accepted);
  pool.close();
  EXPECT_EQ(pool.wait().failed, 1U);
  EXPECT_EQ(runs, 1);
}

TEST_F(Retrying, RetriesAPartialFailureLikeATransientFailure) {
  std::atomic<int> runs = 0;
  auto pool = pool_of(options({.max_attempts = 2, .first_delay = 0ms}));
  ASSERT_EQ(pool.submit([&]() -> Result<void> {
    if (++runs == 1) return fail(Cure::resume, "move", "step 3 of 5");
    return {};
  }),
            Admission::accepted);
  pool.close();
  EXPECT_EQ(pool.wait().completed, 1U);
  EXPECT_EQ(runs, 2);
}

TEST_F(Retrying, HonoursRetryAfter) {
  std::atomic<int> runs = 0;
  auto pool = pool_of(options());
  ASSERT_EQ(pool.submit([&]() -> Result<void> {
    if (++runs > 1) return {};
    return std::unexpected(
        Failure{.cure = Cure::retry, .step = "post", .reason = "429", .not_before = 90s});
  }),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
  clock.advance(89s);
  EXPECT_EQ(pool.stats().waiting, 1U);
  clock.advance(1s);
  EXPECT_TRUE(eventually([&] { return runs == 2; }));
}

TEST_F(Retrying, WaitingForARetryDoesNotOccupyAWorker) {
  std::atomic<bool> other_ran = false;
  auto pool = pool_of(options());  // one worker
  ASSERT_EQ(pool.submit([](TaskContext& context) -> Result<void> {
    if (context.attempt() == 1) return fail(Cure::retry, "read", "busy");
    return {};
  }),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
  ASSERT_EQ(pool.submit([&] { other_ran = true; }), Admission::accepted);
  EXPECT_TRUE(eventually([&] { return other_ran.load(); }));
  EXPECT_EQ(pool.stats().waiting, 1U);
}

TEST_F(Retrying, StopDropsAndCountsTasksWaitingForARetryOrDeferred) {
  auto pool = pool_of(options());
  for (const Cure cure : {Cure::retry, Cure::resume, Cure::later}) {
    ASSERT_EQ(pool.submit([cure]() -> Result<void> { return fail(cure, "read", "busy"); }),
              Admission::accepted);
  }
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 3; }));
  pool.stop();
  const PoolReport report = pool.wait();
  EXPECT_EQ(report.dropped, 3U);
  EXPECT_EQ(report.failed, 0U);
  expect_balanced(report);
}

TEST_F(Retrying, RunsADeferredTaskAgainWithoutCountingAnAttempt) {
  std::vector<int> attempts;
  std::atomic<std::size_t> tries = 0;
  auto pool = pool_of(options({.max_attempts = 1}));
  ASSERT_EQ(pool.submit([&](TaskContext& context) -> Result<void> {
    attempts.push_back(context.attempt());
    if (++tries < 3) return context.defer(5s, "the breaker is open");
    return {};
  }),
            Admission::accepted);
  for (std::size_t deferrals = 1; deferrals <= 2; ++deferrals) {
    ASSERT_TRUE(eventually([&] { return pool.stats().deferred == deferrals; }));
    clock.advance(5s);
  }
  pool.close();
  EXPECT_EQ(pool.wait().completed, 1U);
  EXPECT_EQ(attempts, (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(pool.stats().retried, 0U);
}

TEST_F(Retrying, AFailureWithCureLaterDefersTheTaskForItsDelay) {
  std::vector<int> attempts;
  std::atomic<std::size_t> tries = 0;
  auto pool = pool_of(options({.max_attempts = 1}));
  ASSERT_EQ(pool.submit([&](TaskContext& context) -> Result<void> {
    attempts.push_back(context.attempt());
    if (++tries == 3) return {};
    return std::unexpected(
        Failure{.cure = Cure::later, .step = "post", .reason = "no room", .not_before = 5s});
  }),
            Admission::accepted);
  pool.close();  // a closed pool still waits for deferred tasks
  for (std::size_t deferrals = 1; deferrals <= 2; ++deferrals) {
    ASSERT_TRUE(eventually([&] { return pool.stats().deferred == deferrals; }));
    clock.advance(4'990ms);
    EXPECT_EQ(pool.stats().waiting, 1U);
    EXPECT_EQ(tries, deferrals);
    clock.advance(10ms);
  }
  EXPECT_EQ(pool.wait().completed, 1U);
  EXPECT_EQ(attempts, (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(pool.stats().retried, 0U);
}

// A deferral without a duration must not run again at once, or it would spin.
TEST_F(Retrying, ADeferralWithoutADelayStillWaitsForTheClock) {
  std::atomic<int> runs = 0;
  auto pool = pool_of(options());
  ASSERT_EQ(pool.submit([&]() -> Result<void> {
    if (++runs > 1) return {};
    return fail(Cure::later, "post", "no room");
  }),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
  EXPECT_EQ(runs, 1);
  clock.advance(1ms);
  EXPECT_TRUE(eventually([&] { return runs == 2; }));
}

// If everything fails, the waitlist must not grow without bound: producers wait.
TEST_F(Retrying, ProducersWaitWhileTooManyTasksWaitForARetry) {
  PoolOptions limited = options();
  limited.waiting_limit = 2;
  auto pool = pool_of(std::move(limited));
  const auto busy = []() -> Result<void> { return fail(Cure::retry, "read", "busy"); };
  std::jthread producer([&] {
    for (int i = 0; i < 50; ++i) {
      if (pool.submit(busy) != Admission::accepted) return;
    }
    ADD_FAILURE() << "all fifty were let in";
  });
  ASSERT_TRUE(eventually([&] {
    const PoolStats stats = pool.stats();
    return stats.waiting_submits == 1 && stats.queued == 0 && stats.active == 0;
  }));
  EXPECT_LE(pool.stats().waiting, 2U + 4U + 1U);  // the limit, the queue, the worker
  pool.stop();
}

// One worker moves all due tasks and takes the first; it must wake the others for the rest.
TEST_F(Retrying, TasksThatComeDueTogetherRunOnAllWorkersAtOnce) {
  Door door;
  PoolOptions three = options();
  three.workers = 3;
  auto pool = pool_of(std::move(three));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(pool.submit([&](TaskContext& context) -> Result<void> {
      if (context.attempt() == 1) return fail(Cure::retry, "read", "busy");
      return door.task()(context);
    }),
              Admission::accepted);
  }
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 3; }));
  clock.advance(1s);
  EXPECT_TRUE(door.entered(3));
  door.open();
}

// The timed waiter fell asleep last, so a new task wakes it first: then another worker must become
// the timed waiter.
TEST_F(Retrying, RunsARetryOnTimeWhenTheTimedWaiterGetsALongTask) {
  for (int round = 0; round < 20; ++round) {
    Door door;
    std::atomic<int> runs = 0;
    PoolOptions two = options();
    two.workers = 2;
    auto pool = pool_of(std::move(two));
    ASSERT_EQ(pool.submit([&]() -> Result<void> {
      if (++runs == 1) return fail(Cure::retry, "read", "busy");
      return {};
    }),
              Admission::accepted);
    ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
    ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
    ASSERT_TRUE(door.entered());
    clock.advance(1s);
    ASSERT_TRUE(eventually([&] { return runs == 2; }));
    door.open();
  }
}

TEST_F(Retrying, ARetryKeepsItsPriority) {
  Door door;
  std::vector<int> order;
  auto pool = pool_of(options());
  ASSERT_EQ(pool.submit({[&](TaskContext& context) -> Result<void> {
                           if (context.attempt() == 1) return fail(Cure::retry, "s", "r");
                           order.push_back(1);
                           return {};
                         },
                         {.priority = Priority::urgent}}),
            Admission::accepted);
  ASSERT_TRUE(eventually([&] { return pool.stats().waiting == 1; }));
  ASSERT_EQ(pool.submit(door.task()), Admission::accepted);
  ASSERT_TRUE(door.entered());
  ASSERT_EQ(pool.submit([&] { order.push_back(2); }), Admission::accepted);
  clock.advance(10s);
  door.open();
  pool.close();
  (void)pool.wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace tidemill::engine
