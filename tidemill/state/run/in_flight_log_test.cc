#include "tidemill/state/run/in_flight_log.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

namespace tidemill::run {
namespace {

using engine::Died;
using engine::Done;
using engine::Skipped;
using engine::TaskId;

class InFlightLogTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<InFlightLog> make(std::size_t workers = 2,
                                                  std::size_t outcomes = 8) {
    return InFlightLog::make({.path = path_,
                              .epoch = 5,
                              .boot = "boot",
                              .workers = workers,
                              .outcomes = outcomes})
        .value();
  }
  [[nodiscard]] std::vector<TaskId> finished() const {
    std::vector<TaskId> ids;
    const auto reading = InFlightLog::read(path_).value();
    for (const auto& entry : reading.outcomes) ids.push_back(engine::task_of(entry));
    return ids;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ = ::testing::TempDir() + "slate-" + std::to_string(::getpid()) +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(InFlightLogTest, RecordsRunningAndFinishedTasks) {
  const auto in_flight = make();
  in_flight->takes(0, 11);
  in_flight->takes(1, 12);
  in_flight->finish(Done{.id = 12, .attempts = 2, .result = "34"});
  in_flight->takes(1, 0);
  const auto reading = InFlightLog::read(path_).value();
  EXPECT_EQ(reading.epoch, 5U);
  EXPECT_EQ(reading.boot, "boot");
  EXPECT_EQ(reading.in_hand, std::vector<TaskId>{11});
  ASSERT_EQ(reading.outcomes.size(), 1U);
  const auto& done = std::get<Done>(reading.outcomes[0]);
  EXPECT_EQ(done.id, 12U);
  EXPECT_EQ(done.attempts, 2);
  EXPECT_EQ(done.result, "34");
}

TEST_F(InFlightLogTest, KeepsEveryKindOfOutcomeAndTruncatesLongText) {
  const auto in_flight = make();
  const WallTime at = WallTime(std::chrono::microseconds(1'234'567));
  const Failure failure{.cure = Cure::retry, .step = "command", .reason = std::string(1'000, 'x')};
  in_flight->finish(Skipped{.id = 1, .reason = "nothing to do"});
  in_flight->finish(Died{.id = 2, .attempts = 3, .failure = failure, .at = at});
  in_flight->finish(Done{.id = 3, .result = std::string(160, 'r')});
  const auto reading = InFlightLog::read(path_).value();
  EXPECT_EQ(std::get<Skipped>(reading.outcomes.at(0)).reason, "nothing to do");
  const auto& died = std::get<Died>(reading.outcomes.at(1));
  EXPECT_EQ(died.attempts, 3);
  EXPECT_EQ(died.at, at);
  EXPECT_EQ(died.failure.cure, Cure::retry);
  EXPECT_EQ(died.failure.step, "command");
  EXPECT_GT(died.failure.reason.size(), 100U);
  EXPECT_TRUE(failure.reason.starts_with(died.failure.reason));
  EXPECT_EQ(std::get<Done>(reading.outcomes.at(2)).result, std::string(160, 'r'));
}

TEST_F(InFlightLogTest, TheRingKeepsTheNewestInTheirOrder) {
  const auto in_flight = make(1, 4);
  for (TaskId id = 1; id <= 6; ++id) in_flight->finish(Done{.id = id});
  EXPECT_EQ(finished(), (std::vector<TaskId>{3, 4, 5, 6}));
}

TEST_F(InFlightLogTest, ATornOutcomeIsLeftOut) {
  {
    const auto in_flight = make(1, 4);
    for (TaskId id = 1; id <= 3; ++id) in_flight->finish(Done{.id = id, .result = "x"});
  }
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(4'096 + 64 + 256 + 60);  // in the second of them
  file.put('!');
  file.close();
  EXPECT_EQ(finished(), (std::vector<TaskId>{1, 3}));
}

TEST_F(InFlightLogTest, ReadsAMissingOrDamagedFileAsEmpty) {
  EXPECT_EQ(InFlightLog::read(path_)->epoch, 0U);
  for (const std::size_t size : {0U, 10U, 4'095U, 5'000U}) {
    std::ofstream(path_, std::ios::binary) << std::string(size, '\xff');
    EXPECT_EQ(InFlightLog::read(path_)->epoch, 0U);
  }
  make().reset();
  std::filesystem::resize_file(path_, 4'200);
  EXPECT_EQ(InFlightLog::read(path_)->epoch, 0U);
}

TEST_F(InFlightLogTest, StartsEmptyOverAnOldFile) {
  make()->finish(Done{.id = 1});
  const auto again = make();
  EXPECT_EQ(finished(), std::vector<TaskId>{});
}

TEST_F(InFlightLogTest, SurvivesWhenItsProcessIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto in_flight =
        InFlightLog::make({.path = path_, .epoch = 9, .workers = 1, .outcomes = 8});
    (*in_flight)->takes(0, 3);
    (*in_flight)->finish(Done{.id = 2});
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(finished(), std::vector<TaskId>{2});
  EXPECT_EQ(InFlightLog::read(path_)->in_hand, std::vector<TaskId>{3});
}

TEST_F(InFlightLogTest, ManyWorkersLoseNothing) {
  constexpr TaskId kEach = 500;
  const auto in_flight = make(4, 4 * kEach);
  {
    std::vector<std::jthread> workers;
    for (std::size_t w = 0; w < 4; ++w) {
      workers.emplace_back([&, w] {
        for (TaskId i = 0; i < kEach; ++i) {
          in_flight->takes(w, w * kEach + i + 1);
          in_flight->finish(Done{.id = w * kEach + i + 1});
          in_flight->takes(w, 0);
        }
      });
    }
  }
  EXPECT_EQ(finished().size(), 4 * kEach);
  EXPECT_TRUE(InFlightLog::read(path_)->in_hand.empty());
}

}  // namespace
}  // namespace tidemill::run
