#include "tidemill/testing/fleet_contract.h"

#include <cstdint>
#include <utility>

#include "tidemill/engine/journal.h"

namespace tidemill::testing {

using namespace engine;
using namespace std::chrono_literals;

void PrintTo(const FleetMaker& maker, std::ostream* out) { *out << maker.name; }

// A test program may link the contract without instantiating it.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FleetContract);

FleetParcel FleetContract::parcel(std::uint64_t number, std::initializer_list<TaskId> tasks) const {
  FleetParcel parcel{.id = {.epoch = epoch_, .number = number}};
  for (const TaskId id : tasks) {
    parcel.tasks.push_back({.id = id, .payload = "task " + std::to_string(id)});
  }
  return parcel;
}

void FleetContract::send(std::initializer_list<FleetParcel> parcels) {
  const auto sent = fleet_->send(std::span(parcels.begin(), parcels.size()));
  ASSERT_TRUE(sent) << text_of(sent.error());
}

std::vector<ParcelId> FleetContract::receive(FleetMember& worker, std::size_t limit) {
  const auto received = worker.receive(limit);
  EXPECT_TRUE(received);
  std::vector<ParcelId> ids;
  for (const FleetParcel& parcel : received.value_or(std::vector<FleetParcel>{})) {
    ids.push_back(parcel.id);
  }
  return ids;
}

std::vector<ParcelReport> FleetContract::reports(std::size_t limit) {
  const auto reports = fleet_->reports(limit);
  EXPECT_TRUE(reports);
  return reports.value_or(std::vector<ParcelReport>{});
}

namespace {

using Ids = std::vector<ParcelId>;

std::vector<TaskReport> done(std::initializer_list<TaskId> tasks) {
  std::vector<TaskReport> reports;
  for (const TaskId id : tasks) reports.push_back({.id = id, .end = TaskEnd::done, .text = "ok"});
  return reports;
}

template <class T>
bool is_superseded(const Result<T>& answer) {
  return !answer && answer.error().cure == Cure::give_up &&
         answer.error().kind == FailureKind::superseded;
}

template <class T>
bool is_from_stranger(const Result<T>& answer) {
  return !answer && is_forgotten(answer.error());
}

TEST_P(FleetContract, ARunThatWasNeverOpenedIsUnknown) {
  const std::vector<ParcelId> ids = {{.epoch = 1, .number = 1}};
  const std::vector<ReportId> reports = {{.time = 1}};
  const std::vector<FleetParcel> parcels = {parcel(1, {1})};
  EXPECT_TRUE(is_from_stranger(fleet_->send(parcels)));
  EXPECT_TRUE(is_from_stranger(fleet_->parcels()));
  EXPECT_TRUE(is_from_stranger(fleet_->missing(ids)));
  EXPECT_TRUE(is_from_stranger(fleet_->reports(1)));
  EXPECT_TRUE(is_from_stranger(fleet_->drain(reports)));
  EXPECT_TRUE(is_from_stranger(fleet_->take_back(1ms)));
  EXPECT_TRUE(is_from_stranger(fleet_->recall()));
  EXPECT_TRUE(is_from_stranger(fleet_->roster()));
  EXPECT_TRUE(is_from_stranger(worker_->receive(1)));
  EXPECT_TRUE(is_from_stranger(worker_->held()));
  EXPECT_TRUE(is_from_stranger(worker_->give(ids[0], {})));
  EXPECT_TRUE(is_from_stranger(worker_->confirm({}, ids)));
}

TEST_P(FleetContract, AForgottenRunIsUnknownUntilItIsOpenedAgain) {
  open();
  send({parcel(1, {1}), parcel(2, {2})});
  (void)receive(*worker_, 1);
  rig_->forget();
  EXPECT_TRUE(is_from_stranger(fleet_->parcels()));
  EXPECT_TRUE(is_from_stranger(fleet_->send(std::vector{parcel(3, {3})})));
  EXPECT_TRUE(is_from_stranger(worker_->receive(1)));
  EXPECT_TRUE(is_from_stranger(worker_->give({.epoch = epoch_, .number = 1}, done({1}))));
  const FleetEpoch before = epoch_;
  open(before);
  EXPECT_GT(epoch_, before);
  EXPECT_EQ(fleet_->parcels().value(), std::vector<FleetParcel>{});
  EXPECT_EQ(worker_->give({.epoch = before, .number = 1}, done({1})), false);
  send({parcel(1, {1})});
  EXPECT_EQ(receive(*worker_), (Ids{{epoch_, 1}}));
}

TEST_P(FleetContract, EveryEpochIsAboveTheOnesBeforeAndAboveTheKnownOne) {
  FleetEpoch last = 0;
  for (int i = 0; i < 5; ++i) {
    const FleetEpoch epoch = fleet_->open(0).value();
    EXPECT_GT(epoch, last);
    last = epoch;
  }
  const FleetEpoch far = last + 1'000'000'000;
  EXPECT_GT(fleet_->open(far).value(), far);
  EXPECT_GT(rig_->connect()->open(0).value(), far);
  rig_->forget();
  EXPECT_GT(fleet_->open(far + 5).value(), far + 5);
}

TEST_P(FleetContract, EachParcelIsReceivedOnceInTheOrderOfSending) {
  open();
  send({parcel(1, {1}), parcel(2, {2, 3})});
  send({parcel(5, {4})});
  EXPECT_EQ(receive(*worker_, 2), (Ids{{epoch_, 1}, {epoch_, 2}}));
  const auto other = rig_->join("other");
  EXPECT_EQ(receive(*other), (Ids{{epoch_, 5}}));
  EXPECT_EQ(receive(*worker_), Ids{});
  EXPECT_EQ(receive(*other), Ids{});
}

TEST_P(FleetContract, TasksArriveAsTheyWereSent) {
  open();
  std::string any_bytes;
  for (int byte = 0; byte < 256; ++byte) any_bytes += static_cast<char>(byte);
  FleetParcel sent = parcel(1, {});
  sent.tasks = {{.id = kLastTaskId, .attempt = 7, .crashes = 2, .payload = any_bytes},
                {.id = 2, .payload = ""},
                {.id = 3, .payload = std::string(100'000, 'x')}};
  send({sent});
  const auto received = worker_->receive(1).value();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].tasks, sent.tasks);
  sent.holder = "worker";
  EXPECT_EQ(received[0], sent);
  EXPECT_EQ(fleet_->parcels().value(), std::vector{sent});
  EXPECT_EQ(worker_->held().value(), std::vector{sent});
}

TEST_P(FleetContract, ReportsArriveAsTheyWereGiven) {
  open();
  send({parcel(1, {1, 2, 3, 4, 5})});
  (void)receive(*worker_);
  const std::vector<TaskReport> given = {{.id = 1,
                                          .attempt = 3,
                                          .crashes = 1,
                                          .end = TaskEnd::done,
                                          .text = std::string("\0\xff\n", 3),
                                          .took = 1'234'567us},
                                         {.id = 2, .end = TaskEnd::skipped, .text = "empty"},
                                         {.id = 3,
                                          .end = TaskEnd::failed,
                                          .failure = {.cure = Cure::retry,
                                                      .kind = FailureKind::busy,
                                                      .step = "open",
                                                      .reason = "busy\xff",
                                                      .hint = "wait",
                                                      .not_before = 1500ms,
                                                      .subject = "x"}},
                                         {.id = 4, .end = TaskEnd::crashed},
                                         {.id = 5, .end = TaskEnd::returned}};
  ASSERT_EQ(worker_->give({.epoch = epoch_, .number = 1}, given), true);
  const auto arrived = reports();
  ASSERT_EQ(arrived.size(), 1U);
  EXPECT_EQ(arrived[0].parcel, (ParcelId{epoch_, 1}));
  EXPECT_EQ(arrived[0].worker, "worker");
  EXPECT_EQ(arrived[0].tasks, given);
}

TEST_P(FleetContract, OnlyTheHolderGivesAndOnlyOnce) {
  open();
  send({parcel(1, {1}), parcel(2, {2})});
  const auto other = rig_->join("other");
  EXPECT_EQ(worker_->give({epoch_, 1}, done({1})), false);  // still waiting
  (void)receive(*worker_, 1);
  EXPECT_EQ(other->give({epoch_, 1}, done({1})), false);
  EXPECT_TRUE(reports().empty());
  EXPECT_EQ(worker_->give({epoch_, 1}, done({1})), true);
  EXPECT_EQ(worker_->give({epoch_, 1}, done({1})), false);
  EXPECT_EQ(other->give({epoch_, 1}, done({1})), false);
  EXPECT_EQ(reports().size(), 1U);
  EXPECT_EQ(worker_->give({epoch_, 99}, done({1})), false);  // never sent
}

TEST_P(FleetContract, ASecondProcessWithTheSameNameHoldsTheSameParcels) {
  open();
  send({parcel(1, {1})});
  (void)receive(*worker_);
  const auto successor = rig_->join("worker");  // reports for one that died
  EXPECT_EQ(successor->held().value().size(), 1U);
  EXPECT_EQ(successor->give({epoch_, 1}, done({1})), true);
  EXPECT_EQ(worker_->give({epoch_, 1}, done({1})), false);
}

TEST_P(FleetContract, AGivenParcelIsAReportAndNoParcel) {
  open();
  send({parcel(1, {1}), parcel(2, {2})});
  (void)receive(*worker_, 1);
  ASSERT_EQ(worker_->give({epoch_, 1}, done({1})), true);
  ASSERT_EQ(fleet_->parcels().value().size(), 1U);
  EXPECT_EQ(fleet_->parcels().value()[0].id, (ParcelId{epoch_, 2}));
  EXPECT_TRUE(fleet_->parcels().value()[0].holder.empty());
  EXPECT_TRUE(worker_->held().value().empty());
}

TEST_P(FleetContract, ReportsStayInTheirOrderUntilTheyAreDrained) {
  open();
  send({parcel(1, {1}), parcel(2, {2}), parcel(3, {3})});
  (void)receive(*worker_);
  for (const std::uint64_t number : {3U, 1U, 2U}) {
    ASSERT_EQ(worker_->give({epoch_, number}, done({number})), true);
  }
  const auto parcels_of = [](const std::vector<ParcelReport>& all) {
    Ids ids;
    for (const ParcelReport& report : all) ids.push_back(report.parcel);
    return ids;
  };
  EXPECT_EQ(parcels_of(reports(2)), (Ids{{epoch_, 3}, {epoch_, 1}}));
  EXPECT_EQ(parcels_of(reports()), (Ids{{epoch_, 3}, {epoch_, 1}, {epoch_, 2}}));
  const auto all = reports();
  const std::vector<ReportId> middle = {all[1].id};
  ASSERT_TRUE(fleet_->drain(middle));
  ASSERT_TRUE(fleet_->drain(middle));  // gone: ignored
  EXPECT_EQ(parcels_of(reports()), (Ids{{epoch_, 3}, {epoch_, 2}}));
  ASSERT_TRUE(fleet_->drain(std::vector{all[0].id, all[2].id}));
  EXPECT_TRUE(reports().empty());
}

TEST_P(FleetContract, TakesBackWhatItsHolderDoesNotConfirm) {
  open();
  send({parcel(1, {1}), parcel(2, {2}), parcel(3, {3})});
  const auto silent = rig_->join("silent");
  (void)receive(*silent, 1);
  (void)receive(*worker_, 1);  // the third waits
  rig_->pass(400ms);
  EXPECT_EQ(worker_->confirm({.name = "worker"}, std::vector<ParcelId>{{epoch_, 2}}),
            (Ids{{epoch_, 2}}));
  const auto taken = fleet_->take_back(400ms).value();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].id, (ParcelId{epoch_, 1}));
  EXPECT_EQ(taken[0].worker, "silent");
  EXPECT_GE(taken[0].idle, 400ms);
  EXPECT_EQ(silent->give({epoch_, 1}, done({1})), false);
  EXPECT_TRUE(silent->held().value().empty());
  EXPECT_EQ(fleet_->parcels().value().size(), 2U);
  EXPECT_EQ(receive(*silent), (Ids{{epoch_, 3}}));  // and it is not received again
}

TEST_P(FleetContract, ConfirmsOnlyWhatTheWorkerHolds) {
  open();
  send({parcel(1, {1}), parcel(2, {2})});
  const auto other = rig_->join("other");
  (void)receive(*worker_, 1);
  (void)receive(*other, 1);
  rig_->pass(400ms);
  const Ids asked = {{epoch_, 1}, {epoch_, 2}, {epoch_, 3}};
  EXPECT_EQ(worker_->confirm({.name = "worker"}, asked), (Ids{{epoch_, 1}}));
  const auto taken = fleet_->take_back(400ms).value();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].id, (ParcelId{epoch_, 2}));
}

TEST_P(FleetContract, AConfirmationCoversOnlyTheParcelsItNamesAndShowsTheOthers) {
  open();
  send({parcel(1, {1}), parcel(2, {2})});
  (void)receive(*worker_);
  rig_->pass(400ms);
  EXPECT_EQ(worker_->confirm({.name = "worker"}, std::vector<ParcelId>{{epoch_, 2}}),
            (Ids{{epoch_, 1}, {epoch_, 2}}));
  const auto taken = fleet_->take_back(400ms).value();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].id, (ParcelId{epoch_, 1}));
}

TEST_P(FleetContract, AnEarlierEpochHasNoEffect) {
  open();
  send({parcel(1, {1}), parcel(2, {2}), parcel(3, {3})});
  (void)receive(*worker_, 2);
  ASSERT_EQ(worker_->give({epoch_, 1}, done({1})), true);
  const auto report = reports();
  ASSERT_EQ(report.size(), 1U);

  const auto newer = rig_->connect();
  ASSERT_GT(newer->open(0).value(), epoch_);
  rig_->pass(50ms);
  EXPECT_TRUE(is_superseded(fleet_->send(std::vector{parcel(4, {4})})));
  EXPECT_TRUE(is_superseded(fleet_->drain(std::vector{report[0].id})));
  EXPECT_TRUE(is_superseded(fleet_->take_back(1ms)));
  EXPECT_TRUE(is_superseded(fleet_->recall()));
  EXPECT_TRUE(is_superseded(fleet_->roster()));
  EXPECT_EQ(newer->parcels().value().size(), 2U);
  EXPECT_EQ(newer->reports(10).value().size(), 1U);
}

TEST_P(FleetContract, ANewEpochFindsTheParcelsAndReportsOfTheOld) {
  open();
  send({parcel(1, {1}), parcel(2, {2}), parcel(3, {3})});
  (void)receive(*worker_, 2);
  ASSERT_EQ(worker_->give({epoch_, 1}, done({1})), true);
  const FleetEpoch old = epoch_;

  fleet_ = rig_->connect();
  open();
  ASSERT_EQ(fleet_->parcels().value().size(), 2U);
  EXPECT_EQ(worker_->give({old, 2}, done({2})), true);
  EXPECT_EQ(receive(*worker_), (Ids{{old, 3}}));
  EXPECT_EQ(reports().size(), 2U);
  send({parcel(1, {4})});
  EXPECT_EQ(receive(*worker_), (Ids{{epoch_, 1}}));
}

TEST_P(FleetContract, RecallsWhatNobodyHolds) {
  open();
  send({parcel(1, {1}), parcel(2, {2}), parcel(3, {3})});
  (void)receive(*worker_, 1);
  EXPECT_EQ(fleet_->recall().value(), (Ids{{epoch_, 2}, {epoch_, 3}}));
  EXPECT_EQ(receive(*worker_), Ids{});
  EXPECT_EQ(worker_->give({epoch_, 1}, done({1})), true);
  EXPECT_TRUE(fleet_->recall().value().empty());
  send({parcel(4, {4})});
  EXPECT_EQ(receive(*worker_), (Ids{{epoch_, 4}}));
}

TEST_P(FleetContract, NamesParcelsThatAreNeitherThereNorAnswered) {
  open();
  send({parcel(1, {1}), parcel(2, {2}), parcel(3, {3}), parcel(4, {4})});
  (void)receive(*worker_, 3);
  ASSERT_EQ(worker_->give({epoch_, 1}, done({1})), true);
  ASSERT_EQ(worker_->give({epoch_, 2}, done({2})), true);
  const Ids asked = {{epoch_, 1}, {epoch_, 2}, {epoch_, 3}, {epoch_, 4}, {epoch_, 5}};
  EXPECT_EQ(fleet_->missing(asked).value(), (Ids{{epoch_, 5}}));
  const auto all = reports();
  ASSERT_TRUE(fleet_->drain(std::vector{all.at(0).id}));
  EXPECT_EQ(fleet_->missing(asked).value(), (Ids{{epoch_, 1}, {epoch_, 5}}));
  EXPECT_EQ(fleet_->missing({}).value(), Ids{});
}

TEST_P(FleetContract, TheRosterShowsWhoConfirmed) {
  open();
  EXPECT_TRUE(fleet_->roster().value().empty());
  const WorkerCard card{.name = "worker", .host = "nas\n1", .places = 8, .running = {3, 5}};
  ASSERT_TRUE(worker_->confirm(card, {}));
  EXPECT_EQ(fleet_->roster().value(), std::vector{card});
  const auto other = rig_->join("other");
  ASSERT_TRUE(other->confirm({.name = "other"}, {}));
  EXPECT_EQ(fleet_->roster().value().size(), 2U);
}

TEST_P(FleetContract, ManyParcelsAreKeptApart) {
  open();
  constexpr std::uint64_t kParcels = 600;
  std::vector<FleetParcel> all;
  for (std::uint64_t n = 1; n <= kParcels; ++n) all.push_back(parcel(n, {n}));
  ASSERT_TRUE(fleet_->send(all));
  const auto other = rig_->join("other");
  std::uint64_t given = 0;
  for (int turn = 0; given < kParcels; ++turn) {
    FleetMember& member = turn % 2 == 0 ? *worker_ : *other;
    for (const ParcelId id : receive(member, 7)) {
      ASSERT_EQ(member.give(id, done({id.number})), true);
      ++given;
    }
    ASSERT_LT(turn, 1'000);
  }
  EXPECT_TRUE(fleet_->parcels().value().empty());
  std::uint64_t sum = 0;
  for (auto some = reports(50); !some.empty(); some = reports(50)) {
    std::vector<ReportId> ids;
    for (const ParcelReport& report : some) {
      ids.push_back(report.id);
      sum += report.tasks.at(0).id;
    }
    ASSERT_TRUE(fleet_->drain(ids));
  }
  EXPECT_EQ(sum, kParcels * (kParcels + 1) / 2);
}

}  // namespace
}  // namespace tidemill::testing
