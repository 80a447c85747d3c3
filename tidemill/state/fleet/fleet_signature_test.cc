// Parcels and reports of others: what is not signed with our key is removed, counted and not used.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/state/fleet/fleet_scripts.h"
#include "tidemill/state/fleet/packing.h"
#include "tidemill/state/fleet/redis_fleet_rig.h"
#include "tidemill/state/fleet/run_seal.h"

namespace tidemill::fleet {
namespace {

using engine::FleetEpoch;
using engine::FleetParcel;
using engine::FleetTask;
using engine::ParcelId;
using engine::ParcelReport;
using engine::TaskEnd;
using engine::TaskReport;
using redis::Reply;

using Ids = std::vector<ParcelId>;

const std::vector<FleetTask> kTasks = {{.id = 7, .payload = "rm -rf /"}};
const std::vector<TaskReport> kDone = {{.id = 7, .end = TaskEnd::done, .text = "ok"}};

class SignedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    TIDEMILL_NEEDS_REDIS();
    key_ = new_key();
    rig_.emplace(key_);
    fleet_ = rig_->dispatcher();
    worker_ = rig_->member("worker");
    epoch_ = fleet_->open(0).value();
  }

  [[nodiscard]] RunSeal seal(const std::string& fleet = "mill", const std::string& run = "run-1",
                             std::optional<FleetKey> key = std::nullopt) const {
    return {fleet, run, key.value_or(key_)};
  }
  void send(std::uint64_t number) {
    ASSERT_TRUE(fleet_->send(std::vector<FleetParcel>{{.id = {epoch_, number}, .tasks = kTasks}}));
  }
  void add_parcel(std::uint64_t number, const std::string& tasks, const std::string& signature) {
    const Reply added = rig_->call({"XADD", keys().parcels, entry_id_of(ParcelId{epoch_, number}),
                                    "t", tasks, "m", signature});
    ASSERT_FALSE(added.is_error()) << added.text;
  }
  void add_report(ParcelId parcel, const std::string& worker, const std::string& reports,
                  const std::string& signature) {
    const Reply added = rig_->call({"XADD", keys().reports, "*", "p", entry_id_of(parcel), "w",
                                    worker, "r", reports, "m", signature});
    ASSERT_FALSE(added.is_error()) << added.text;
  }
  // Number 1 is good, 2 to 7 are not, 8 is good again.
  void mix_parcels() {
    const std::string tasks = pack(kTasks);
    const auto at = [&](std::uint64_t number) { return ParcelId{epoch_, number}; };
    send(1);
    add_parcel(2, tasks, "");
    add_parcel(3, tasks, seal("mill", "run-1", new_key()).sign(at(3), tasks));
    add_parcel(4, tasks, seal().sign(at(1), tasks));  // the first one once more
    add_parcel(5, tasks, seal("mill", "run-2").sign(at(5), tasks));
    add_parcel(6, tasks, seal("mil", "lrun-1").sign(at(6), tasks));
    add_parcel(7, "garbled", seal().sign(at(7), "garbled"));
    send(8);
  }
  [[nodiscard]] static Ids ids_of(const std::vector<FleetParcel>& parcels) {
    Ids ids;
    for (const FleetParcel& parcel : parcels) ids.push_back(parcel.id);
    return ids;
  }
  [[nodiscard]] std::string forged() { return rig_->call({"GET", keys().forged}).text; }
  [[nodiscard]] std::int64_t length(const std::string& key) {
    return rig_->call({"XLEN", key}).number;
  }
  [[nodiscard]] const FleetRunKeys& keys() const { return rig_->keys; }

  FleetKey key_;
  std::optional<RedisFleetRig> rig_;
  std::unique_ptr<RedisFleet> fleet_;
  std::unique_ptr<RedisFleetMember> worker_;
  FleetEpoch epoch_ = 0;
};

TEST_F(SignedRun, AWorkerReceivesOnlyWhatIsSigned) {
  mix_parcels();
  EXPECT_EQ(ids_of(worker_->receive(100).value()), (Ids{{epoch_, 1}, {epoch_, 8}}));
  EXPECT_EQ(forged(), "6");
  EXPECT_EQ(worker_->forged(), 6U);
  EXPECT_EQ(length(keys().parcels), 2);
  EXPECT_EQ(worker_->confirm({.name = "worker"}, {}).value().size(), 2U);
}

TEST_F(SignedRun, AParcelOfAnEarlierEpochIsNotValidInThisOne) {
  const std::string tasks = pack(kTasks);
  add_parcel(1, tasks, seal().sign(ParcelId{epoch_ - 1, 1}, tasks));
  EXPECT_TRUE(worker_->receive(10).value().empty());
  EXPECT_EQ(forged(), "1");
}

TEST_F(SignedRun, ForgedParcelsDoNotBlockTheOthers) {
  mix_parcels();
  Ids received;
  for (int i = 0; i < 8; ++i) {
    for (const ParcelId id : ids_of(worker_->receive(1).value())) received.push_back(id);
  }
  EXPECT_EQ(received, (Ids{{epoch_, 1}, {epoch_, 8}}));
}

TEST_F(SignedRun, ADispatcherAdoptsOnlyWhatIsSigned) {
  mix_parcels();
  EXPECT_EQ(ids_of(fleet_->parcels().value()), (Ids{{epoch_, 1}, {epoch_, 8}}));
  EXPECT_EQ(forged(), "6");
  EXPECT_EQ(fleet_->forged(), 6U);
  EXPECT_EQ(length(keys().parcels), 2);
}

TEST_F(SignedRun, AParcelThatWasChangedOnItsWayIsSentAgain) {
  add_parcel(1, pack(std::vector<FleetTask>{{.id = 7, .payload = "other"}}),
             seal().sign(ParcelId{epoch_, 1}, pack(kTasks)));
  EXPECT_TRUE(worker_->receive(10).value().empty());
  EXPECT_EQ(fleet_->missing(Ids{{epoch_, 1}}).value(), (Ids{{epoch_, 1}}));
}

TEST_F(SignedRun, WhatWasForgedAndReceivedBeforeIsFoundByHeld) {
  mix_parcels();
  (void)rig_->call({"XREADGROUP", "GROUP", "w", "worker", "STREAMS", keys().parcels, ">"});
  EXPECT_EQ(ids_of(worker_->held().value()), (Ids{{epoch_, 1}, {epoch_, 8}}));
  EXPECT_EQ(worker_->forged(), 6U);
}

// It may have been taken back meanwhile.
TEST_F(SignedRun, AWorkerRejectsOnlyWhatItHolds) {
  send(1);
  ASSERT_EQ(worker_->receive(1).value().size(), 1U);
  const auto client = redis::Client::make(rig_->client(), rig_->clock).value();
  const std::string id = entry_id_of(ParcelId{epoch_, 1});
  const std::vector<std::string_view> names = {keys().parcels, keys().forged};
  const auto reject = [&](std::string_view worker) {
    const std::vector<std::string_view> arguments = {worker, id};
    return run_script(*client, reject_held_script(), names, arguments).value().number;
  };
  EXPECT_EQ(reject("other"), 0);
  EXPECT_EQ(length(keys().parcels), 1);
  EXPECT_EQ(reject("worker"), 1);
  EXPECT_EQ(length(keys().parcels), 0);
}

TEST_F(SignedRun, OnlySignedReportsAreRead) {
  const ParcelId parcel{epoch_, 1};
  const std::string bytes = pack(kDone);
  send(1);
  add_report(parcel, "worker", bytes, "");
  add_report(parcel, "worker", bytes,
             seal("mill", "run-1", new_key()).sign(parcel, "worker", bytes));
  add_report(parcel, "other", bytes, seal().sign(parcel, "worker", bytes));
  add_report({epoch_, 2}, "worker", bytes, seal().sign(parcel, "worker", bytes));
  add_report(parcel, "worker", bytes, seal("mill", "run-2").sign(parcel, "worker", bytes));
  add_report(parcel, "worker", bytes, seal().sign(parcel, "\x06worker" + bytes));  // as a parcel
  add_report(parcel, "worker", "garbled", seal().sign(parcel, "worker", "garbled"));
  (void)rig_->call({"XADD", keys().reports, "*", "x", "y"});
  ASSERT_EQ(worker_->receive(1).value().size(), 1U);
  ASSERT_EQ(worker_->give(parcel, kDone), true);
  const auto reports = fleet_->reports(1).value();  // nothing blocks the head
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].parcel, parcel);
  EXPECT_EQ(reports[0].tasks, kDone);
  EXPECT_EQ(length(keys().reports), 1);
  EXPECT_EQ(fleet_->forged(), 8U);
  EXPECT_EQ(forged(), "8");
}

TEST_F(SignedRun, AReplacedDispatcherReadsButDoesNotRemove) {
  send(1);
  ASSERT_EQ(worker_->receive(1).value().size(), 1U);
  add_report({epoch_, 1}, "worker", pack(kDone), "");
  ASSERT_EQ(worker_->give({epoch_, 1}, kDone), true);
  ASSERT_TRUE(rig_->dispatcher()->open(0));
  EXPECT_EQ(fleet_->reports(10).value().size(), 1U);
  EXPECT_EQ(length(keys().reports), 2);
  EXPECT_EQ(fleet_->forged(), 0U);
}

TEST_F(SignedRun, CountingDoesNotDependOnItsKey) {
  (void)rig_->call({"LPUSH", keys().forged, "x"});
  mix_parcels();
  EXPECT_EQ(worker_->receive(100).value().size(), 2U);
  EXPECT_EQ(length(keys().parcels), 2);
}

TEST_F(SignedRun, WithoutAKeyEverythingIsAccepted) {
  send(1);
  FleetPlace place = rig_->place;
  place.key = {};
  RedisFleetMember member(rig_->new_client(std::chrono::seconds(30)), place, "trusting");
  EXPECT_EQ(member.receive(10).value().size(), 1U);
}

// What the guide recommends: such a user can give reports, but cannot send tasks (Redis 7).
//
//   ACL SETUSER worker on >PASSWORD resetkeys ~{mill}:* -@all +ping +client|setname +eval +evalsha
//     +xreadgroup +xpending +xrange +xclaim +xack +xdel +hset +hdel +incrby +time
//     (~{mill}:*:out +xadd)
TEST_F(SignedRun, AnAclUserOfAWorkerCannotSendTasks) {
  const Reply made = rig_->call({"ACL",
                                 "SETUSER",
                                 "worker",
                                 "on",
                                 ">secret",
                                 "resetkeys",
                                 "~{mill}:*",
                                 "-@all",
                                 "+ping",
                                 "+client|setname",
                                 "+eval",
                                 "+evalsha",
                                 "+xreadgroup",
                                 "+xpending",
                                 "+xrange",
                                 "+xclaim",
                                 "+xack",
                                 "+xdel",
                                 "+hset",
                                 "+hdel",
                                 "+incrby",
                                 "+time",
                                 "(~{mill}:*:out +xadd)"});
  if (made.is_error()) GTEST_SKIP() << "NOT TESTED: selectors need Redis 7: " << made.text;
  auto options = rig_->client();
  options.address.user = "worker";
  options.address.password = redis::HiddenText("secret");
  options.name = "a worker";
  const auto client = redis::Client::make(options, rig_->clock).value();
  RedisFleetMember member(*client, rig_->place, "limited");
  FleetInbox inbox(*client);

  mix_parcels();
  send(9);
  EXPECT_EQ(ids_of(member.receive(8).value()), (Ids{{epoch_, 1}, {epoch_, 8}}));
  EXPECT_EQ(forged(), "6");
  RedisFleetMember* const members[] = {&member};
  EXPECT_EQ(inbox.wait(members, std::chrono::seconds(20), {}).value().size(), 1U);
  EXPECT_EQ(member.held().value().size(), 3U);
  EXPECT_EQ(member.confirm({.name = "limited"}, Ids{{epoch_, 1}}).value().size(), 3U);
  EXPECT_EQ(member.give({epoch_, 1}, kDone), true);
  EXPECT_EQ(fleet_->reports(10).value().size(), 1U);
  ASSERT_TRUE(member.leave());

  const auto is_refused = [](const Result<Reply>& answer) {
    return !answer && answer.error().cure == Cure::give_up;
  };
  EXPECT_TRUE(is_refused(client->call({"XADD", keys().parcels, "*", "t", "x"})));
  const redis::Script script("return redis.call('XADD', KEYS[1], '*', 't', 'x')");
  const std::vector<std::string_view> names = {keys().parcels};
  EXPECT_TRUE(is_refused(client->eval(script, names, {})));
  EXPECT_TRUE(is_refused(client->call({"SET", keys().epoch, "9"})));
  EXPECT_TRUE(is_refused(client->call({"DEL", keys().parcels})));
  EXPECT_EQ(length(keys().parcels), 2);
}

}  // namespace
}  // namespace tidemill::fleet
