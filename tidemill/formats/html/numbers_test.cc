#include "tidemill/formats/html/numbers.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tidemill::html {
namespace {

using enum Unit;

TEST(PlotNumbers, AxisTextsAreShort) {
  EXPECT_EQ(axis_text(Unit::count, 0), "0");
  EXPECT_EQ(axis_text(Unit::count, 24), "24");
  EXPECT_EQ(axis_text(Unit::count, 900'000), "900 k");
  EXPECT_EQ(axis_text(Unit::count, 1'200'000), "1.2 M");
  EXPECT_EQ(axis_text(per_second, 900), "900/s");
  EXPECT_EQ(axis_text(per_second, 0.02), "0.02/s");
  EXPECT_EQ(axis_text(per_second, 1500), "1.5 k/s");
  EXPECT_EQ(axis_text(bytes, 500), "500 B");
  EXPECT_EQ(axis_text(bytes, 2e9), "2 GB");
  EXPECT_EQ(axis_text(bytes_per_second, 1.5e6), "1.5 MB/s");
  EXPECT_EQ(axis_text(duration, 0.01), "10 ms");
  EXPECT_EQ(axis_text(duration, 0.0001), "100 µs");
  EXPECT_EQ(axis_text(duration, 1), "1 s");
  EXPECT_EQ(axis_text(duration, 600), "10 min");
  EXPECT_EQ(axis_text(duration, 864e2), "1 d");
}

TEST(PlotNumbers, AmountsReadAsElsewhere) {
  EXPECT_EQ(amount_text(Unit::count, 1234), "1,234");
  EXPECT_EQ(amount_text(Unit::count, 7.5), "7.5");
  EXPECT_EQ(amount_text(per_second, 612.3), "612/s");
  EXPECT_EQ(amount_text(bytes, 1.4e9), "1.4 GB");
  EXPECT_EQ(amount_text(bytes_per_second, 1.4e9), "1.4 GB/s");
  EXPECT_EQ(amount_text(duration, 0.24), "240 ms");
  EXPECT_EQ(amount_text(duration, 0.0000042), "4.2 µs");
}

TEST(PlotNumbers, WhatIsNotFiniteIsZeroAndTheLargestIsCapped) {
  for (const Unit unit : {Unit::count, per_second, bytes, bytes_per_second, duration}) {
    for (const double number : {std::nan(""), -std::numeric_limits<double>::infinity(), -1.0, 1e300,
                                std::numeric_limits<double>::infinity()}) {
      for (const std::string& text : {amount_text(unit, number), axis_text(unit, number)}) {
        EXPECT_EQ(text.find("nan"), std::string::npos);
        EXPECT_EQ(text.find("inf"), std::string::npos);
        EXPECT_EQ(text.find('-'), std::string::npos);
        EXPECT_LT(text.size(), 26U) << text;
      }
    }
  }
  EXPECT_EQ(amount_text(Unit::count, std::nan("")), "0");
}

TEST(PlotNumbers, ScalesEndAtARoundNumber) {
  EXPECT_EQ(amount_scale(Unit::count, 24).max, 24);
  EXPECT_EQ(amount_scale(Unit::count, 0).max, 1);
  EXPECT_EQ(amount_scale(Unit::count, 3).step, 1);
  EXPECT_EQ(amount_scale(per_second, 782).max, 800);
  EXPECT_DOUBLE_EQ(amount_scale(per_second, 0.07).max, 0.08);
  EXPECT_EQ(amount_scale(bytes, 1e9).max, 1e9);
}

RC_GTEST_PROP(PlotNumbers, AScaleHoldsTheHighestAndHasAtMostFiveTicks, ()) {
  const int power = *rc::gen::inRange(-8, 16);
  const double highest = *rc::gen::inRange(1, 100000) * std::pow(10, power - 2);
  for (const Unit unit : {Unit::count, per_second}) {
    const AmountScale scale = amount_scale(unit, highest);
    RC_ASSERT(scale.max >= highest * (1 - 1e-6) || highest > 9e17);
    RC_ASSERT(scale.max / scale.step < 4.01);
    RC_ASSERT(scale.max <= std::max(highest * 3, unit == Unit::count ? 1.0 : 4e-9));
  }
}

}  // namespace
}  // namespace tidemill::html
