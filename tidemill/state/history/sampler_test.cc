#include "tidemill/state/history/sampler.h"

#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::history {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kStart{Instant::duration(std::chrono::hours(5))};
constexpr WallTime kWall{std::chrono::hours(480'000)};

Observation seen(std::uint64_t done, std::size_t busy = 1) {
  return {.counts = {.found = 1'000'000, .done = done}, .busy = busy, .places = 4, .waiting = 2};
}

Sampler sampler(std::size_t most = kMostSamples, SampleSeries series = {}) {
  return {std::move(series), most, 1, kStart, kWall};
}

TEST(Sampler, TakesTheFirstObservationAndThenOnePerInterval) {
  Sampler samples = sampler();
  for (int i = 0; i <= 20; ++i) {
    samples.observe(kStart + milliseconds(100) * i, seen(static_cast<std::uint64_t>(i)));
  }
  const auto& all = samples.series().samples;
  ASSERT_EQ(all.size(), 5U);  // at 0, 0.5, 1, 1.5 and 2 s
  EXPECT_EQ(all[1].done, 5U);
  EXPECT_EQ(all[4].done, 20U);
  EXPECT_EQ(all[4].at, kWall + seconds(2));
  EXPECT_EQ(all[4].places, 4U);
}

TEST(Sampler, ASampleHasTheMeanOfWhatWasBusySinceTheLast) {
  Sampler samples = sampler();
  samples.observe(kStart, seen(0, 4));
  samples.observe(kStart + milliseconds(100), seen(0, 0));
  samples.observe(kStart + milliseconds(500), seen(0, 3));
  ASSERT_EQ(samples.series().samples.size(), 2U);
  EXPECT_DOUBLE_EQ(samples.series().samples[1].busy, 0.8);  // 4 for 0.1 s, then 0 for 0.4 s
  EXPECT_DOUBLE_EQ(samples.series().samples[1].waiting, 2);
}

TEST(Sampler, TheLastObservationIsASampleHoweverSoonItComes) {
  Sampler samples = sampler();
  samples.observe(kStart, seen(0));
  samples.observe(kStart + milliseconds(7), seen(9));
  samples.finish();
  samples.finish();
  ASSERT_EQ(samples.series().samples.size(), 2U);
  EXPECT_EQ(samples.series().samples[1].done, 9U);
}

TEST(Sampler, StaysBoundedForAnyLengthAndKeepsFirstAndLast) {
  Sampler samples = sampler(100);
  Instant now = kStart;
  for (std::uint64_t i = 0; i < 100'000; ++i, now += milliseconds(100)) {
    samples.observe(now, seen(i, 2));
    ASSERT_LT(samples.series().samples.size(), 100U);
  }
  samples.finish();
  const auto& all = samples.series().samples;
  EXPECT_GE(all.size(), 50U);
  EXPECT_EQ(all.front().done, 0U);
  EXPECT_EQ(all.back().done, 99'999U);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_GT(all[i].at, all[i - 1].at);
    EXPECT_NEAR(all[i].busy, 2, 1e-9);
  }
  EXPECT_EQ(samples.series().interval, milliseconds(500 * 256));  // 10,000 s in 100 samples
}

TEST(Sampler, MergingKeepsTheRateAndTheMeanLoad) {
  std::vector<Sample> all;
  for (std::uint64_t i = 0; i < 9; ++i) {
    all.push_back({.at = kWall + seconds(i), .session = 1, .done = i * i, .busy = double(i)});
  }
  const auto half = merged(all);
  ASSERT_EQ(half.size(), 5U);
  EXPECT_EQ(half[0], all[0]);
  EXPECT_EQ(half[1].done, all[2].done);
  EXPECT_DOUBLE_EQ(half[1].busy, 1.5);
  EXPECT_EQ(half[4].done, all[8].done);
}

TEST(Sampler, MergingDoesNotJoinTwoSessions) {
  std::vector<Sample> all;
  for (std::uint64_t i = 0; i < 12; ++i) all.push_back({.session = 1 + i / 6, .done = i});
  const auto half = merged(all);
  EXPECT_EQ(half.front().session, 1U);
  std::uint64_t first_of_second = 0;
  for (const Sample& one : half) {
    if (one.session == 2 && first_of_second == 0) first_of_second = one.done;
  }
  EXPECT_EQ(first_of_second, 6U);
}

TEST(Sampler, MergingThousandsOfShortSessionsStillMakesRoom) {
  std::vector<Sample> all;
  for (std::uint64_t i = 0; i < 2'000; ++i) all.push_back({.session = i, .done = i});
  EXPECT_EQ(merged(all).size(), 1'000U);
}

TEST(Sampler, NewsAreWhatIsNewAndEverythingAfterAMerge) {
  Sampler samples = sampler(10);
  EXPECT_FALSE(samples.has_news());
  for (int i = 0; i < 4; ++i) samples.observe(kStart + seconds(i), seen(1));
  EXPECT_EQ(samples.news().series.samples.size(), 4U);
  EXPECT_FALSE(samples.news().replaces_all);
  samples.take_news();
  EXPECT_FALSE(samples.has_news());
  samples.observe(kStart + seconds(4), seen(2));
  EXPECT_EQ(samples.news().series.samples.size(), 1U);
  for (int i = 5; i < 12; ++i) samples.observe(kStart + seconds(i), seen(3));
  const auto news = samples.news();  // not taken in between: the merge is still to be told
  EXPECT_TRUE(news.replaces_all);
  EXPECT_EQ(news.series.samples, samples.series().samples);
  EXPECT_EQ(news.series.interval, seconds(1));
}

}  // namespace
}  // namespace tidemill::history
