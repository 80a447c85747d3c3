#include "tidemill/engine/fleet/parcel_size.h"

#include <chrono>

#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;

constexpr ParcelSize::Options kOptions{.work = 800ms, .most = 100};

TEST(ParcelSize, IsOneBeforeAnythingIsKnown) {
  EXPECT_EQ(ParcelSize(kOptions).next(1'000, 4, false), 1U);
}

TEST(ParcelSize, HoldsAboutTheGivenWork) {
  ParcelSize size(kOptions);
  size.note(20ms);
  EXPECT_EQ(size.next(1'000, 4, false), 40U);
}

TEST(ParcelSize, OfLongTasksIsOneAndOfShortOnesTheMost) {
  ParcelSize long_tasks(kOptions);
  long_tasks.note(1h);
  EXPECT_EQ(long_tasks.next(1'000, 4, false), 1U);
  ParcelSize short_tasks(kOptions);
  short_tasks.note(0us);
  EXPECT_EQ(short_tasks.next(1'000, 4, false), 100U);
}

TEST(ParcelSize, FollowsTheRecentTasks) {
  ParcelSize size(kOptions);
  size.note(8s);
  for (int i = 0; i < 200; ++i) size.note(20ms);
  EXPECT_EQ(size.next(1'000, 4, false), 39U);
}

TEST(ParcelSize, SpreadsTheRestOverAllPlaces) {
  ParcelSize size(kOptions);
  size.note(20ms);
  EXPECT_EQ(size.next(1'000, 4, true), 40U);
  EXPECT_EQ(size.next(17, 4, true), 3U);
  EXPECT_EQ(size.next(1, 4, true), 1U);
  EXPECT_EQ(size.next(10, 0, true), 5U);
}

TEST(ParcelSize, TwoParcelsAPlaceAreInFlight) {
  ParcelSize size(kOptions);
  EXPECT_EQ(size.parcels_a_place(), 2U);
  size.note(1h);
  EXPECT_EQ(size.parcels_a_place(), 2U);
  ParcelSize short_tasks(kOptions);
  short_tasks.note(200us);  // 20 ms a parcel
  EXPECT_EQ(short_tasks.parcels_a_place(), 2U);
}

// Otherwise places would wait while reports are committed.
TEST(ParcelSize, MoreParcelsAreInFlightIfTheyAreShort) {
  ParcelSize size(kOptions);
  size.note(50us);  // 5 ms a parcel: one in work, 20 ms ahead
  EXPECT_EQ(size.parcels_a_place(), 5U);
  ParcelSize empty_tasks(kOptions);
  empty_tasks.note(0us);
  EXPECT_EQ(empty_tasks.parcels_a_place(), kOptions.most_parcels);
}

}  // namespace
}  // namespace tidemill::engine
