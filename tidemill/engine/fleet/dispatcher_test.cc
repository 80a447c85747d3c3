#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/dice.h"
#include "tidemill/engine/fleet_dispatcher.h"
#include "tidemill/engine/memory_journal.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/memory_fleet.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
using testing::CallFate;

class OpenJournal final : public FleetJournal {
 public:
  [[nodiscard]] Result<FleetEpoch> epoch() override {
    if (owner_is_other) return superseded();
    return recorded;
  }
  [[nodiscard]] Result<void> record(FleetEpoch epoch) override {
    recorded = epoch;
    return {};
  }
  [[nodiscard]] Result<std::optional<TaskRecord>> task(TaskId id) override {
    return tasks.task(id);
  }
  [[nodiscard]] Result<void> commit(std::span<const Entry> entries,
                                    std::span<const TaskReport* const> reports) override {
    if (owner_is_other) return superseded();
    ++commits;
    EXPECT_EQ(reports.size(), entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(reports[i]->id, task_of(entries[i]));
    }
    return tasks.commit(entries);
  }

  MemoryJournal tasks;
  FleetEpoch recorded = 0;
  int commits = 0;
  bool owner_is_other = false;

 private:
  static std::unexpected<Failure> superseded() {
    return fail(Cure::give_up, FailureKind::superseded, "journal", "another process owns it");
  }
};

class SwitchedNetwork final : public testing::FleetNetwork {
 public:
  [[nodiscard]] CallFate next() override {
    if (lost_calls > 0)
      --lost_calls;
    else if (is_up)
      return CallFate::delivered;
    return CallFate::request_lost;
  }
  [[nodiscard]] std::chrono::milliseconds delay() override { return 1s; }
  bool is_up = true;
  int lost_calls = 0;
};

struct OneDispatcher : ::testing::Test {
  void find(TaskId count) {
    for (TaskId id = 1; id <= count; ++id) {
      ASSERT_TRUE(journal.tasks.commit(std::vector<Entry>{Found{.id = id}}));
    }
  }
  void add_all(FleetDispatcher& to) {
    const auto pending = journal.tasks.pending(0, 1'000).value();
    for (const TaskRecord& task : pending) {
      to.add(task, "p" + std::to_string(task.id));
    }
    to.add_no_more();
  }
  [[nodiscard]] Result<void> step(FleetDispatcher& of) {
    return of.step(clock.now(), clock.wall());
  }
  [[nodiscard]] static bool is_superseded(const Result<void>& stepped) {
    return !stepped && stepped.error().kind == FailureKind::superseded;
  }
  [[nodiscard]] std::unique_ptr<FleetDispatcher> dispatcher_on(Fleet& other) {
    return std::make_unique<FleetDispatcher>(DispatcherOptions{.term = 10s, .look_every = 2s},
                                             other, journal, dice);
  }
  // A worker that does everything at once.
  void work(std::chrono::microseconds took = 1ms) {
    const auto parcels = worker->receive(100).value();
    for (const FleetParcel& parcel : parcels) {
      std::vector<TaskReport> reports;
      for (const FleetTask& task : parcel.tasks) {
        reports.push_back({.id = task.id, .end = TaskEnd::done, .text = "r", .took = took});
      }
      ASSERT_EQ(worker->give(parcel.id, reports), true);
    }
  }
  [[nodiscard]] Tally tally() const { return journal.tasks.tally().value(); }

  testing::FakeClock clock;
  SwitchedNetwork network;
  testing::PerfectNetwork perfect;
  testing::MemoryFleet server{clock};
  std::unique_ptr<Fleet> fleet = server.connect(network);
  std::unique_ptr<FleetMember> worker = server.join("w", perfect);
  OpenJournal journal;
  SeededDice dice{1};
  std::unique_ptr<FleetDispatcher> dispatcher = dispatcher_on(*fleet);
};

TEST_F(OneDispatcher, SettlesEveryTask) {
  find(50);
  add_all(*dispatcher);
  ASSERT_TRUE(worker->receive(1).error().kind == FailureKind::not_found);
  for (int i = 0; i < 60 && !dispatcher->is_finished(); ++i) {
    ASSERT_TRUE(step(*dispatcher));
    work();
    clock.advance(10ms);
  }
  EXPECT_TRUE(dispatcher->is_finished());
  EXPECT_TRUE(dispatcher->has_landed());
  EXPECT_EQ(tally().done(), 50U);
  EXPECT_EQ(server.sizes().reports, 0U);
  EXPECT_GT(journal.recorded, 0U);
}

TEST_F(OneDispatcher, CommitsBeforeItDrains) {
  find(1);
  add_all(*dispatcher);
  ASSERT_TRUE(step(*dispatcher));
  work();
  journal.owner_is_other = true;
  EXPECT_TRUE(is_superseded(step(*dispatcher)));
  EXPECT_EQ(server.sizes().reports, 1U);
}

TEST_F(OneDispatcher, DoesNotOpenTheFleetWithoutItsJournal) {
  journal.owner_is_other = true;
  EXPECT_TRUE(is_superseded(step(*dispatcher)));
  EXPECT_EQ(fleet->parcels().error().kind, FailureKind::not_found);
}

TEST_F(OneDispatcher, SendsAgainWhatTheFleetForgot) {
  find(1);
  add_all(*dispatcher);
  ASSERT_TRUE(step(*dispatcher));
  server.forget();
  clock.advance(1s);
  ASSERT_TRUE(step(*dispatcher));  // learns of it
  ASSERT_TRUE(step(*dispatcher));
  EXPECT_EQ(dispatcher->counts().parcels_missing, 1U);
  work();
  ASSERT_TRUE(step(*dispatcher));
  EXPECT_TRUE(dispatcher->is_finished());
}

TEST_F(OneDispatcher, TakesBackOnlyAfterATermOfAnswers) {
  find(1);
  add_all(*dispatcher);
  ASSERT_TRUE(step(*dispatcher));
  ASSERT_EQ(worker->receive(1).value().size(), 1U);
  network.is_up = false;
  clock.advance(1h);
  ASSERT_TRUE(step(*dispatcher));
  network.is_up = true;
  network.lost_calls = 2;  // so that the first answer could be that of take_back()
  ASSERT_TRUE(step(*dispatcher));
  EXPECT_EQ(dispatcher->counts().parcels_taken_back, 0U);
  for (int i = 0; i < 9; ++i) {
    clock.advance(1s);
    ASSERT_TRUE(step(*dispatcher));
    EXPECT_EQ(dispatcher->counts().parcels_taken_back, 0U) << i;
  }
  clock.advance(2s);
  ASSERT_TRUE(step(*dispatcher));
  EXPECT_EQ(dispatcher->counts().parcels_taken_back, 1U);
  EXPECT_EQ(dispatcher->counts().parcels_sent, 2U);  // again, at once
}

TEST_F(OneDispatcher, LooksForMissingParcelsSoonAfterALostAnswer) {
  find(1);
  ASSERT_TRUE(step(*dispatcher));
  const auto empty = server.remember();
  add_all(*dispatcher);
  ASSERT_TRUE(step(*dispatcher));
  server.roll_back(*empty);  // the parcel is gone; the next look is in two seconds
  clock.advance(300ms);
  ASSERT_TRUE(step(*dispatcher));
  EXPECT_EQ(dispatcher->counts().parcels_missing, 0U);
  network.is_up = false;
  ASSERT_TRUE(step(*dispatcher));
  network.is_up = true;
  clock.advance(300ms);
  ASSERT_TRUE(step(*dispatcher));
  EXPECT_EQ(dispatcher->counts().parcels_missing, 1U);
  EXPECT_EQ(server.sizes().parcels, 1U);
}

TEST_F(OneDispatcher, ASuccessorAdoptsParcelsAndReports) {
  find(2);
  add_all(*dispatcher);
  ASSERT_TRUE(step(*dispatcher));
  ASSERT_EQ(server.sizes().parcels, 2U);
  const auto first = worker->receive(1).value();
  ASSERT_EQ(worker->give(first.at(0).id, std::vector<TaskReport>{{.id = 1, .end = TaskEnd::done}}),
            true);

  const auto connection = server.connect(network);
  const auto successor = dispatcher_on(*connection);
  add_all(*successor);
  ASSERT_TRUE(step(*successor));
  EXPECT_EQ(tally().done(), 1U);
  EXPECT_EQ(successor->counts().parcels_adopted, 1U);
  EXPECT_EQ(successor->counts().parcels_sent, 0U);
  work();
  ASSERT_TRUE(step(*successor));
  EXPECT_TRUE(successor->is_finished());
  clock.advance(3s);  // the first one misses its parcels, and sends again
  EXPECT_TRUE(is_superseded(step(*dispatcher)));
}

TEST_F(OneDispatcher, NoticesThatItWasReplacedWithNothingToSend) {
  find(1);
  add_all(*dispatcher);
  ASSERT_TRUE(step(*dispatcher));
  ASSERT_EQ(worker->receive(1).value().size(), 1U);
  const auto connection = server.connect(network);
  const auto successor = dispatcher_on(*connection);
  ASSERT_TRUE(step(*successor));
  clock.advance(1s);
  EXPECT_TRUE(is_superseded(step(*dispatcher)));
}

TEST_F(OneDispatcher, ACommitWithTwoReportsOfATaskHasItOnce) {
  find(1);
  add_all(*dispatcher);
  ASSERT_TRUE(step(*dispatcher));
  const auto parcel = worker->receive(1).value().at(0);
  const TaskReport died{
      .id = 1, .end = TaskEnd::failed, .failure = {.cure = Cure::give_up, .step = "s"}};
  const TaskReport done{.id = 1, .end = TaskEnd::done};
  ASSERT_EQ(worker->give(parcel.id, std::vector{died, done}), true);
  ASSERT_TRUE(step(*dispatcher));
  EXPECT_EQ(tally().dead(), 1U);
  EXPECT_EQ(dispatcher->counts().stale_reports, 1U);
}

// A worker with one place: long parcels travel two at a time, short ones in a larger window.
TEST_F(OneDispatcher, SendsMoreParcelsAheadIfTheyAreShort) {
  constexpr TaskId kTasks = 20'000;
  find(kTasks);
  const auto pending = journal.tasks.pending(0, kTasks).value();
  for (const TaskRecord& task : pending) dispatcher->add(task, "");
  ASSERT_TRUE(step(*dispatcher));
  ASSERT_TRUE(worker->confirm({.name = "w", .places = 1}, {}));
  const auto in_flight = [&](std::chrono::microseconds took) {
    for (int i = 0; i < 3; ++i) {
      work(took);
      clock.advance(1s);
      EXPECT_TRUE(worker->confirm({.name = "w", .places = 1}, {}));
      EXPECT_TRUE(step(*dispatcher));
    }
    return server.connect(perfect)->parcels().value().size();
  };
  EXPECT_EQ(in_flight(1h), 2U);
  EXPECT_EQ(in_flight(0us), 2U);  // the long ones still count
  dispatcher = dispatcher_on(*fleet);
  for (const TaskRecord& task : pending) dispatcher->add(task, "");
  EXPECT_EQ(in_flight(0us), 16U);
}

TEST_F(OneDispatcher, StopsInOrder) {
  find(3);
  add_all(*dispatcher);
  ASSERT_TRUE(step(*dispatcher));
  ASSERT_EQ(worker->receive(1).value().size(), 1U);
  dispatcher->stop_sending();
  clock.advance(1s);
  ASSERT_TRUE(step(*dispatcher));
  EXPECT_EQ(server.sizes().parcels, 1U);  // the one that is held
  EXPECT_FALSE(dispatcher->has_landed());
  const auto held = worker->held().value().at(0);
  ASSERT_EQ(worker->give(held.id, std::vector<TaskReport>{{.id = 1, .end = TaskEnd::done}}), true);
  ASSERT_TRUE(step(*dispatcher));
  EXPECT_TRUE(dispatcher->has_landed());
  EXPECT_FALSE(dispatcher->is_finished());
  EXPECT_EQ(server.sizes().parcels, 0U);
  EXPECT_EQ(tally().done(), 1U);
}

}  // namespace
}  // namespace tidemill::engine
