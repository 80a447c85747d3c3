#include "tidemill/state/run/run.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "tidemill/testing/small_disk.h"

namespace tidemill::run {
namespace {

using engine::Died;
using engine::Done;
using engine::Entry;
using engine::Found;
using engine::TaskId;
using engine::TaskState;

class RunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto run = run::Run::create(state_, {.job = "each", .arguments = {"-a", "", "x\xff"}}, clock_);
    ASSERT_TRUE(run) << text_of(run.error());
    folder_ = (*run)->folder();
    std::vector<Entry> found;
    for (TaskId id = 1; id <= 5; ++id) found.emplace_back(Found{.id = id, .subject = "f"});
    ASSERT_TRUE((*run)->journal().commit(found));
  }
  void TearDown() override { std::filesystem::remove_all(state_.path()); }

  [[nodiscard]] std::unique_ptr<run::Run> reopened() {
    auto run = run::Run::open(*folder_, clock_);
    EXPECT_TRUE(run) << text_of(run.error());
    return run ? *std::move(run) : nullptr;
  }
  // A process that starts task 1, finishes tasks 2 and 3, and crashes.
  void crash() {
    const auto run = reopened();
    InFlightLog* const in_flight = run->start_in_flight(2, 64).value();
    in_flight->takes(0, 1);
    in_flight->finish(Done{.id = 2, .result = "7"});
    in_flight->finish(Died{.id = 3, .failure = {.step = "command", .reason = "exit status 1"}});
  }
  [[nodiscard]] static TaskState state_of(run::Run& run, TaskId id) {
    return run.journal().task(id).value()->state;
  }

  const StateFolder state_{::testing::TempDir() + "run-" + std::to_string(::getpid())};
  SystemClock clock_;
  std::optional<RunFolder> folder_;
};

TEST_F(RunTest, CardRoundTrips) {
  const auto run = reopened();
  EXPECT_EQ(run->card().job, "each");
  EXPECT_EQ(run->card().arguments, (std::vector<std::string>{"-a", "", "x\xff"}));
  EXPECT_EQ(run->card().ending, kRunning);
  EXPECT_FALSE(run->card().ended);
  ASSERT_TRUE(run->end(kComplete));
  EXPECT_EQ(card_of(run->journal())->ending, kComplete);
  EXPECT_TRUE(card_of(run->journal())->ended);
}

TEST_F(RunTest, ResumingClearsTheEnding) {
  auto run = reopened();
  ASSERT_TRUE(run->end(kFailed, "no room"));
  run.reset();
  run = reopened();
  ASSERT_TRUE(run->start_in_flight(1, 1));
  run.reset();  // as after a crash
  const auto card = reopened()->card();
  EXPECT_EQ(card.ending, kRunning);
  EXPECT_FALSE(card.ended);
  EXPECT_EQ(card.cause, "");
}

TEST_F(RunTest, FailedCreateLeavesNothingBehind) {
  {
    const testing::SmallDisk room(4096);  // not enough for a journal
    EXPECT_FALSE(run::Run::create(state_, {.job = "each"}, clock_));
  }
  EXPECT_EQ(state_.list()->size(), 1U);
}

TEST_F(RunTest, RecoversFinishedTasksAndBlamesRunningTasksAfterACrash) {
  crash();
  const auto run = reopened();
  EXPECT_TRUE(run->recovery().was_unclean);
  EXPECT_EQ(run->recovery().outcomes, 2U);
  EXPECT_EQ(run->recovery().crashed, 1U);
  EXPECT_EQ(run->journal().task(1).value()->crashes, 1);
  EXPECT_EQ(state_of(*run, 1), TaskState::pending);
  EXPECT_EQ(state_of(*run, 2), TaskState::done);
  EXPECT_EQ(run->journal().task(2).value()->outcome, "7");
  EXPECT_EQ(state_of(*run, 3), TaskState::dead);
  EXPECT_EQ(state_of(*run, 4), TaskState::pending);
  EXPECT_TRUE(run->journal().check()->is_clean());
}

TEST_F(RunTest, CountsACrashOnceHoweverOftenTheRunIsOpened) {
  crash();
  reopened().reset();
  const auto run = reopened();
  EXPECT_TRUE(run->recovery().was_unclean);  // it has not run since
  EXPECT_EQ(run->recovery().crashed, 0U);
  EXPECT_EQ(run->journal().task(1).value()->crashes, 1);
}

TEST_F(RunTest, ThirdCrashMakesTheTaskADeadLetter) {
  for (int i = 1; i <= 3; ++i) crash();
  const auto run = reopened();
  EXPECT_EQ(run->recovery().died, 1U);
  EXPECT_EQ(state_of(*run, 1), TaskState::dead);
  EXPECT_EQ(run->journal().letter(1).value()->failures.failure.step, "crash");
}

// As after a commit that failed on a full disk and a last one that succeeded.
TEST_F(RunTest, EndCommitsOutcomesMissingFromTheJournal) {
  {
    const auto run = reopened();
    InFlightLog* const in_flight = run->start_in_flight(2, 64).value();
    in_flight->finish(Done{.id = 2, .result = "7"});
    in_flight->finish(Done{.id = 4});
    ASSERT_TRUE(run->journal().commit(std::vector<Entry>{Done{.id = 4}}));
    in_flight->takes(0, 1);
    ASSERT_TRUE(run->end(kInterrupted));
  }
  const auto run = reopened();
  EXPECT_FALSE(run->recovery().was_unclean);
  EXPECT_EQ(state_of(*run, 1), TaskState::pending);
  EXPECT_EQ(run->journal().task(1).value()->crashes, 0);
  EXPECT_EQ(state_of(*run, 2), TaskState::done);
  EXPECT_EQ(run->journal().task(2).value()->outcome, "7");
  EXPECT_EQ(state_of(*run, 4), TaskState::done);
  EXPECT_TRUE(run->journal().check()->is_clean());
}

TEST_F(RunTest, CleanEndLeavesNothingToRecover) {
  {
    const auto run = reopened();
    run->start_in_flight(2, 64).value()->takes(0, 1);
    ASSERT_TRUE(run->end(kInterrupted));
  }
  const auto run = reopened();
  EXPECT_FALSE(run->recovery().was_unclean);
  EXPECT_EQ(run->journal().task(1).value()->crashes, 0);
}

TEST_F(RunTest, IgnoresTheInFlightLogAfterAReboot) {
  {
    const auto run = reopened();
    const auto in_flight =
        InFlightLog::make({.path = folder_->in_flight(),
                           .epoch = static_cast<std::uint64_t>(run->journal().epoch()),
                           .boot = "another boot",
                           .workers = 1,
                           .outcomes = 64});
    (*in_flight)->takes(0, 1);
    (*in_flight)->finish(Done{.id = 2});
  }
  const auto run = reopened();
  EXPECT_TRUE(run->recovery().was_unclean);
  EXPECT_EQ(run->recovery().crashed, 0U);
  EXPECT_EQ(run->recovery().outcomes, 0U);
  EXPECT_EQ(state_of(*run, 2), TaskState::pending);
}

TEST_F(RunTest, DoesNotRecoverOutcomesAlreadyInTheJournal) {
  crash();
  {
    auto journal = journal::SqliteJournal::open({.path = folder_->journal()});
    ASSERT_TRUE((*journal)->commit_one(Done{.id = 2, .result = "first"}));
  }
  const auto run = reopened();
  EXPECT_EQ(run->recovery().outcomes, 1U);
  EXPECT_EQ(run->journal().task(2).value()->outcome, "first");
}

TEST_F(RunTest, ASecondOwnerIsRefused) {
  const auto run = reopened();
  const auto other = run::Run::open(*folder_, clock_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().step, "lock");
  EXPECT_EQ(other.error().kind, FailureKind::held);
  EXPECT_EQ(other.error().cure, Cure::retry);
}

}  // namespace
}  // namespace tidemill::run
