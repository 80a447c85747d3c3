#include "tidemill/testing/memory_fleet.h"

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/fleet_contract.h"

namespace tidemill::testing {
namespace {

using namespace engine;
using namespace std::chrono_literals;

class MemoryFleetRig final : public FleetRig {
 public:
  [[nodiscard]] std::unique_ptr<Fleet> connect() override { return server_.connect(network_); }
  [[nodiscard]] std::unique_ptr<FleetMember> join(std::string name) override {
    return server_.join(std::move(name), network_);
  }
  void pass(std::chrono::milliseconds time) override { clock_.advance(time); }
  void forget() override { server_.forget(); }

 private:
  FakeClock clock_;
  PerfectNetwork network_;
  MemoryFleet server_{clock_};
};

INSTANTIATE_TEST_SUITE_P(Memory, FleetContract,
                         ::testing::Values(FleetMaker{.name = "memory", .make = [] {
                                                        return std::make_unique<MemoryFleetRig>();
                                                      }}));

// A network with a list of fates; the rest is delivered.
class ScriptedNetwork final : public FleetNetwork {
 public:
  [[nodiscard]] CallFate next() override {
    if (fates.empty()) return CallFate::delivered;
    const CallFate fate = fates.front();
    fates.pop_front();
    return fate;
  }
  [[nodiscard]] std::chrono::milliseconds delay() override { return 500ms; }

  std::deque<CallFate> fates;
};

struct FaultyFleet : ::testing::Test {
  FaultyFleet() { epoch = fleet->open(0).value(); }

  [[nodiscard]] std::vector<FleetParcel> one(std::uint64_t number) const {
    return {{.id = {.epoch = epoch, .number = number}, .tasks = {{.id = number}}}};
  }
  [[nodiscard]] std::size_t parcels() const { return server.sizes().parcels; }

  FakeClock clock;
  ScriptedNetwork network;
  MemoryFleet server{clock};
  std::unique_ptr<Fleet> fleet = server.connect(network);
  std::unique_ptr<FleetMember> worker = server.join("worker", network);
  FleetEpoch epoch = 0;
};

TEST_F(FaultyFleet, LosesACall) {
  network.fates = {CallFate::request_lost};
  EXPECT_TRUE(is_unknown(fleet->send(one(1)).error()));
  EXPECT_EQ(parcels(), 0U);
}

TEST_F(FaultyFleet, LosesAnAnswer) {
  network.fates = {CallFate::reply_lost};
  EXPECT_TRUE(is_unknown(fleet->send(one(1)).error()));
  EXPECT_EQ(parcels(), 1U);
}

TEST_F(FaultyFleet, DelaysACallUntilAfterOthers) {
  network.fates = {CallFate::delayed};
  EXPECT_TRUE(is_unknown(fleet->send(one(1)).error()));
  EXPECT_TRUE(fleet->parcels().value().empty());
  clock.advance(500ms);
  EXPECT_EQ(fleet->parcels().value().size(), 1U);
}

TEST_F(FaultyFleet, RepeatsACall) {
  ASSERT_TRUE(fleet->send(one(1)));
  ASSERT_EQ(worker->receive(1).value().size(), 1U);
  network.fates = {CallFate::repeated};
  EXPECT_EQ(worker->give({epoch, 1}, {}), true);
  EXPECT_EQ(fleet->reports(10).value().size(), 1U);
}

TEST_F(FaultyFleet, RollsBackAndUsesAReportIdAgain) {
  ASSERT_TRUE(fleet->send(one(1)));
  ASSERT_TRUE(fleet->send(one(2)));
  ASSERT_EQ(worker->receive(2).value().size(), 2U);
  const auto memory = server.remember();
  ASSERT_EQ(worker->give({epoch, 1}, {}), true);
  const ReportId first = fleet->reports(1).value().at(0).id;
  server.roll_back(*memory);
  EXPECT_EQ(parcels(), 2U);
  ASSERT_EQ(worker->give({epoch, 2}, {}), true);
  EXPECT_EQ(fleet->reports(1).value().at(0).id, first);
}

TEST_F(FaultyFleet, ForgetsTheRosterOfTheSilent) {
  ASSERT_TRUE(worker->confirm({.name = "worker"}, {}));
  EXPECT_EQ(fleet->roster().value().size(), 1U);
  clock.advance(1h);
  EXPECT_TRUE(fleet->roster().value().empty());
}

}  // namespace
}  // namespace tidemill::testing
