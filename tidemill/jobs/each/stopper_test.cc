#include "tidemill/jobs/each/stopper.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::each {
namespace {

using namespace std::chrono_literals;
using Manner = HaltRule::Manner;
using Events = std::vector<std::string>;

class StopperTest : public ::testing::Test {
 protected:
  [[nodiscard]] Stopper::Duties duties() {
    return {
        .stop_intake = [this] { note("intake"); },
        .end_all =
            [this](proc::StopUrge urge) { note(urge == proc::StopUrge::kill ? "kill" : "end"); }};
  }
  void note(const std::string& what) {
    events_.update([&](Events& events) { events.push_back(what); });
  }
  [[nodiscard]] bool happened(const Events& expected) {
    return testing::eventually([&] { return *events_.lock() == expected; });
  }
  // Advances the clock in small steps until this many events have happened.
  [[nodiscard]] bool happens_in_time(std::size_t count) {
    return testing::eventually([&] {
      if (events_.lock()->size() >= count) return true;
      clock_.advance(100us);
      return false;
    });
  }

  testing::FakeClock clock_;
  Guarded<Events> events_;
  std::stop_source stop_;
  std::stop_source kill_;
};

TEST_F(StopperTest, OneRequestStopsIntakeThenTerminatesThenKills) {
  Stopper stopper(duties(), stop_.get_token(), kill_.get_token(), clock_);
  EXPECT_FALSE(stopper.was_interrupted());
  const Instant asked = clock_.now();
  stop_.request_stop();
  ASSERT_TRUE(happened({"intake"}));
  ASSERT_TRUE(happens_in_time(2));
  EXPECT_GE(clock_.now() - asked, Stopper::kPatience);
  ASSERT_TRUE(happens_in_time(3));
  EXPECT_GE(clock_.now() - asked, Stopper::kLimit);
  EXPECT_EQ(*events_.lock(), (Events{"intake", "end", "kill"}));
  EXPECT_TRUE(stopper.was_interrupted());
  EXPECT_FALSE(stopper.was_halted());
}

TEST_F(StopperTest, ASecondRequestKillsAtOnce) {
  Stopper stopper(duties(), stop_.get_token(), kill_.get_token(), clock_);
  stop_.request_stop();
  ASSERT_TRUE(happened({"intake"}));
  kill_.request_stop();
  EXPECT_TRUE(happened({"intake", "kill"}));
}

TEST_F(StopperTest, HaltSoonLetsRunningCommandsFinish) {
  {
    Stopper stopper(duties(), stop_.get_token(), kill_.get_token(), clock_);
    stopper.halt(Manner::soon);
    ASSERT_TRUE(happened({"intake"}));
    clock_.advance(1h);
    EXPECT_TRUE(stopper.was_halted());
    EXPECT_FALSE(stopper.was_interrupted());
  }
  EXPECT_EQ(*events_.lock(), (Events{"intake"}));
}

TEST_F(StopperTest, HaltSoonEnforcesTheTimeoutThatThePoolNoLongerWatches) {
  Stopper stopper(duties(), stop_.get_token(), kill_.get_token(), clock_, 10s);
  const Instant asked = clock_.now();
  stopper.halt(Manner::soon);
  ASSERT_TRUE(happens_in_time(2));
  EXPECT_GE(clock_.now() - asked, 10s);
  EXPECT_EQ(*events_.lock(), (Events{"intake", "end"}));
}

TEST_F(StopperTest, HaltNowTerminatesCommandsAndLeavesKillingToTheGracePeriod) {
  {
    Stopper stopper(duties(), stop_.get_token(), kill_.get_token(), clock_);
    stopper.halt(Manner::now);
    ASSERT_TRUE(happened({"intake", "end"}));
    clock_.advance(1h);
  }
  EXPECT_EQ(*events_.lock(), (Events{"intake", "end"}));
}

TEST_F(StopperTest, AcceptsUserRequestsAfterAHalt) {
  Stopper stopper(duties(), stop_.get_token(), kill_.get_token(), clock_);
  stopper.halt(Manner::soon);
  ASSERT_TRUE(happened({"intake"}));
  stop_.request_stop();
  ASSERT_TRUE(happens_in_time(2));
  kill_.request_stop();
  EXPECT_TRUE(happened({"intake", "end", "kill"}));
}

TEST_F(StopperTest, DoesNothingWithoutARequest) {
  {
    Stopper stopper(duties(), stop_.get_token(), kill_.get_token(), clock_);
  }
  stop_.request_stop();
  EXPECT_EQ(*events_.lock(), Events{});
}

}  // namespace
}  // namespace tidemill::each
