#include "tidemill/jobs/batch/send/opening.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tidemill/jobs/batch/send/fake_outlet.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::batch {
namespace {

using std::chrono::seconds;
using Call = FakeServer::Call;
using Fate = FakeServer::Fate;
using State = FakeServer::State;

TEST(Standing, ReportsWhereARunResumes) {
  const auto at = [](std::uint64_t last, std::string run, std::uint64_t base) {
    return standing_of({.last = last, .run = std::move(run)}, "mine", base);
  };
  EXPECT_EQ(at(7, "mine", 3), 7U);
  EXPECT_EQ(at(3, "other", 3), 3U);
  EXPECT_EQ(at(0, "", 0), 0U);
  EXPECT_EQ(at(4, "other", 3).error().step, "stale");
  EXPECT_EQ(at(2, "other", 3).error().step, "lost");
  EXPECT_EQ(at(0, "", 3).error().step, "lost");
}

TEST(OutletOpener, WaitsForALeaseOnlyOnRequest) {
  for (const bool waits : {false, true}) {
    FakeServer server;
    server.change([](State& state) { state.holder = "h:1"; });
    server.play([](State& state, const Call& call) {
      if (call.kind == "open" && call.nth == 200) state.holder.clear();
      return Fate::done;
    });
    FakeOutlet outlet(server, "r");
    const JumpClock clock;
    testing::RecordingConsole console;
    const auto opened = open_patiently({.outlet = outlet,
                                        .console = console,
                                        .clock = clock,
                                        .patience = seconds(1),
                                        .waits_for_lease = waits},
                                       {});
    EXPECT_EQ(opened.has_value(), waits);
    EXPECT_EQ(server.state().opens, waits ? 200 : 1);
    EXPECT_EQ(console.said().said,
              waits ? "Waiting: lease: held by h:1.\nConnected. Continuing.\n" : "");
  }
}

// How long opening takes to fail when the server goes down after `answers` calls to open.
std::chrono::milliseconds waited(int answers) {
  FakeServer server;
  server.change([](State& state) { state.holder = "h:1"; });
  server.play([&](State&, const Call& call) {
    return call.kind == "open" && call.nth <= answers ? Fate::done : Fate::lost_before;
  });
  FakeOutlet outlet(server, "r");
  const JumpClock clock;
  testing::RecordingConsole console;
  if (answers > 0) (void)outlet.open({});
  const Instant began = clock.now();
  const auto opened = open_patiently(
      {.outlet = outlet, .console = console, .clock = clock, .patience = std::chrono::minutes(5)},
      {});
  EXPECT_EQ(opened.error().step, "connection");
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - began);
}

TEST(OutletOpener, UsesTheFullTimeoutOnlyForAServerThatAnsweredBefore) {
  const auto never_there = waited(0);
  EXPECT_GE(never_there, kFirstPatience);
  EXPECT_LE(never_there, kFirstPatience + kLongestNap);
  EXPECT_GE(waited(1), std::chrono::minutes(5));
}

TEST(OutletOpener, TimeoutStartsWhenTheServerIsLostWhileWaitingForTheLease) {
  FakeServer server;
  server.change([](State& state) { state.holder = "h:1"; });
  server.play([](State& state, const Call& call) {
    if (call.kind != "open" || call.nth <= 200) return Fate::done;  // longer than the patience
    if (call.nth == 210) state.holder.clear();
    return call.nth < 210 ? Fate::lost_before : Fate::done;
  });
  FakeOutlet outlet(server, "r");
  const JumpClock clock;
  testing::RecordingConsole console;
  EXPECT_TRUE(open_patiently({.outlet = outlet,
                              .console = console,
                              .clock = clock,
                              .patience = std::chrono::minutes(5),
                              .waits_for_lease = true},
                             {}));
  EXPECT_EQ(server.state().opens, 210);
}

// Opens the outlet while "h:1" holds the lease; at the tenth attempt `then` happens.
Result<OpenedOutlet> opened_after_a_wait(FakeServer& server,
                                         const std::function<void(State&)>& then) {
  server.change([](State& state) { state.holder = "h:1"; });
  server.play([&](State& state, const Call& call) {
    if (call.kind == "open" && call.nth == 10) {
      state.holder.clear();
      then(state);
    }
    return Fate::done;
  });
  FakeOutlet outlet(server, "r");
  const JumpClock clock;
  testing::RecordingConsole console;
  return open_patiently({.outlet = outlet,
                         .console = console,
                         .clock = clock,
                         .patience = seconds(1),
                         .waits_for_lease = true},
                        {});
}

TEST(OutletOpener, SaysThatTheJobWasCompletedWhileItWaited) {
  FakeServer server;
  server.change([](State& state) { state.take_over(5); });
  const auto opened = opened_after_a_wait(server, [](State& state) {
    state.take_over(9);
    state.standing->is_complete = true;
  });
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->was_completed_meanwhile);
  EXPECT_EQ(opened->standing->last, 9U);
}

TEST(OutletOpener, StartsOverAJobThatWasAlreadyComplete) {
  FakeServer server;  // the holder of the lease sends another job
  server.change([](State& state) {
    state.take_over(9);
    state.standing->is_complete = true;
  });
  const auto opened = opened_after_a_wait(server, [](State&) {});
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->was_completed_meanwhile);
}

TEST(OutletOpener, AProducerThatDiedIsTakenOver) {
  FakeServer server;
  server.change([](State& state) { state.take_over(5); });
  const auto opened = opened_after_a_wait(server, [](State& state) { state.take_over(7); });
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->was_completed_meanwhile);
  EXPECT_EQ(opened->standing->last, 7U);
}

}  // namespace
}  // namespace tidemill::batch
