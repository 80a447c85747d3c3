#include "tidemill/formats/html/plots/decimate.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

namespace tidemill::html {
namespace {

using namespace std::chrono_literals;

std::vector<TimeSample> every_second(const std::vector<double>& values) {
  std::vector<TimeSample> samples;
  WallTime at{};
  for (const double value : values) samples.push_back({at += 1s, value});
  return samples;
}

TEST(Decimate, FewSamplesAreUnchanged) {
  const auto points = decimated(every_second({3, 1, 2}), 1min, 400);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_TRUE(points[0].is_start);
  EXPECT_FALSE(points[1].is_start || points[2].is_start);
  EXPECT_EQ(points[1].sample.value, 1);
  EXPECT_TRUE(decimated({}, 1min, 400).empty());
}

RC_GTEST_PROP(Decimate, KeepsTheLowestAndTheHighest, ()) {
  std::vector<double> values = *rc::gen::container<std::vector<double>>(
      1000, rc::gen::map(rc::gen::inRange(0, 1000000), [](int n) { return n / 7.0; }));
  const auto samples = every_second(values);
  const auto points = decimated(samples, 1min, 40);
  RC_ASSERT(points.size() <= 40U);
  RC_ASSERT(std::ranges::is_sorted(points, {}, [](auto& point) { return point.sample.at; }));
  const auto value = [](const LinePoint& point) { return point.sample.value; };
  RC_ASSERT(std::ranges::min(points, {}, value).sample.value == std::ranges::min(values));
  RC_ASSERT(std::ranges::max(points, {}, value).sample.value == std::ranges::max(values));
  RC_ASSERT(std::ranges::count_if(points, &LinePoint::is_start) == 1);
}

TEST(Decimate, AGapStaysAGap) {
  for (const std::size_t count : {100U, 5000U}) {
    auto samples = every_second(std::vector<double>(count, 1.0));
    for (std::size_t i = count / 2; i < count; ++i) samples[i].at += 2h;
    const auto points = decimated(samples, 30s, 400);
    EXPECT_EQ(std::ranges::count_if(points, &LinePoint::is_start), 2) << count;
    const auto second =
        std::ranges::find_if(points.begin() + 1, points.end(), &LinePoint::is_start);
    EXPECT_EQ(second->sample.at, samples[count / 2].at);
  }
}

TEST(Decimate, AGapIsLongerThanTheLimit) {
  auto samples = every_second({1, 1, 1, 1});
  samples[2].at += 29s;
  samples[3].at += 60s;
  const auto points = decimated(samples, 30s, 400);
  EXPECT_FALSE(points[2].is_start);
  EXPECT_TRUE(points[3].is_start);
}

TEST(Decimate, CleaningSortsAndRemovesWhatIsNotFinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  const WallTime at{};
  const std::vector<TimeSample> samples = {
      {at + 3s, 3}, {at + 2s, std::nan("")}, {at + 1s, -5}, {at, infinite}, {at, -infinite}};
  const auto kept = cleaned(samples);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].at, at + 1s);
  EXPECT_EQ(kept[0].value, 0);
  EXPECT_EQ(kept[1].value, 3);
}

TEST(Decimate, SamplesOfOneInstantAreLimitedToo) {
  const std::vector<TimeSample> samples(1000, TimeSample{WallTime{}, 1});
  EXPECT_LE(decimated(samples, 1s, 400).size(), 400U);
}

}  // namespace
}  // namespace tidemill::html
