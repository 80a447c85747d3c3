#include "tidemill/engine/progress/pace.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr Instant kStart{1000h};

double seconds(Instant::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// A run that the test observes step by step.
struct Watched {
  Pace pace;
  Instant now = kStart;
  FlowCounts counts;

  explicit Watched(std::uint64_t found, Bytes bytes = {}) {
    counts.found = found;
    counts.found_bytes = bytes;
    pace.observe(now, counts);
  }
  void step(Instant::duration by, std::uint64_t items, Bytes bytes = {}) {
    now += by;
    counts.done += items;
    counts.settled_bytes += bytes;
    pace.observe(now, counts);
  }
  [[nodiscard]] double rate() const { return pace.items_per_second(); }
  [[nodiscard]] auto eta() const { return pace.eta(true); }
};

// rapidcheck starts with small values; a long step must be as likely in the first case as in the
// last.
template <class T>
T pick(T from, T to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, to));
}
milliseconds any_step() { return milliseconds(pick(0, 2) == 0 ? pick(1, 300) : pick(1, 90'000)); }

RC_GTEST_PROP(Pace, ReportsAConstantRateExactlyForAnySteps, ()) {
  const auto per_millisecond = pick<std::uint64_t>(1, 1000);
  Watched run(1'000'000'000'000);
  for (int i = 0; i < 50; ++i) {
    const auto by = any_step();
    const auto items = per_millisecond * static_cast<std::uint64_t>(by.count());
    run.step(by, items, kib(items));
    const double truth = 1000.0 * static_cast<double>(per_millisecond);
    RC_ASSERT(std::abs(run.rate() - truth) < truth * 1e-9);
    RC_ASSERT(std::abs(run.pace.bytes_per_second() - truth * 1024) < truth * 1024e-9);
  }
}

RC_GTEST_PROP(Pace, ApproachesANewRateWithoutOvershootOrReversal, ()) {
  const auto before = pick<std::uint64_t>(0, 1000);
  const auto after = pick<std::uint64_t>(0, 1000);
  Watched run(1'000'000'000'000);
  const auto step_at = [&](std::uint64_t rate) {
    const auto by = any_step();
    run.step(by, rate * static_cast<std::uint64_t>(by.count()));
  };
  for (int i = 0; i < 30; ++i) step_at(before);
  const double target = 1000.0 * static_cast<double>(after);
  double distance = run.rate() - target;
  for (int i = 0; i < 30; ++i) {
    step_at(after);
    const double left = run.rate() - target;
    RC_ASSERT(std::abs(left) <= std::abs(distance) + 1e-6);
    RC_ASSERT(left * distance >= -1e-6);  // on the same side
    distance = left;
  }
}

RC_GTEST_PROP(Pace, RatesAreNeverNegativeOrNanAndTheEtaIsNeverNegative, ()) {
  Pace pace;
  Instant now = kStart;
  FlowCounts counts;
  for (int i = 0; i < 60; ++i) {  // any counts: also fewer than before, and more than found
    now += milliseconds(pick(0, 3) == 0 ? 0 : pick(-500, 100'000));
    counts.found = pick<std::uint64_t>(0, 1000);
    counts.done = pick<std::uint64_t>(0, 1000);
    counts.found_bytes = {pick<std::uint64_t>(0, 1'000'000'000)};
    counts.settled_bytes = {pick<std::uint64_t>(0, 1'000'000'000)};
    pace.observe(now, counts);
    RC_ASSERT(std::isfinite(pace.items_per_second()) && pace.items_per_second() >= 0);
    RC_ASSERT(std::isfinite(pace.bytes_per_second()) && pace.bytes_per_second() >= 0);
    const auto eta = pace.eta(true);
    RC_ASSERT(
        (!eta || (*eta >= 0ns &&
                  *eta <= Pace::kLongestEta)));  // in brackets: RC_ASSERT would capture both sides
    RC_ASSERT(!pace.eta(false));
  }
}

TEST(Pace, HasNoRateOrEtaBeforeTheFirstObservation) {
  const Pace pace;
  EXPECT_EQ(pace.items_per_second(), 0.0);
  EXPECT_EQ(pace.bytes_per_second(), 0.0);
  EXPECT_EQ(pace.eta(true), std::nullopt);
}

TEST(Pace, ExcludesItemsSettledBeforeTheFirstObservation) {
  Pace pace;
  FlowCounts counts{.found = 2'000'000, .done = 1'000'000};  // resumed
  pace.observe(kStart, counts);
  counts.done += 10;
  pace.observe(kStart + 1s, counts);
  EXPECT_DOUBLE_EQ(pace.items_per_second(), 10.0);
}

TEST(Pace, TheOldRateDecaysByAFactorOfEPerWindow) {
  Watched run(1'000'000);
  for (int i = 0; i < 6000; ++i) run.step(100ms, 10);  // 100/s for ten minutes
  for (int i = 0; i < 150; ++i) run.step(100ms, 20);   // 200/s for one window
  EXPECT_NEAR(run.rate(), 200 - 100 * std::exp(-1), 0.5);
}

TEST(Pace, HasNoEtaBeforeTwoSecondsAndASettledItem) {
  Watched busy(1000);
  busy.step(1999ms, 100);
  EXPECT_EQ(busy.eta(), std::nullopt);
  busy.step(1ms, 0);
  EXPECT_NE(busy.eta(), std::nullopt);

  Watched idle(1000);
  idle.step(1min, 0);
  EXPECT_EQ(idle.eta(), std::nullopt);
  idle.step(1s, 1);
  EXPECT_NE(idle.eta(), std::nullopt);
}

TEST(Pace, ThereIsNoEtaWhileTheTotalIsUnknown) {
  Watched run(1000);
  run.step(10s, 100);
  EXPECT_EQ(run.pace.eta(false), std::nullopt);
  EXPECT_NEAR(seconds(*run.pace.eta(true)), 90, 1e-6);
}

TEST(Pace, TheEtaOfASteadyRunCountsDownInRealTimeToZero) {
  Watched run(1000);
  run.step(10s, 100);
  for (int i = 0; i < 900; ++i) {
    ASSERT_NEAR(seconds(run.eta().value()), 90 - 0.1 * i, 1e-6);
    run.step(100ms, 1);
  }
  EXPECT_EQ(run.eta(), 0ns);
}

TEST(Pace, TheEtaIsZeroWhenNothingIsLeftEvenInAShortRun) {
  Watched run(3);
  EXPECT_EQ(run.eta(), std::nullopt);
  run.step(1ms, 3);
  EXPECT_EQ(run.eta(), 0ns);
}

TEST(Pace, AStalledRunsRateFallsToZeroAndItsEtaGrowsThenDisappears) {
  Watched run(10'000);
  for (int i = 0; i < 600; ++i) run.step(100ms, 10);
  double rate = run.rate();
  auto eta = run.eta().value();
  for (int i = 0; i < 300; ++i) {  // two windows
    run.step(100ms, 0);
    ASSERT_LT(run.rate(), rate);
    ASSERT_GT(run.eta().value(), eta);
    rate = run.rate();
    eta = *run.eta();
  }
  run.step(100ms, 0);
  EXPECT_EQ(run.eta(), std::nullopt);
  for (int i = 0; i < 36'000; ++i) run.step(100ms, 0);
  EXPECT_LT(run.rate(), 0.1);
  run.step(100ms, 10);  // it continues
  EXPECT_NE(run.eta(), std::nullopt);
}

TEST(Pace, TheEtaFollowsTheBytesWhenTheyTakeLonger) {
  Watched run(100, mib(1000));
  run.step(10s, 50, mib(100));  // the small half of the files
  EXPECT_NEAR(seconds(run.eta().value()), 90, 1e-6);
  run.step(1ms, 49, mib(800));  // and now one of 100 MiB is left
  EXPECT_GT(run.eta().value(), 1s);
}

TEST(Pace, HasNoEtaWhileNoBytesAreSettled) {
  Watched run(100, mib(1000));
  run.step(10s, 50);  // all empty so far
  EXPECT_EQ(run.eta(), std::nullopt);
}

TEST(Pace, RareBurstsHaveASteadyRateAndAnEtaBetweenThem) {
  Watched run(64 * 100);
  for (int minute = 0; minute < 50; ++minute) {
    for (int i = 0; i < 599; ++i) {
      run.step(100ms, 0);
      if (minute < 10) continue;
      ASSERT_NEAR(run.rate(), 64.0 / 60, 0.15);
      ASSERT_TRUE(run.eta());
      ASSERT_NEAR(seconds(*run.eta()), 60.0 * (100 - minute), 0.15 * 60 * (100 - minute));
    }
    run.step(100ms, 64);
  }
}

TEST(Pace, CountsAnObservationAtTheSameInstantWithTheNextStep) {
  Watched run(100);
  run.step(0s, 10);
  EXPECT_EQ(run.rate(), 0.0);
  run.step(1s, 10);
  EXPECT_DOUBLE_EQ(run.rate(), 20.0);
}

TEST(Pace, AnInconsistentObservationCountsNothingTwice) {
  Watched run(100);
  run.step(1s, 50);
  run.counts.done -= 20;
  run.step(1s, 0);
  EXPECT_NEAR(seconds(run.eta().value()), 2.8, 0.1);  // 70 left at 25/s
  run.counts.done += 20;
  run.step(1s, 10);
  EXPECT_NEAR(run.rate(), 20, 2);  // 60 in 3 s
  run.counts.found = 59;           // read before the last one was found
  run.step(1s, 0);
  EXPECT_EQ(run.eta(), 0ns);
}

}  // namespace
}  // namespace tidemill::engine
