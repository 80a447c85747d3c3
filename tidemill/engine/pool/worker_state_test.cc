#include "tidemill/engine/pool/worker_state.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;

Instant at(std::int64_t count) { return Instant(Instant::duration(count)); }

// Task i begins at i with the deadline i; a reader must see all three or none. Some tasks are
// nested in another one.
TEST(WorkerState, ASnapshotNeverMixesTwoTasks) {
  WorkerState worker_state(1, Instant{});
  std::jthread worker([&](const std::stop_token& stop) {
    for (std::int64_t i = 1; !stop.stop_requested(); ++i) {
      worker_state.begin({.task = static_cast<TaskId>(i), .deadline = at(i)}, at(i));
      if (i % 3 != 0) worker_state.end();
    }
  });
  int busy = 0;
  const auto seen_enough = [&] {
    const WorkerSnapshot seen = worker_state.snapshot();
    if (!seen.busy) return false;
    const auto task = static_cast<std::int64_t>(seen.task);
    EXPECT_EQ(seen.beat, at(task));
    EXPECT_EQ(seen.deadline, at(task));
    return ++busy == 2'000 || HasFailure();
  };
  EXPECT_TRUE(testing::eventually(seen_enough));
}

TEST(BusyTime, GrowsOnlyWhileATaskRuns) {
  testing::FakeClock clock;
  BusyTime busy;
  clock.advance(1h);
  EXPECT_EQ(busy.total(clock), 0s);
  busy.starts(clock.now());
  clock.advance(3s);
  EXPECT_EQ(busy.total(clock), 3s);
  busy.ends(clock.now());
  clock.advance(1h);
  EXPECT_EQ(busy.total(clock), 3s);
  busy.starts(clock.now());
  clock.advance(4s);
  EXPECT_EQ(busy.total(clock), 7s);
}

}  // namespace
}  // namespace tidemill::engine
