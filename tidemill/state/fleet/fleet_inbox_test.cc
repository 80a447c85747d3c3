#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/state/fleet/redis_fleet_rig.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::fleet {
namespace {

using engine::FleetParcel;
using testing::eventually;
using namespace std::chrono_literals;

// A worker that takes part in three runs.
class ThreeRuns : public ::testing::Test {
 protected:
  static constexpr std::size_t kRuns = 3;

  void SetUp() override {
    TIDEMILL_NEEDS_REDIS();
    rig_.emplace();
    client_ = &rig_->new_client(30s);
    inbox_.emplace(*client_, 30s);
    for (std::size_t i = 0; i < kRuns; ++i) {
      FleetPlace place = rig_->place;
      place.run = "run-" + std::to_string(i);
      fleets_.push_back(RedisFleet::make(rig_->client(), place, rig_->clock).value());
      epochs_.push_back(fleets_.back()->open(0).value());
      members_.push_back(std::make_unique<RedisFleetMember>(*client_, place, "worker"));
      pointers_.push_back(members_.back().get());
    }
  }
  void send(std::size_t run, std::uint64_t number) {
    ASSERT_TRUE(fleets_[run]->send(std::vector<FleetParcel>{
        {.id = {.epoch = epochs_[run], .number = number}, .tasks = {{.id = number}}}}));
  }
  void forget(std::size_t run) {
    (void)rig_->call({"DEL", FleetRunKeys("mill", "run-" + std::to_string(run)).parcels});
  }
  [[nodiscard]] bool is_blocked() const { return rig_->server.info("blocked_clients") == "1"; }
  // "0:1 2:1 1:forgotten": run and parcel.
  [[nodiscard]] std::string text_of(const Result<std::vector<FleetInbox::Delivery>>& answer) {
    if (!answer) return tidemill::text_of(answer.error());
    std::string text;
    for (const FleetInbox::Delivery& delivery : *answer) {
      for (std::size_t run = 0; run < kRuns; ++run) {
        if (delivery.member != pointers_[run]) continue;
        if (!text.empty()) text += ' ';
        text += std::to_string(run) + ":";
        if (delivery.is_forgotten) text += "forgotten";
      }
      for (const FleetParcel& parcel : delivery.parcels) {
        text += std::to_string(parcel.id.number);
        EXPECT_EQ(parcel.holder, "worker");
      }
    }
    return text;
  }
  [[nodiscard]] std::string wait(std::chrono::milliseconds most) {
    return text_of(inbox_->wait(pointers_, most, {}));
  }

  std::optional<RedisFleetRig> rig_;
  redis::Client* client_ = nullptr;
  std::optional<FleetInbox> inbox_;
  std::vector<std::unique_ptr<RedisFleet>> fleets_;
  std::vector<engine::FleetEpoch> epochs_;
  std::vector<std::unique_ptr<RedisFleetMember>> members_;
  std::vector<RedisFleetMember*> pointers_;
};

TEST_F(ThreeRuns, DeliverOneParcelEach) {
  send(0, 1);
  send(2, 1);
  send(2, 2);
  EXPECT_EQ(wait(20s), "0:1 2:1");
  EXPECT_EQ(wait(20s), "2:2");
  EXPECT_EQ(wait(1ms), "");
  EXPECT_EQ(wait(0ms), "");
  EXPECT_EQ(members_[2]->held().value().size(), 2U);
  EXPECT_TRUE(inbox_->wait({}, 20s, {}).value().empty());
}

TEST_F(ThreeRuns, AParcelEndsTheWait) {
  std::string text;
  {
    const std::jthread waiter([&] { text = wait(20s); });
    ASSERT_TRUE(eventually([&] { return is_blocked(); }));
    send(1, 1);
  }
  EXPECT_EQ(text, "1:1");
}

TEST_F(ThreeRuns, AForgottenRunIsNamedAndTheOthersDeliver) {
  send(0, 1);
  forget(1);
  EXPECT_EQ(wait(20s), "0:1 1:forgotten");
  forget(2);
  EXPECT_EQ(wait(20s), "1:forgotten 2:forgotten");
  pointers_ = {pointers_[0]};
  EXPECT_EQ(wait(1ms), "");
}

TEST_F(ThreeRuns, ARunThatIsForgottenDuringTheWaitEndsIt) {
  std::string text;
  {
    const std::jthread waiter([&] { text = wait(20s); });
    ASSERT_TRUE(eventually([&] { return is_blocked(); }));
    rig_->forget();
  }
  // Redis 6 notices only at the next call.
  if (text.empty()) text = wait(20s);
  EXPECT_EQ(text, "0:forgotten 1:forgotten 2:forgotten");
}

TEST_F(ThreeRuns, AStopEndsTheWaitAndWhatWasLostIsFound) {
  std::stop_source stop;
  std::optional<Result<std::vector<FleetInbox::Delivery>>> answer;
  {
    const std::jthread waiter([&] { answer = inbox_->wait(pointers_, 20s, stop.get_token()); });
    ASSERT_TRUE(eventually([&] { return is_blocked(); }));
    rig_->server.freeze();
    stop.request_stop();
  }
  rig_->server.thaw();
  ASSERT_FALSE(*answer);
  EXPECT_EQ(answer->error().cure, Cure::resume);
  send(0, 1);
  EXPECT_TRUE(eventually([&] {
    return members_[0]->held().value().size() + members_[0]->receive(1).value().size() == 1;
  }));
}

// A wait that reached the timeout of the client would cost the connection.
TEST_F(ThreeRuns, AWaitIsShorterThanTheTimeoutOfTheClient) {
  redis::Client& hasty = rig_->new_client(1s);
  RedisFleetMember member(hasty, {.fleet = "mill", .run = "run-0"}, "worker");
  RedisFleetMember* const members[] = {&member};
  FleetInbox inbox(hasty, 1s);
  EXPECT_TRUE(inbox.wait(members, 1h, {}).value().empty());
  EXPECT_EQ(hasty.connections(), 1U);
}

TEST_F(ThreeRuns, ADeadServerIsAnUnknownAnswer) {
  rig_->server.kill();
  const auto answer = inbox_->wait(pointers_, 20s, {});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(engine::is_unknown(answer.error()));
}

}  // namespace
}  // namespace tidemill::fleet
