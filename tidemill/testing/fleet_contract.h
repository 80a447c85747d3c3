// FleetContract: tests that every Fleet must pass. They are in fleet_contract.cc; the test of an
// implementation instantiates them:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, FleetContract, ::testing::Values(FleetMaker{
//       .name = "memory", .make = [] { return std::make_unique<MemoryFleetRig>(); }}));
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/engine/fleet.h"

namespace tidemill::testing {

// A fleet with one run, without faults. One thread.
class FleetRig {
 public:
  virtual ~FleetRig() = default;
  [[nodiscard]] virtual std::unique_ptr<engine::Fleet> connect() = 0;
  [[nodiscard]] virtual std::unique_ptr<engine::FleetMember> join(std::string name) = 0;
  virtual void pass(std::chrono::milliseconds time) = 0;  // at the server
  virtual void forget() = 0;                              // everything, at once
};

struct FleetMaker {
  std::string name;
  std::function<std::unique_ptr<FleetRig>()> make;
};
// Not inline: every instantiation calls it, so the tests are linked even from an archive.
void PrintTo(const FleetMaker& maker, std::ostream* out);

// One thread.
class FleetContract : public ::testing::TestWithParam<FleetMaker> {
 protected:
  void SetUp() override {
    rig_ = GetParam().make();
    fleet_ = rig_->connect();
    worker_ = rig_->join("worker");
  }

  void open(engine::FleetEpoch known = 0) {
    const auto opened = fleet_->open(known);
    ASSERT_TRUE(opened) << text_of(opened.error());
    epoch_ = *opened;
  }

  // A parcel of this epoch with a task for each id.
  [[nodiscard]] engine::FleetParcel parcel(std::uint64_t number,
                                           std::initializer_list<engine::TaskId> tasks) const;
  void send(std::initializer_list<engine::FleetParcel> parcels);
  // All ids that the worker receives.
  [[nodiscard]] std::vector<engine::ParcelId> receive(engine::FleetMember& worker,
                                                      std::size_t limit = 100);
  [[nodiscard]] std::vector<engine::ParcelReport> reports(std::size_t limit = 100);

  std::unique_ptr<FleetRig> rig_;
  std::unique_ptr<engine::Fleet> fleet_;
  std::unique_ptr<engine::FleetMember> worker_;
  engine::FleetEpoch epoch_ = 0;
};

}  // namespace tidemill::testing
