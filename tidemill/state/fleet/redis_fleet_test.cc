#include "tidemill/state/fleet/redis_fleet.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/state/fleet/packing.h"
#include "tidemill/state/fleet/redis_fleet_rig.h"
#include "tidemill/state/fleet/run_seal.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::testing {
namespace {

std::vector<FleetMaker> fleets() {
  if (!has_redis()) return {};
  return {{.name = "redis", .make = [] { return std::make_unique<fleet::RedisFleetRig>(); }},
          {.name = "redis_signed",
           .make = [] { return std::make_unique<fleet::RedisFleetRig>(fleet::new_key()); }}};
}

INSTANTIATE_TEST_SUITE_P(Redis, FleetContract, ::testing::ValuesIn(fleets()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tidemill::testing

namespace tidemill::fleet {
namespace {

using engine::FleetEpoch;
using engine::FleetParcel;
using engine::is_forgotten;
using engine::is_unknown;
using engine::ParcelId;
using engine::TaskEnd;
using engine::TaskReport;
using redis::Reply;
using testing::eventually;
using namespace std::chrono_literals;

using Ids = std::vector<ParcelId>;

const std::vector<TaskReport> kDone = {{.id = 1, .end = TaskEnd::done, .text = "ok"}};

Ids ids_of(const Result<std::vector<FleetParcel>>& parcels) {
  EXPECT_TRUE(parcels) << text_of(parcels.error());
  Ids ids;
  if (!parcels) return ids;
  for (const FleetParcel& parcel : *parcels) ids.push_back(parcel.id);
  return ids;
}

bool is_superseded(const auto& answer) {
  return !answer && answer.error().cure == Cure::give_up &&
         answer.error().kind == FailureKind::superseded;
}
bool is_unknown_run(const auto& answer) { return !answer && is_forgotten(answer.error()); }

class OpenRun : public ::testing::Test {
 protected:
  void SetUp() override {
    TIDEMILL_NEEDS_REDIS();
    rig_.emplace(new_key());
    fleet_ = rig_->dispatcher();
    worker_ = rig_->member("worker");
    epoch_ = fleet_->open(0).value();
  }

  [[nodiscard]] std::vector<FleetParcel> one(std::uint64_t number) const {
    return {{.id = {.epoch = epoch_, .number = number}, .tasks = {{.id = number}}}};
  }
  void send(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t number = from; number <= to; ++number) {
      const auto sent = fleet_->send(one(number));
      ASSERT_TRUE(sent) << text_of(sent.error());
    }
  }
  [[nodiscard]] std::string text_at(const std::string& key) {
    return rig_->call({"GET", key}).text;
  }
  [[nodiscard]] std::int64_t length(const std::string& key) {
    return rig_->call({"XLEN", key}).number;
  }
  [[nodiscard]] const FleetRunKeys& keys() const { return rig_->keys; }

  std::optional<RedisFleetRig> rig_;
  std::unique_ptr<RedisFleet> fleet_;
  std::unique_ptr<RedisFleetMember> worker_;
  FleetEpoch epoch_ = 0;
};

TEST(FleetNames, AreShortAndPlain) {
  EXPECT_TRUE(check_name("Mill-1.a_b"));
  EXPECT_TRUE(check_name(std::string(64, 'x')));
  for (const std::string& name :
       {std::string(), std::string(65, 'x'), std::string("a{b"), std::string("a}b"),
        std::string("a b"), std::string("a:b"), std::string("ä"), std::string("a\0b", 3)}) {
    const auto checked = check_name(name);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().kind, FailureKind::usage);
  }
  const SystemClock clock;
  EXPECT_FALSE(RedisFleet::make({}, {.fleet = "a}b", .run = "r"}, clock));
}

TEST_F(OpenRun, AllItsKeysAreInOneSlot) {
  EXPECT_EQ(keys().parcels, "{mill}:run-1:q");
  for (const std::string& key : {keys().epoch, keys().reports, keys().workers, keys().forged}) {
    EXPECT_EQ(redis::slot_of(key), redis::slot_of("mill"));
  }
}

TEST_F(OpenRun, AnEpochIsNotBelowTheTimeOfTheServer) {
  const auto time = rig_->call({"TIME"});
  EXPECT_GE(epoch_ / 1'000 + 60, std::stoull(time.items.at(0).text));
  EXPECT_LE(epoch_ / 1'000, std::stoull(time.items.at(0).text));
}

TEST_F(OpenRun, AReplacedDispatcherIsRefusedBeforeItsSuccessorHasSentAnything) {
  send(1, 1);
  ASSERT_TRUE(rig_->dispatcher()->open(0));
  EXPECT_TRUE(is_superseded(fleet_->send(one(2))));
  EXPECT_TRUE(is_superseded(fleet_->drain(std::vector<engine::ReportId>{{.time = 1}})));
  EXPECT_TRUE(is_superseded(fleet_->take_back(0ms)));
  EXPECT_TRUE(is_superseded(fleet_->recall()));
  EXPECT_TRUE(is_superseded(fleet_->roster()));
  EXPECT_TRUE(is_superseded(fleet_->remove()));
  EXPECT_EQ(length(keys().parcels), 1);
}

TEST_F(OpenRun, AnEpochIsAboveTheStoredOneEvenWithoutTheStream) {
  const FleetEpoch far = epoch_ + 1'000'000'000;
  (void)rig_->call({"DEL", keys().parcels});
  (void)rig_->call({"SET", keys().epoch, std::to_string(far)});
  EXPECT_GT(fleet_->open(0).value(), far);
}

// An open() that the server lost in a failover is no reason to give up.
TEST_F(OpenRun, AnEpochThatTheServerHasLostIsOpenedAgain) {
  send(1, 1);
  ASSERT_FALSE(rig_->call({"SET", keys().epoch, std::to_string(epoch_ - 1)}).is_error());
  EXPECT_TRUE(is_unknown_run(fleet_->recall()));
  ASSERT_FALSE(rig_->call({"DEL", keys().epoch}).is_error());
  EXPECT_TRUE(is_unknown_run(fleet_->recall()));
  EXPECT_TRUE(is_unknown_run(fleet_->take_back(0ms)));
  EXPECT_TRUE(is_unknown_run(fleet_->drain(std::vector<engine::ReportId>{{.time = 1}})));
  EXPECT_EQ(length(keys().parcels), 1);
  const FleetEpoch before = epoch_;
  epoch_ = fleet_->open(0).value();
  EXPECT_GT(epoch_, before);
  EXPECT_EQ(fleet_->recall().value(), (Ids{{before, 1}}));
  send(1, 1);
}

// Whoever adds an entry with the time as its id must not make the dispatcher give up.
TEST_F(OpenRun, AnEntryAboveItsEpochCostsANewEpoch) {
  for (const char* const id : {"9007199254740000-1", "18446744073709551615-18446744073709551615"}) {
    ASSERT_FALSE(rig_->call({"XADD", keys().parcels, id, "t", "x"}).is_error());
    EXPECT_TRUE(is_unknown_run(fleet_->send(one(1))));
    const FleetEpoch before = epoch_;
    epoch_ = fleet_->open(before).value();
    EXPECT_GT(epoch_, before);
    send(1, 1);
    EXPECT_EQ(ids_of(worker_->receive(10)), (Ids{{epoch_, 1}}));
  }
}

TEST_F(OpenRun, AnEpochThatIsNotANumberIsReplaced) {
  for (const char* const text : {"", "x", "-5", "1e300", "99999999999999999999"}) {
    ASSERT_FALSE(rig_->call({"SET", keys().epoch, text}).is_error());
    const FleetEpoch before = epoch_;
    epoch_ = fleet_->open(0).value();
    EXPECT_GT(epoch_, before);
    EXPECT_EQ(text_at(keys().epoch), std::to_string(epoch_));
  }
  EXPECT_EQ(fleet_->open(~std::uint64_t{0}).error().cure, Cure::give_up);
}

TEST_F(OpenRun, AKeyOfAnotherTypeIsNotTriedForEver) {
  (void)rig_->call({"DEL", keys().parcels});
  (void)rig_->call({"SET", keys().parcels, "x"});
  EXPECT_EQ(fleet_->open(0).error().kind, FailureKind::wrong_type);
  EXPECT_EQ(fleet_->send(one(1)).error().cure, Cure::give_up);
  EXPECT_EQ(fleet_->parcels().error().cure, Cure::give_up);
  EXPECT_EQ(worker_->receive(1).error().cure, Cure::give_up);
  EXPECT_EQ(worker_->give({epoch_, 1}, kDone).error().cure, Cure::give_up);
}

TEST_F(OpenRun, RemovesItsKeys) {
  send(1, 2);
  (void)worker_->receive(1);
  ASSERT_EQ(worker_->give({epoch_, 1}, kDone), true);
  ASSERT_TRUE(worker_->confirm({.name = "worker"}, {}));
  ASSERT_TRUE(fleet_->remove());
  EXPECT_EQ(rig_->call({"DBSIZE"}).number, 0);
  EXPECT_TRUE(is_unknown_run(fleet_->roster()));
  EXPECT_TRUE(fleet_->remove());
}

TEST_F(OpenRun, AWorkerLeavesTheRosterAndKeepsItsParcels) {
  send(1, 1);
  (void)worker_->receive(1);
  ASSERT_TRUE(worker_->confirm({.name = "worker"}, {}));
  ASSERT_EQ(fleet_->roster().value().size(), 1U);
  ASSERT_TRUE(worker_->leave());
  EXPECT_TRUE(fleet_->roster().value().empty());
  EXPECT_EQ(ids_of(worker_->held()), (Ids{{epoch_, 1}}));
}

TEST_F(OpenRun, ASilentWorkerLeavesTheRosterAfterTheTerm) {
  ASSERT_TRUE(worker_->confirm({.name = "worker"}, {}));
  rig_->pass(29s);
  EXPECT_EQ(fleet_->roster().value().size(), 1U);
  rig_->pass(2s);
  EXPECT_TRUE(fleet_->roster().value().empty());
  EXPECT_EQ(rig_->call({"HLEN", keys().workers}).number, 0);
}

TEST_F(OpenRun, ACardThatIsNotOneIsLeftOut) {
  ASSERT_TRUE(worker_->confirm({.name = "worker"}, {}));
  const std::string now = rig_->call({"TIME"}).items.at(0).text + "000";
  for (const std::string& card : {std::string("x"), std::string(), now + " ", now + " \x01\xff",
                                  std::string("99999999999999 \x01\0\0\0\0", 20)}) {
    (void)rig_->call({"HSET", keys().workers, "odd", card});
    EXPECT_EQ(fleet_->roster().value().size(), 1U) << card;
  }
}

TEST_F(OpenRun, AWorkerThatHoldsNothingIsRemovedFromTheGroupAfterTenTerms) {
  const auto consumers = [&] {
    return rig_->call({"XINFO", "CONSUMERS", keys().parcels, "w"}).items.size();
  };
  send(1, 2);
  const auto other = rig_->member("other");
  ASSERT_EQ(worker_->receive(1).value().size(), 1U);
  ASSERT_EQ(other->receive(1).value().size(), 1U);
  ASSERT_EQ(other->give({epoch_, 2}, kDone), true);
  ASSERT_EQ(consumers(), 2U);
  ASSERT_TRUE(fleet_->take_back(1h));
  EXPECT_EQ(consumers(), 2U);
  // A long time of no calls cannot be had here, so the term is short; what it holds is younger.
  std::uint64_t held = 1;
  std::uint64_t last = 2;
  ASSERT_TRUE(eventually([&] {
    rig_->call({"XCLAIM", keys().parcels, "w", "worker", "0", entry_id_of(ParcelId{epoch_, held}),
                "JUSTID"});
    const auto taken = fleet_->take_back(10ms);
    if (taken && !taken->empty()) {  // the machine was busy for a term: another one to hold
      held = ++last;
      send(held, held);
      (void)worker_->receive(1);
      return false;
    }
    return taken && consumers() == 1;
  }));
  EXPECT_EQ(ids_of(worker_->held()), (Ids{{epoch_, held}}));
  ++last;
  send(last, last);
  EXPECT_EQ(ids_of(other->receive(1)), (Ids{{epoch_, last}}));
}

TEST_F(OpenRun, PagesThroughWhateverThereIs) {
  constexpr std::uint64_t kParcels = 2'345;
  std::vector<FleetParcel> all;
  for (std::uint64_t n = 1; n <= kParcels; ++n) all.push_back(one(n).front());
  ASSERT_TRUE(fleet_->send(all));
  ASSERT_EQ(worker_->receive(1'234).value().size(), 1'234U);
  const auto parcels = fleet_->parcels().value();
  ASSERT_EQ(parcels.size(), kParcels);
  EXPECT_EQ(std::ranges::count(parcels, "worker", &FleetParcel::holder), 1'234);
  EXPECT_EQ(worker_->held().value().size(), 1'234U);
  EXPECT_EQ(worker_->confirm({.name = "worker"}, {}).value().size(), 1'234U);
  Ids asked = ids_of(parcels);
  asked.push_back({epoch_, kParcels + 1});
  EXPECT_EQ(fleet_->missing(asked).value(), (Ids{{epoch_, kParcels + 1}}));
  EXPECT_EQ(fleet_->recall().value().size(), kParcels - 1'234);
  EXPECT_EQ(fleet_->take_back(0ms).value().size(), 1'234U);
  EXPECT_EQ(length(keys().parcels), 0);
}

// An entry that was delivered but is in nobody's hands would be nobody's for ever.
TEST_F(OpenRun, AParcelThatNobodyWillGetIsMissing) {
  send(1, 2);
  (void)worker_->receive(1);
  (void)rig_->call({"XGROUP", "DELCONSUMER", keys().parcels, "w", "worker"});
  EXPECT_EQ(fleet_->missing(Ids{{epoch_, 1}, {epoch_, 2}}).value(), (Ids{{epoch_, 1}}));
}

TEST_F(OpenRun, AHeldParcelWhoseEntryWasDeletedIsDropped) {
  send(1, 2);
  ASSERT_EQ(worker_->receive(2).value().size(), 2U);
  (void)rig_->call({"XDEL", keys().parcels, entry_id_of(ParcelId{epoch_, 1})});
  EXPECT_EQ(ids_of(worker_->held()), (Ids{{epoch_, 2}}));
  EXPECT_EQ(worker_->confirm({.name = "worker"}, {}).value(), (Ids{{epoch_, 2}}));
  EXPECT_EQ(fleet_->missing(Ids{{epoch_, 1}}).value(), (Ids{{epoch_, 1}}));
  EXPECT_EQ(worker_->forged(), 0U);
}

TEST_F(OpenRun, ReceivesNothingForALimitOfZero) {
  send(1, 1);
  EXPECT_TRUE(worker_->receive(0).value().empty());
  EXPECT_EQ(ids_of(worker_->receive(1)), (Ids{{epoch_, 1}}));
}

TEST_F(OpenRun, WaitsForAReport) {
  send(1, 1);
  EXPECT_EQ(fleet_->wait(0ms, {}), false);
  EXPECT_EQ(fleet_->wait(1ms, {}), false);
  (void)worker_->receive(1);
  std::optional<Result<bool>> answer;
  {
    const std::jthread waiter([&] { answer = fleet_->wait(20s, {}); });
    ASSERT_TRUE(eventually([&] { return rig_->server.info("blocked_clients") == "1"; }));
    ASSERT_EQ(worker_->give({epoch_, 1}, kDone), true);
  }
  EXPECT_EQ(*answer, true);
  EXPECT_EQ(fleet_->wait(20s, {}), true);
}

TEST_F(OpenRun, AStopEndsAWait) {
  std::stop_source stop;
  std::optional<Result<bool>> answer;
  {
    const std::jthread waiter([&] { answer = fleet_->wait(20s, stop.get_token()); });
    ASSERT_TRUE(eventually([&] { return rig_->server.info("blocked_clients") == "1"; }));
    stop.request_stop();
  }
  ASSERT_FALSE(*answer);
  EXPECT_EQ(answer->error().cure, Cure::resume);
}

TEST_F(OpenRun, AWaitIsShorterThanTheTimeoutOfTheClient) {
  EXPECT_EQ(longest_block(5s), 3'900ms);
  EXPECT_EQ(longest_block(100ms), 0ms);
  EXPECT_EQ(longest_block(0ms), 0ms);
  // In Redis BLOCK 0 is for ever.
  EXPECT_EQ(rig_->dispatcher(100ms)->wait(1h, {}), false);
}

}  // namespace
}  // namespace tidemill::fleet
