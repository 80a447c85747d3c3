// Servers that forget, are killed, freeze or run out of memory: no task is lost, and each is in the
// journal once.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/dice.h"
#include "tidemill/engine/fleet_dispatcher.h"
#include "tidemill/engine/fleet_worker.h"
#include "tidemill/engine/memory_journal.h"
#include "tidemill/state/fleet/redis_fleet_rig.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/redis_fleet.h"

namespace tidemill::fleet {
namespace {

using engine::Entry;
using engine::FleetEpoch;
using engine::FleetParcel;
using engine::is_forgotten;
using engine::is_unknown;
using engine::ParcelId;
using engine::TaskEnd;
using engine::TaskId;
using engine::TaskRecord;
using engine::TaskReport;
using testing::eventually;
using namespace std::chrono_literals;

using Ids = std::vector<ParcelId>;

const std::vector<TaskReport> kDone = {{.id = 1, .end = TaskEnd::done, .text = "ok"}};

// The journal refuses a second outcome of a task: then the dispatcher fails.
class KeptJournal final : public engine::FleetJournal {
 public:
  [[nodiscard]] Result<FleetEpoch> epoch() override { return epoch_; }
  [[nodiscard]] Result<void> record(FleetEpoch epoch) override {
    EXPECT_GT(epoch, epoch_);
    epoch_ = epoch;
    return {};
  }
  [[nodiscard]] Result<std::optional<TaskRecord>> task(TaskId id) override {
    return tasks.task(id);
  }
  [[nodiscard]] Result<void> commit(std::span<const Entry> entries,
                                    std::span<const TaskReport* const>) override {
    return tasks.commit(entries);
  }

  engine::MemoryJournal tasks;

 private:
  FleetEpoch epoch_ = 0;
};

// A dispatcher and a worker that run all tasks of a journal, round by round.
class SmallRun {
 public:
  static constexpr TaskId kTasks = 600;

  SmallRun(engine::Fleet& fleet, engine::FleetMember& member)
      : dispatcher_({.parcel_tasks = 5, .term = 3s, .look_every = 1s}, fleet, journal_, dice_),
        worker_({.name = "worker", .places = 8, .term = 3s}, member) {
    for (TaskId id = 1; id <= kTasks; ++id) {
      EXPECT_TRUE(journal_.tasks.commit(std::vector<Entry>{engine::Found{.id = id}}));
    }
    const auto pending = journal_.tasks.pending(0, kTasks);
    for (const TaskRecord& task : *pending) {
      dispatcher_.add(task, "p" + std::to_string(task.id));
    }
    dispatcher_.add_no_more();
  }

  // False: one of them gave up.
  [[nodiscard]] bool round() {
    clock_.advance(100ms);
    const auto stepped = dispatcher_.step(clock_.now(), clock_.wall());
    const auto worked = worker_.step(clock_.now());
    EXPECT_TRUE(stepped) << text_of(stepped.error());
    EXPECT_TRUE(worked) << text_of(worked.error());
    (void)worker_.take_lost();
    while (const auto task = worker_.start(clock_.now())) {
      EXPECT_EQ(task->payload, "p" + std::to_string(task->id));
      worker_.end({.id = task->id,
                   .attempt = task->attempt,
                   .crashes = task->crashes,
                   .end = TaskEnd::done,
                   .text = "ok",
                   .took = 1ms});
      ++started_;
    }
    return stepped && worked;
  }

  [[nodiscard]] bool is_finished() const { return dispatcher_.is_finished(); }
  [[nodiscard]] std::uint64_t started() const { return started_; }
  [[nodiscard]] const engine::DispatcherCounts& counts() const { return dispatcher_.counts(); }
  [[nodiscard]] std::uint64_t done() const { return journal_.tasks.tally()->done(); }

  // Runs until the end; `disturb` is called before each round with its number.
  void finish(const std::function<void(int)>& disturb) {
    for (int i = 0; !is_finished(); ++i) {
      ASSERT_LT(i, 5'000) << "done: " << done();
      disturb(i);
      ASSERT_TRUE(round());
    }
    EXPECT_EQ(done(), kTasks);
    EXPECT_EQ(journal_.tasks.tally()->found(), kTasks);
  }

 private:
  testing::FakeClock clock_;
  SeededDice dice_{1};
  KeptJournal journal_;
  engine::FleetDispatcher dispatcher_;
  engine::FleetWorker worker_;
  std::uint64_t started_ = 0;
};

class LossyServer : public ::testing::Test {
 protected:
  void SetUp() override { TIDEMILL_NEEDS_REDIS(); }
  void start(testing::RedisOptions options = {.on_socket = true}) {
    rig_.emplace(new_key(), std::move(options));
    fleet_ = rig_->dispatcher();
    worker_ = rig_->member("worker");
  }
  void open() { epoch_ = fleet_->open(0).value(); }
  [[nodiscard]] std::vector<FleetParcel> one(std::uint64_t number) const {
    return {{.id = {.epoch = epoch_, .number = number}, .tasks = {{.id = number}}}};
  }
  [[nodiscard]] static bool is_unknown_answer(const auto& answer) {
    return !answer && is_unknown(answer.error());
  }
  [[nodiscard]] static bool is_unknown_run(const auto& answer) {
    return !answer && is_forgotten(answer.error());
  }
  [[nodiscard]] const FleetRunKeys& keys() const { return rig_->keys; }

  std::optional<RedisFleetRig> rig_;
  std::unique_ptr<RedisFleet> fleet_;
  std::unique_ptr<RedisFleetMember> worker_;
  FleetEpoch epoch_ = 0;
};

TEST_F(LossyServer, ARunGoesOnWhenTheServerForgetsEverything) {
  start();
  SmallRun run(*fleet_, *worker_);
  run.finish([&](int round) {
    if (round == 2 || round == 5 || round == 8 || round == 11) rig_->forget();
  });
  EXPECT_EQ(run.counts().opened, 5U);
  EXPECT_GE(run.started(), SmallRun::kTasks);
}

// As if the server evicted them: after each of these, and again and again.
TEST_F(LossyServer, ARunGoesOnWhenSingleKeysAreGone) {
  start();
  const FleetRunKeys& names = keys();
  for (const std::string& key :
       {names.parcels, names.epoch, names.reports, names.workers, names.forged}) {
    rig_->forget();
    SmallRun run(*fleet_, *worker_);
    run.finish([&](int round) {
      if (round % 4 == 2 && round < 30) (void)rig_->call({"DEL", key});
    });
    EXPECT_GE(run.counts().opened, key == names.parcels ? 2U : 1U) << key;
  }
  SmallRun run(*fleet_, *worker_);
  rig_->forget();
  const std::string all[] = {names.parcels, names.epoch, names.reports, names.workers};
  run.finish([&](int round) {
    if (round < 40) (void)rig_->call({"DEL", all[static_cast<std::size_t>(round) % 4]});
  });
}

TEST_F(LossyServer, ARunGoesOnAfterACrashOfTheServer) {
  for (const bool keeps : {false, true}) {
    start({.on_socket = true, .keeps = keeps});
    SmallRun run(*fleet_, *worker_);
    run.finish([&](int round) {
      if (round == 4) rig_->server.kill();
      if (round == 9) rig_->server.restart();
      if (round == 12) rig_->server.restart();
    });
    EXPECT_GT(run.counts().unknown_answers, 3U);
    EXPECT_EQ(run.counts().opened, keeps ? 1U : 3U);
  }
}

TEST_F(LossyServer, AnAppendOnlyFileKeepsParcelsHoldersAndReports) {
  start({.on_socket = true, .keeps = true});
  open();
  for (const std::uint64_t number : {1U, 2U, 3U}) ASSERT_TRUE(fleet_->send(one(number)));
  ASSERT_EQ(worker_->receive(2).value().size(), 2U);
  ASSERT_EQ(worker_->give({epoch_, 1}, kDone), true);
  rig_->server.restart();
  EXPECT_TRUE(is_unknown_answer(worker_->give({epoch_, 2}, kDone)));  // the connection is gone
  EXPECT_TRUE(is_unknown_answer(fleet_->reports(10)));
  EXPECT_EQ(worker_->give({epoch_, 1}, kDone), false);
  EXPECT_EQ(worker_->give({epoch_, 2}, kDone), true);
  EXPECT_EQ(fleet_->reports(10).value().size(), 2U);
  EXPECT_EQ(worker_->receive(10).value().at(0).id, (ParcelId{epoch_, 3}));
  ASSERT_TRUE(fleet_->send(one(4)));
}

TEST_F(LossyServer, AServerWithoutAFileForgetsTheRun) {
  start();
  open();
  ASSERT_TRUE(fleet_->send(one(1)));
  rig_->server.restart();
  EXPECT_TRUE(is_unknown_answer(fleet_->send(one(2))));
  EXPECT_TRUE(is_unknown_run(fleet_->send(one(3))));
  EXPECT_TRUE(is_unknown_run(fleet_->missing({})));
  const FleetEpoch before = epoch_;
  epoch_ = fleet_->open(before).value();
  EXPECT_GT(epoch_, before);
}

// What Slack ran into: a queue that needs memory to get rid of what fills the memory.
TEST_F(LossyServer, AServerWithoutMemoryCanBeEmptied) {
  start();
  open();
  for (const std::uint64_t number : {1U, 2U, 3U}) ASSERT_TRUE(fleet_->send(one(number)));
  ASSERT_EQ(worker_->receive(2).value().size(), 2U);
  ASSERT_EQ(worker_->give({epoch_, 1}, kDone), true);
  ASSERT_FALSE(rig_->call({"CONFIG", "SET", "maxmemory", "1"}).is_error());

  EXPECT_TRUE(is_unknown_answer(fleet_->send(one(4))));
  EXPECT_TRUE(is_unknown_answer(worker_->give({epoch_, 2}, kDone)));
  const auto reports = fleet_->reports(10).value();
  ASSERT_EQ(reports.size(), 1U);  // the refused one left nothing behind
  EXPECT_EQ(worker_->held().value().size(), 1U);
  EXPECT_EQ(worker_->receive(1).value().size(), 1U);
  EXPECT_EQ(worker_->confirm({.name = "worker"}, Ids{{epoch_, 2}}).value().size(), 2U);
  EXPECT_TRUE(rig_->member("idle")->confirm({.name = "idle"}, {}));  // holds nothing
  EXPECT_EQ(fleet_->roster().value().size(), 2U);
  EXPECT_EQ(fleet_->missing(Ids{{epoch_, 2}, {epoch_, 9}}).value(), (Ids{{epoch_, 9}}));
  ASSERT_TRUE(fleet_->open(epoch_));  // a dispatcher that is resumed can drain
  ASSERT_TRUE(fleet_->drain(std::vector{reports[0].id}));
  EXPECT_TRUE(fleet_->reports(10).value().empty());

  ASSERT_FALSE(rig_->call({"CONFIG", "SET", "maxmemory", "0"}).is_error());
  EXPECT_EQ(worker_->give({epoch_, 2}, kDone), true);
}

TEST_F(LossyServer, ForgedEntriesAreRemovedFromAServerWithoutMemory) {
  start();
  open();
  (void)rig_->call({"XADD", keys().parcels, "*", "t", "x"});
  (void)rig_->call({"XADD", keys().reports, "*", "r", "x"});
  ASSERT_FALSE(rig_->call({"CONFIG", "SET", "maxmemory", "1"}).is_error());
  EXPECT_TRUE(fleet_->reports(10).value().empty());
  EXPECT_TRUE(worker_->receive(10).value().empty());
  EXPECT_EQ(fleet_->forged(), 1U);
  EXPECT_EQ(worker_->forged(), 1U);
}

TEST_F(LossyServer, ARunGoesOnWhenTheMemoryIsShortForAWhile) {
  start();
  SmallRun run(*fleet_, *worker_);
  run.finish([&](int round) {
    if (round == 4) (void)rig_->call({"CONFIG", "SET", "maxmemory", "1"});
    if (round == 60) (void)rig_->call({"CONFIG", "SET", "maxmemory", "0"});
  });
  EXPECT_GT(run.counts().unknown_answers, 0U);
  EXPECT_EQ(run.counts().opened, 1U);
}

// The delivery is in the worker's name, but its answer was lost.
TEST_F(LossyServer, HeldFindsWhatAFrozenServerDelivered) {
  start();
  open();
  ASSERT_TRUE(fleet_->send(one(1)));
  const auto hasty = rig_->member("hasty", 1s);
  ASSERT_TRUE(hasty->held().value().empty());  // connected
  rig_->server.freeze();
  const auto received = hasty->receive(1);
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().kind, FailureKind::timed_out);
  EXPECT_TRUE(is_unknown(received.error()));
  rig_->server.thaw();
  const auto patient = rig_->member("hasty");  // the same process, with a longer timeout
  EXPECT_TRUE(eventually([&] { return patient->held().value().size() == 1; }));
  EXPECT_EQ(patient->give({epoch_, 1}, kDone), true);
}

TEST_F(LossyServer, AGiveWithoutAnAnswerMayHaveSucceeded) {
  start();
  open();
  ASSERT_TRUE(fleet_->send(one(1)));
  const auto hasty = rig_->member("hasty", 1s);
  ASSERT_EQ(hasty->receive(1).value().size(), 1U);
  ASSERT_EQ(hasty->give({epoch_, 2}, kDone), false);  // the server has the script now
  rig_->server.freeze();
  EXPECT_TRUE(is_unknown_answer(hasty->give({epoch_, 1}, kDone)));
  rig_->server.thaw();
  EXPECT_TRUE(eventually([&] { return fleet_->reports(10).value().size() == 1; }));
  const auto patient = rig_->member("hasty");
  EXPECT_EQ(patient->give({epoch_, 1}, kDone), false);
  EXPECT_EQ(fleet_->reports(10).value().size(), 1U);
}

TEST_F(LossyServer, AWrongPasswordIsNotTriedForEver) {
  start({.on_socket = true, .password = "right"});
  EXPECT_EQ(fleet_->open(0).error().cure, Cure::give_up);
  EXPECT_EQ(worker_->receive(1).error().cure, Cure::give_up);
}

// The replica may be behind: what it has not heard of is sent again.
TEST_F(LossyServer, ARunGoesOnAfterAFailover) {
  testing::RedisSentinels servers;
  const SystemClock clock;
  const redis::ClientOptions client{
      .address = *redis::parse_address(servers.url(), redis::Origin::hidden), .timeout = 2s};
  const FleetPlace place{.fleet = "mill", .run = "run-1", .key = new_key()};
  const auto fleet = RedisFleet::make(client, place, clock).value();
  const auto of_worker = redis::Client::make(client, clock).value();
  RedisFleetMember member(*of_worker, place, "worker");
  SmallRun run(*fleet, member);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(run.round());
  ASSERT_FALSE(run.is_finished());
  servers.second().freeze();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run.round());
  ASSERT_FALSE(run.is_finished());
  servers.first().kill();
  servers.second().thaw();
  ASSERT_TRUE(eventually([&] { return !run.round() || run.is_finished(); }));
  EXPECT_EQ(run.done(), SmallRun::kTasks);
}

}  // namespace
}  // namespace tidemill::fleet
