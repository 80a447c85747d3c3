#include "tidemill/engine/pool/seat.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;

Instant at(std::int64_t count) { return Instant(Instant::duration(count)); }

// Task i begins at i with the deadline i; whoever looks must find all three or nothing. Some tasks
// begin inside another one.
TEST(Seat, ASightNeverMixesTwoTasks) {
  Seat seat(1, Instant{});
  std::jthread worker([&](const std::stop_token& stop) {
    for (std::int64_t i = 1; !stop.stop_requested(); ++i) {
      seat.begin({.task = static_cast<TaskId>(i), .deadline = at(i)}, at(i));
      if (i % 3 != 0) seat.end();
    }
  });
  int busy = 0;
  const auto seen_enough = [&] {
    const WorkerSight sight = seat.sight();
    if (!sight.busy) return false;
    const auto task = static_cast<std::int64_t>(sight.task);
    EXPECT_EQ(sight.beat, at(task));
    EXPECT_EQ(sight.deadline, at(task));
    return ++busy == 2'000 || HasFailure();
  };
  EXPECT_TRUE(testing::eventually(seen_enough));
}

TEST(BusyTime, GrowsWhileATaskRunsAndRestsBetweenTasks) {
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
