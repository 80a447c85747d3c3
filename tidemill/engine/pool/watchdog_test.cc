#include "tidemill/engine/pool/watchdog.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
using Kind = StallEvent::Kind;
using Why = StallEvent::Why;

constexpr WatchdogOptions kOptions{.stall_after = 60s, .overdue_grace = 1s};
constexpr Instant kStart{1000h};
constexpr std::size_t kWorker = 1;

WorkerSnapshot running(std::uint64_t turn, Instant beat) {
  return {.turn = turn, .beat = beat, .task = turn * 100, .type = 7, .busy = true};
}

WorkerSnapshot running_until(std::uint64_t turn, Instant beat, Instant deadline) {
  WorkerSnapshot seen = running(turn, beat);
  seen.deadline = deadline;
  return seen;
}

WorkerSnapshot idle(std::uint64_t turn, Instant since) { return {.turn = turn, .beat = since}; }

// One watched worker; look() returns the events of kWorker.
struct Watch {
  Watchdog dog{kOptions, 2};

  [[nodiscard]] std::vector<StallEvent> look(const WorkerSnapshot& seen, Instant now) {
    const auto events = dog.look(kWorker, seen, now);
    return {events.begin(), events.end()};
  }
};

StallEvent event(Kind kind, Why why, std::uint64_t turn, Instant::duration age) {
  return {.kind = kind, .why = why, .worker = kWorker, .task = turn * 100, .type = 7, .age = age};
}

using Events = std::vector<StallEvent>;

TEST(Watchdog, ATaskIsSilentOnlyAfterTheLimit) {
  Watch watch;
  EXPECT_EQ(watch.look(running(1, kStart), kStart + 60s), Events{});
  EXPECT_EQ(watch.look(running(1, kStart), kStart + 61s),
            Events{event(Kind::stalled, Why::silent, 1, 61s)});
}

TEST(Watchdog, ReportsAStallOnce) {
  Watch watch;
  ASSERT_EQ(watch.look(running(1, kStart), kStart + 61s).size(), 1U);
  EXPECT_EQ(watch.look(running(1, kStart), kStart + 62s), Events{});
  EXPECT_EQ(watch.look(running(1, kStart), kStart + 1h), Events{});
}

TEST(Watchdog, ASilentTaskRecoversWhenItBeatsAgain) {
  Watch watch;
  ASSERT_EQ(watch.look(running(1, kStart), kStart + 61s).size(), 1U);
  EXPECT_EQ(watch.look(running(1, kStart + 70s), kStart + 71s),
            Events{event(Kind::recovered, Why::silent, 1, 71s)});
  EXPECT_EQ(watch.look(running(1, kStart + 70s), kStart + 72s), Events{});
}

TEST(Watchdog, ASilentTaskRecoversWhenItEnds) {
  Watch watch;
  ASSERT_EQ(watch.look(running(1, kStart), kStart + 61s).size(), 1U);
  EXPECT_EQ(watch.look(idle(2, kStart + 70s), kStart + 71s),
            Events{event(Kind::recovered, Why::silent, 1, 71s)});
  EXPECT_EQ(watch.look(idle(2, kStart + 70s), kStart + 10h), Events{});
}

TEST(Watchdog, ATaskThatFallsSilentAgainIsANewStall) {
  Watch watch;
  ASSERT_EQ(watch.look(running(1, kStart), kStart + 61s).size(), 1U);
  ASSERT_EQ(watch.look(running(1, kStart + 70s), kStart + 71s).size(), 1U);
  EXPECT_EQ(watch.look(running(1, kStart + 70s), kStart + 131s),
            Events{event(Kind::stalled, Why::silent, 1, 61s)});
}

TEST(Watchdog, OneBeatBetweenTwoChecksEndsOneStallAndStartsAnother) {
  Watch watch;
  ASSERT_EQ(watch.look(running(1, kStart), kStart + 61s).size(), 1U);
  EXPECT_EQ(watch.look(running(1, kStart + 70s), kStart + 200s),
            (Events{event(Kind::recovered, Why::silent, 1, 200s),
                    event(Kind::stalled, Why::silent, 1, 130s)}));
}

TEST(Watchdog, ReportsAStalledTaskAndItsStalledSuccessor) {
  Watch watch;
  ASSERT_EQ(watch.look(running(1, kStart), kStart + 61s).size(), 1U);
  EXPECT_EQ(watch.look(running(3, kStart + 70s), kStart + 200s),
            (Events{event(Kind::recovered, Why::silent, 1, 200s),
                    event(Kind::stalled, Why::silent, 3, 130s)}));
}

TEST(Watchdog, ReportsOnlyARecoveryWhenTheNextTaskIsNotStalled) {
  Watch watch;
  ASSERT_EQ(watch.look(running(1, kStart), kStart + 61s).size(), 1U);
  EXPECT_EQ(watch.look(running(3, kStart + 70s), kStart + 71s),
            Events{event(Kind::recovered, Why::silent, 1, 71s)});
}

TEST(Watchdog, TreatsARetryOfTheSameTaskAsANewTurn) {
  Watch watch;
  ASSERT_EQ(watch.look(running_until(1, kStart, kStart + 10s), kStart + 12s).size(), 1U);
  WorkerSnapshot again = running_until(3, kStart + 13s, kStart + 23s);
  again.task = 100;
  EXPECT_EQ(watch.look(again, kStart + 14s), Events{event(Kind::recovered, Why::overdue, 1, 4s)});
}

TEST(Watchdog, AnIdleWorkerEndsTheStallEvenInTheSameTurn) {
  Watch watch;
  ASSERT_EQ(watch.look(running(1, kStart), kStart + 61s).size(), 1U);
  EXPECT_EQ(watch.look(idle(1, kStart), kStart + 71s).size(), 1U);
}

TEST(Watchdog, ATaskPastItsDeadlineIsOverdueAfterTheGrace) {
  Watch watch;
  const auto seen = running_until(1, kStart, kStart + 10s);
  EXPECT_EQ(watch.look(seen, kStart + 11s), Events{});
  EXPECT_EQ(watch.look(seen, kStart + 12s), Events{event(Kind::stalled, Why::overdue, 1, 2s)});
  EXPECT_EQ(watch.look(seen, kStart + 13s), Events{});
}

TEST(Watchdog, AnOverdueTaskThatBeatsIsStillOverdue) {
  Watch watch;
  const auto deadline = kStart + 10s;
  ASSERT_EQ(watch.look(running_until(1, kStart, deadline), kStart + 12s).size(), 1U);
  EXPECT_EQ(watch.look(running_until(1, kStart + 15s, deadline), kStart + 16s), Events{});
  EXPECT_EQ(watch.look(running_until(1, kStart + 15s, deadline), kStart + 10h), Events{});
  EXPECT_EQ(watch.look(idle(2, kStart + 11h), kStart + 11h),
            Events{event(Kind::recovered, Why::overdue, 1, 11h - 10s)});
}

TEST(Watchdog, ATaskThatIsBothSilentAndOverdueIsOverdue) {
  Watch watch;
  EXPECT_EQ(watch.look(running_until(1, kStart, kStart + 10s), kStart + 100s),
            Events{event(Kind::stalled, Why::overdue, 1, 90s)});
}

TEST(Watchdog, ASilentTaskThatBeatsAfterItsDeadlineIsRecoveredAndOverdue) {
  Watch watch;
  const auto deadline = kStart + 100s;
  ASSERT_EQ(watch.look(running_until(1, kStart, deadline), kStart + 61s).size(), 1U);
  EXPECT_EQ(watch.look(running_until(1, kStart, deadline), kStart + 110s), Events{});
  EXPECT_EQ(watch.look(running_until(1, kStart + 111s, deadline), kStart + 112s),
            (Events{event(Kind::recovered, Why::silent, 1, 112s),
                    event(Kind::stalled, Why::overdue, 1, 12s)}));
}

TEST(Watchdog, AnIdleWorkerIsNeverStalled) {
  Watch watch;
  WorkerSnapshot seen = idle(2, kStart);
  seen.deadline = kStart;
  EXPECT_EQ(watch.look(seen, kStart + 10h), Events{});
}

TEST(Watchdog, WatchesEachWorkerSeparately) {
  Watchdog dog(kOptions, 2);
  EXPECT_EQ(dog.look(0, running(1, kStart), kStart + 61s).size(), 1U);
  EXPECT_EQ(dog.look(1, running(1, kStart), kStart + 61s).size(), 1U);
  EXPECT_EQ(dog.look(0, idle(2, kStart + 61s), kStart + 62s).size(), 1U);
  EXPECT_TRUE(dog.look(1, running(1, kStart), kStart + 62s).empty());
}

TEST(Watchdog, ALimitOfZeroDisablesTheCheck) {
  Watchdog silence_off({.stall_after = 0s, .overdue_grace = 1s}, 1);
  EXPECT_TRUE(silence_off.look(0, running(1, kStart), kStart + 10h).empty());
  EXPECT_EQ(silence_off.look(0, running_until(1, kStart, kStart), kStart + 10h).size(), 1U);
  Watchdog deadlines_off({.stall_after = 60s, .overdue_grace = 0s}, 1);
  EXPECT_TRUE(deadlines_off.look(0, running_until(1, kStart + 10h, kStart), kStart + 10h).empty());
  EXPECT_EQ(deadlines_off.look(0, running(1, kStart), kStart + 10h).size(), 1U);
}

TEST(Watchdog, ABeatOrDeadlineInTheFutureIsNotAStall) {
  Watch watch;
  EXPECT_EQ(watch.look(running_until(1, kStart + 1s, Instant::max()), kStart), Events{});
}

TEST(Watchdog, CheckNamesTheInvalidField) {
  EXPECT_TRUE(WatchdogOptions{}.check());
  EXPECT_TRUE((WatchdogOptions{.stall_after = 0s, .overdue_grace = 0s}.check()));
  const auto reason = [](const WatchdogOptions& options) {
    const auto result = options.check();
    return result ? std::string("fine") : result.error().reason;
  };
  EXPECT_TRUE(reason({.stall_after = -1s}).contains("stall_after"));
  EXPECT_TRUE(reason({.overdue_grace = -1s}).contains("overdue_grace"));
}

}  // namespace
}  // namespace tidemill::engine
