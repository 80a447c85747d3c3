#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/engine/fleet_worker.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/memory_fleet.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
using testing::CallFate;

constexpr std::chrono::milliseconds kTerm = 10s;

class OneFate final : public testing::FleetNetwork {
 public:
  [[nodiscard]] CallFate next() override { return fate; }
  [[nodiscard]] std::chrono::milliseconds delay() override { return 1s; }
  CallFate fate = CallFate::delivered;
};

struct OneWorker : ::testing::Test {
  OneWorker() { epoch = fleet->open(0).value(); }

  void send(std::uint64_t number, std::vector<FleetTask> tasks) {
    const std::vector<FleetParcel> parcels = {
        {.id = {.epoch = epoch, .number = number}, .tasks = std::move(tasks)}};
    ASSERT_TRUE(fleet->send(parcels));
  }
  void step() { ASSERT_TRUE(worker.step(clock.now())); }
  TaskId start() {
    const auto task = worker.start(clock.now());
    return task ? task->id : 0;
  }
  void end(TaskId id) { worker.end({.id = id, .end = TaskEnd::done}); }
  [[nodiscard]] std::vector<ParcelReport> reports() { return fleet->reports(100).value(); }

  testing::FakeClock clock;
  testing::PerfectNetwork perfect;
  OneFate network;
  testing::MemoryFleet server{clock};
  std::unique_ptr<Fleet> fleet = server.connect(perfect);
  std::unique_ptr<FleetMember> member = server.join("w", network);
  FleetWorker worker{{.name = "w", .host = "h", .places = 2, .term = kTerm}, *member};
  FleetEpoch epoch = 0;
};

TEST_F(OneWorker, StartsAsManyTasksAsItHasPlacesAndReportsWhenTheLastEnded) {
  send(1, {{.id = 1}, {.id = 2}, {.id = 3}});
  step();
  EXPECT_EQ(start(), 1U);
  EXPECT_EQ(start(), 2U);
  EXPECT_EQ(start(), 0U);
  end(2);
  EXPECT_EQ(start(), 3U);
  end(1);
  step();
  EXPECT_TRUE(reports().empty());
  end(3);
  step();
  ASSERT_EQ(reports().size(), 1U);
  EXPECT_EQ(reports()[0].tasks.size(), 3U);
  EXPECT_TRUE(worker.is_empty());
}

TEST_F(OneWorker, StartsNothingWithoutRecentContact) {
  send(1, {{.id = 1}, {.id = 2}});
  step();
  network.fate = CallFate::request_lost;
  clock.advance(8s);
  EXPECT_EQ(start(), 1U);
  clock.advance(1ms);
  step();
  EXPECT_EQ(start(), 0U);
  network.fate = CallFate::delivered;
  step();
  EXPECT_EQ(start(), 2U);
}

TEST_F(OneWorker, SaysWhenItHasToConfirmAgain) {
  send(1, {{.id = 1}});
  step();
  EXPECT_EQ(worker.next_confirm(), clock.now() + kTerm / 3);
  clock.advance(kTerm / 3);
  network.fate = CallFate::request_lost;
  step();
  EXPECT_LE(worker.next_confirm(), clock.now());
  network.fate = CallFate::delivered;
  step();
  EXPECT_EQ(worker.next_confirm(), clock.now() + kTerm / 3);
}

TEST_F(OneWorker, RunsASuspectAlone) {
  send(1, {{.id = 1}});
  send(2, {{.id = 2, .crashes = 1}});
  send(3, {{.id = 3}});
  step();
  EXPECT_EQ(start(), 1U);
  EXPECT_EQ(start(), 0U);  // the suspect waits for the end of the first
  end(1);
  EXPECT_EQ(start(), 2U);
  step();
  EXPECT_EQ(start(), 0U);  // and the others for the end of the suspect
  end(2);
  step();
  EXPECT_EQ(start(), 3U);
}

TEST_F(OneWorker, SaysThatASuspectWaitsOrRuns) {
  send(1, {{.id = 1}});
  send(2, {{.id = 2, .crashes = 1}});
  EXPECT_FALSE(worker.has_suspect());
  step();
  EXPECT_EQ(start(), 1U);
  EXPECT_TRUE(worker.has_suspect());
  end(1);
  EXPECT_EQ(start(), 2U);
  EXPECT_TRUE(worker.has_suspect());
  EXPECT_EQ(worker.running(), 1U);
  end(2);
  EXPECT_FALSE(worker.has_suspect());
}

// Parcels that come by another way end the pause.
TEST_F(OneWorker, DoesNotAskAgainWhileItPauses) {
  FleetWorker pausing({.name = "w", .places = 2, .term = 10s, .poll = 100ms}, *member);
  const auto tasks_after = [&](std::chrono::milliseconds time) {
    clock.advance(time);
    EXPECT_TRUE(pausing.step(clock.now()));
    return pausing.in_hand().size();
  };
  EXPECT_EQ(tasks_after(0ms), 0U);
  send(1, {{.id = 1}});
  EXPECT_EQ(tasks_after(99ms), 0U);
  EXPECT_EQ(tasks_after(1ms), 1U);
  EXPECT_EQ(tasks_after(1ms), 1U);  // nothing more there: it pauses
  send(2, {{.id = 2}});
  pausing.deliver({});
  EXPECT_EQ(tasks_after(1ms), 2U);
}

TEST_F(OneWorker, ReturnsTheRestOfAParcelWhoseReportIsLarge) {
  FleetWorker worker({.name = "w", .places = 1, .term = 10s, .report_bytes = Bytes{10}}, *member);
  send(1, {{.id = 1}, {.id = 2}, {.id = 3}});
  ASSERT_TRUE(worker.step(clock.now()));
  ASSERT_EQ(worker.start(clock.now())->id, 1U);
  worker.end({.id = 1, .end = TaskEnd::done, .text = std::string(10, 'x')});
  ASSERT_EQ(worker.start(clock.now())->id, 2U);
  worker.end({.id = 2, .end = TaskEnd::done, .text = "y"});
  ASSERT_TRUE(worker.step(clock.now()));
  const auto given = reports();
  ASSERT_EQ(given.size(), 1U);
  const auto& tasks = given[0].tasks;
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(tasks[1].end, TaskEnd::done);
  EXPECT_EQ(tasks[2].id, 3U);
  EXPECT_EQ(tasks[2].end, TaskEnd::returned);
}

TEST_F(OneWorker, LosesWhatWasTakenBack) {
  send(1, {{.id = 1}, {.id = 2}});
  step();
  EXPECT_EQ(start(), 1U);
  clock.advance(20s);
  ASSERT_EQ(fleet->take_back(10s).value().size(), 1U);
  step();
  EXPECT_EQ(worker.take_lost(), (std::vector<TaskId>{1}));
  EXPECT_TRUE(worker.take_lost().empty());
  EXPECT_EQ(start(), 0U);
  end(1);  // too late
  step();
  EXPECT_TRUE(reports().empty());
  EXPECT_EQ(worker.counts().lost, 1U);
  EXPECT_EQ(worker.counts().refused, 1U);
}

TEST_F(OneWorker, LosesNoWorkWithAParcelThatItHasNotStarted) {
  send(1, {{.id = 1}});
  step();
  clock.advance(20s);
  ASSERT_EQ(fleet->take_back(10s).value().size(), 1U);
  step();
  EXPECT_EQ(worker.counts().lost, 1U);
  EXPECT_EQ(worker.counts().refused, 0U);
}

TEST_F(OneWorker, FindsAParcelWhoseDeliveryWasLost) {
  step();
  send(1, {{.id = 1}});
  network.fate = CallFate::reply_lost;
  step();
  EXPECT_EQ(start(), 0U);
  network.fate = CallFate::delivered;
  step();
  EXPECT_EQ(start(), 1U);
}

TEST_F(OneWorker, GivesAReportAgainUntilItKnowsTheAnswer) {
  send(1, {{.id = 1}});
  step();
  EXPECT_EQ(start(), 1U);
  end(1);
  network.fate = CallFate::request_lost;
  step();
  EXPECT_FALSE(worker.is_empty());
  network.fate = CallFate::delivered;
  step();
  EXPECT_TRUE(worker.is_empty());
  EXPECT_EQ(reports().size(), 1U);
}

TEST_F(OneWorker, DropsEverythingWhenTheFleetHasForgottenTheRun) {
  send(1, {{.id = 1}});
  step();
  EXPECT_EQ(start(), 1U);
  server.forget();
  clock.advance(4s);
  step();
  EXPECT_EQ(worker.take_lost(), (std::vector<TaskId>{1}));
  EXPECT_TRUE(worker.is_empty());
}

TEST_F(OneWorker, HandsBackWhatItHasNotStarted) {
  send(1, {{.id = 1}, {.id = 2}, {.id = 3}});
  step();
  EXPECT_EQ(start(), 1U);
  worker.hand_back();
  EXPECT_EQ(start(), 0U);
  end(1);
  step();
  ASSERT_EQ(reports().size(), 1U);
  EXPECT_EQ(reports()[0].tasks[0].end, TaskEnd::returned);
  EXPECT_EQ(reports()[0].tasks[2].end, TaskEnd::done);
  send(2, {{.id = 4}});
  step();
  EXPECT_TRUE(worker.is_empty());
}

TEST_F(OneWorker, HandsBackWhatWasDeliveredWithoutItsKnowledge) {
  step();
  send(1, {{.id = 1}});
  network.fate = CallFate::reply_lost;
  step();
  worker.hand_back();
  network.fate = CallFate::delivered;
  step();
  step();
  ASSERT_EQ(reports().size(), 1U);
  EXPECT_EQ(reports()[0].tasks[0].end, TaskEnd::returned);
}

TEST_F(OneWorker, TheLastReportBlamesOnlyWhatWasRunning) {
  send(1, {{.id = 1}, {.id = 2}, {.id = 3}});
  step();
  EXPECT_EQ(start(), 1U);
  EXPECT_EQ(start(), 2U);
  end(1);
  const auto in_hand = worker.in_hand();
  ASSERT_EQ(in_hand.size(), 1U);
  const auto report = last_report(in_hand[0]);
  ASSERT_EQ(report.size(), 3U);
  EXPECT_EQ(report[0].end, TaskEnd::done);
  EXPECT_EQ(report[1].end, TaskEnd::crashed);
  EXPECT_EQ(report[1].id, 2U);
  EXPECT_EQ(report[2].end, TaskEnd::returned);
}

}  // namespace
}  // namespace tidemill::engine
