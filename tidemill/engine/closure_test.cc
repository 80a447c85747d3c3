#include "tidemill/engine/closure.h"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "tidemill/engine/pool/worker_state.h"
#include "tidemill/engine/task.h"
#include "tidemill/engine/task_context.h"

namespace tidemill::engine {
namespace {

// A context that these bodies ignore.
struct Nowhere {
  WorkerState worker_state{1, Instant{}};
  SystemClock clock;
  SilentLog log;
  std::atomic<bool> stops = false;
  const TaskContext::Context pool_context{.worker = 0,
                                          .worker_state = worker_state,
                                          .clock = clock,
                                          .log = log,
                                          .pool_stops = stops,
                                          .type_name = "",
                                          .id = 1,
                                          .deadline = std::nullopt,
                                          .attempt = 1};
  TaskContext context{pool_context};
};

TEST(Closure, RunsAnyCallableWithOrWithoutContextOrResult) {
  Nowhere here;
  int calls = 0;
  EXPECT_TRUE(Closure([&] { ++calls; }).run(here.context));
  EXPECT_TRUE(Closure([&](TaskContext&) { ++calls; }).run(here.context));
  EXPECT_TRUE(Closure([&]() -> Result<void> { return {}; }).run(here.context));
  const auto failed = Closure([&](TaskContext&) -> Result<void> {
                        return fail(Cure::retry, "s", "r");
                      }).run(here.context);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "r");
  EXPECT_EQ(calls, 2);
}

TEST(Closure, KeepsSmallAndLargeBodiesAliveThroughMovesAndDestroysThemOnce) {
  Nowhere here;
  auto alive = std::make_shared<int>(7);  // not const: a const capture is copied when moved
  int seen = 0;
  const auto check = [&](auto body) {
    Closure first(std::move(body));
    Closure second(std::move(first));
    EXPECT_FALSE(first);
    Closure third;
    third = std::move(second);
    EXPECT_EQ(alive.use_count(), 2);
    EXPECT_TRUE(third.run(here.context));
    third.reset();
    EXPECT_EQ(alive.use_count(), 1);
  };
  check([alive, &seen] { seen += *alive; });
  check([alive, &seen, big = std::array<char, 200>{}] { seen += *alive + big[0]; });
  EXPECT_EQ(seen, 14);
}

TEST(Closure, ReportsTheSettlementOnlyToBodiesThatHandleIt) {
  struct Asks {
    int* attempts;
    Result<void> operator()() { return {}; }
    void settled(const Settlement& settlement) const { *attempts = settlement.attempts; }
  };
  struct AsksAndIsLarge : Asks {
    std::array<char, 200> ballast{};
  };
  int attempts = 0;
  const Result<void> ok;
  Closure small(Asks{&attempts});
  ASSERT_TRUE(small.wants_settlement());
  small.settled({.attempts = 3, .outcome = &ok});
  EXPECT_EQ(attempts, 3);
  Closure large(AsksAndIsLarge{{&attempts}});
  ASSERT_TRUE(large.wants_settlement());
  large.settled({.attempts = 4, .outcome = &ok});
  EXPECT_EQ(attempts, 4);
  EXPECT_FALSE(Closure([] {}).wants_settlement());
}

}  // namespace
}  // namespace tidemill::engine
