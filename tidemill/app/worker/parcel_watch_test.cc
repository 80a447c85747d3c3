#include "tidemill/app/worker/parcel_watch.h"

#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/state/fleet/redis_fleet_rig.h"

namespace tidemill::app {
namespace {

using namespace std::chrono_literals;

class OneWatch : public ::testing::Test {
 protected:
  void SetUp() override {
    TIDEMILL_NEEDS_REDIS();
    rig_.emplace();
    fleet_ = rig_->dispatcher();
    epoch_ = fleet_->open(0).value();
    watch_ = ParcelWatch::start(rig_->client(), "w", rig_->clock, [this] {
               arrived_.release();
             }).value();
  }
  void want() { watch_->want({rig_->place}); }
  void send() {
    ASSERT_TRUE(fleet_->send(std::vector<engine::FleetParcel>{
        {.id = {.epoch = epoch_, .number = 1}, .tasks = {{.id = 1}}}}));
  }

  std::optional<fleet::RedisFleetRig> rig_;
  std::unique_ptr<fleet::RedisFleet> fleet_;
  engine::FleetEpoch epoch_ = 0;
  std::counting_semaphore<> arrived_{0};
  std::unique_ptr<ParcelWatch> watch_;
};

// A worker that leaves in between would take the parcel along.
TEST_F(OneWatch, MayBringParcelsUntilTheyAreTaken) {
  EXPECT_FALSE(watch_->may_bring("run-1"));
  want();
  EXPECT_TRUE(watch_->may_bring("run-1"));
  EXPECT_FALSE(watch_->may_bring("run-2"));
  send();
  ASSERT_TRUE(arrived_.try_acquire_for(30s));  // the call is over
  EXPECT_TRUE(watch_->may_bring("run-1"));
  EXPECT_FALSE(watch_->may_bring("run-2"));
  const auto arrivals = watch_->take();
  ASSERT_EQ(arrivals.parcels.size(), 1U);
  EXPECT_EQ(arrivals.parcels[0].first, "run-1");
  EXPECT_EQ(arrivals.parcels[0].second.size(), 1U);
  EXPECT_FALSE(arrivals.is_in_doubt);
  EXPECT_FALSE(watch_->may_bring("run-1"));
}

TEST_F(OneWatch, MayHaveBroughtAnythingWhenAnAnswerIsMissing) {
  rig_->server.stop();
  want();
  ASSERT_TRUE(arrived_.try_acquire_for(30s));
  EXPECT_TRUE(watch_->may_bring("run-1"));
  EXPECT_TRUE(watch_->may_bring("run-2"));
  EXPECT_TRUE(watch_->take().is_in_doubt);
}

}  // namespace
}  // namespace tidemill::app
