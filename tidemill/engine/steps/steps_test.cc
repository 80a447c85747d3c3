#include "tidemill/engine/steps.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

const StopAsked kGoOn = [] { return false; };

// Checkpoints in memory; the test can make the next save fail.
class FakeCheckpoints final : public Checkpoints {
 public:
  Result<std::optional<Checkpoint>> load(TaskId /*id*/) override { return kept; }
  Result<void> save(TaskId /*id*/, const Checkpoint& checkpoint) override {
    if (refusal) return std::unexpected(*refusal);
    kept = checkpoint;
    ++saves;
    return {};
  }
  Result<void> clear(TaskId /*id*/) override {
    kept.reset();
    return {};
  }

  std::optional<Checkpoint> kept;
  std::optional<Failure> refusal;
  int saves = 0;
};

Step adds(std::string name) {
  return {.name = name, .run = [name](const StepContext& at) { return at.data + name; }};
}

Step fails(std::string name, Cure cure, bool critical = true) {
  return {.name = std::move(name), .critical = critical, .run = [cure](const StepContext& /*at*/) {
            return Result<std::string>(fail(cure, "connect", "refused"));
          }};
}

TEST(Steps, PassesDataBetweenStepsAndSavesEachBeforeTheNext) {
  FakeCheckpoints checkpoints;
  std::vector<std::optional<Checkpoint>> seen;
  const auto look = [&](std::string name) {
    return Step{.name = name, .run = [&, name](const StepContext& at) {
                  seen.push_back(checkpoints.kept);
                  EXPECT_EQ(at.task, 7U);
                  return at.data + name;
                }};
  };
  const Steps steps({look("a"), look("b"), look("c")});
  const auto report = steps.run(7, checkpoints, kGoOn, ">");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->data, ">abc");
  EXPECT_EQ(report->steps_run, 3U);
  EXPECT_EQ(seen, (std::vector<std::optional<Checkpoint>>{
                      std::nullopt, Checkpoint{.steps_done = 1, .last_step = "a", .data = ">a"},
                      Checkpoint{.steps_done = 2, .last_step = "b", .data = ">ab"}}));
  EXPECT_EQ(checkpoints.kept, (Checkpoint{.steps_done = 3, .last_step = "c", .data = ">abc"}));
}

TEST(Steps, ResumesAtTheFirstUnfinishedStep) {
  FakeCheckpoints checkpoints;
  checkpoints.kept = {.steps_done = 1, .last_step = "a", .data = "kept ", .warnings = {"old"}};
  const auto report =
      Steps({fails("a", Cure::give_up), adds("b")}).run(1, checkpoints, kGoOn, "not used");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->data, "kept b");
  EXPECT_EQ(report->steps_run, 1U);
  EXPECT_EQ(report->warnings, std::vector<std::string>{"old"});
}

TEST(Steps, AFinishedTaskRunsNothing) {
  FakeCheckpoints checkpoints;
  checkpoints.kept = {.steps_done = 1, .last_step = "a", .data = "end"};
  const auto report = Steps({fails("a", Cure::give_up)}).run(1, checkpoints, kGoOn);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->data, "end");
  EXPECT_EQ(report->steps_run, 0U);
  EXPECT_EQ(checkpoints.saves, 0);
}

TEST(Steps, ACriticalStepThatFailsEndsTheTaskAndKeepsWhatWasDone) {
  FakeCheckpoints checkpoints;
  const auto report =
      Steps({adds("a"), fails("b", Cure::retry), adds("c")}).run(1, checkpoints, kGoOn);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error(),
            (Failure{.cure = Cure::resume, .step = "b", .reason = "connect: refused"}));
  EXPECT_EQ(checkpoints.kept->steps_done, 1U);
}

TEST(Steps, AFailedNonCriticalStepBecomesAWarningAndIsNotRetried) {
  FakeCheckpoints checkpoints;
  const std::vector<Step> plan = {adds("a"), fails("b", Cure::retry, false),
                                  fails("c", Cure::retry)};
  ASSERT_FALSE(Steps(plan).run(1, checkpoints, kGoOn));
  EXPECT_EQ(
      checkpoints.kept,
      (Checkpoint{
          .steps_done = 2, .last_step = "b", .data = "a", .warnings = {"b: connect: refused"}}));
  const auto report = Steps({plan[0], fails("b", Cure::retry), adds("c")})  // b would fail here
                          .run(1, checkpoints, kGoOn);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->data, "ac");
  EXPECT_EQ(report->warnings, std::vector<std::string>{"b: connect: refused"});
}

TEST(Steps, ARetryUntilLastStepWarnsOnlyAfterTheLastAttempt) {
  Step post = fails("post", Cure::retry, false);
  post.retries_until_last = true;
  const Steps steps({adds("a"), post, adds("c")});
  FakeCheckpoints checkpoints;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    const auto failed = steps.run(1, checkpoints, kGoOn, {}, /*is_last_attempt=*/false);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error(),
              (Failure{.cure = Cure::resume, .step = "post", .reason = "connect: refused"}));
    EXPECT_EQ(checkpoints.kept, (Checkpoint{.steps_done = 1, .last_step = "a", .data = "a"}));
  }
  const auto report = steps.run(1, checkpoints, kGoOn, {}, /*is_last_attempt=*/true);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->data, "ac");
  EXPECT_EQ(report->warnings, std::vector<std::string>{"post: connect: refused"});
}

TEST(Steps, ARetryUntilLastStepThatFailsPermanentlyWarnsAtOnce) {
  Step post = fails("post", Cure::give_up, false);
  post.retries_until_last = true;
  FakeCheckpoints checkpoints;
  const auto report = Steps({post}).run(1, checkpoints, kGoOn, {}, /*is_last_attempt=*/false);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->warnings.size(), 1U);
}

TEST(Steps, ADeferralReturnsToTheSameStepCriticalOrNotAndLeavesNoWarning) {
  for (const bool critical : {true, false}) {
    for (const bool is_last : {true, false}) {
      bool is_let_in = false;
      const Step ask{.name = "ask", .critical = critical, .run = [&](const StepContext& at) {
                       if (is_let_in) return Result<std::string>(at.data + "b");
                       return Result<std::string>(std::unexpected(
                           Failure{.cure = Cure::later, .not_before = std::chrono::seconds(9)}));
                     }};
      const Steps steps({adds("a"), ask});
      FakeCheckpoints checkpoints;
      const auto deferred = steps.run(1, checkpoints, kGoOn, {}, is_last);
      ASSERT_FALSE(deferred);
      EXPECT_EQ(
          deferred.error(),
          (Failure{.cure = Cure::later, .step = "ask", .not_before = std::chrono::seconds(9)}));
      EXPECT_EQ(checkpoints.kept, (Checkpoint{.steps_done = 1, .last_step = "a", .data = "a"}));
      is_let_in = true;
      const auto report = steps.run(1, checkpoints, kGoOn, {}, is_last);
      ASSERT_TRUE(report);
      EXPECT_EQ(report->data, "ab");
      EXPECT_TRUE(report->warnings.empty());
    }
  }
}

TEST(Steps, ResumesAfterAStopBetweenSteps) {
  FakeCheckpoints checkpoints;
  const Steps steps({adds("a"), adds("b")});
  const auto stopped = steps.run(1, checkpoints, [&] { return checkpoints.saves == 1; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().cure, Cure::resume);
  EXPECT_EQ(stopped.error().step, "b");
  EXPECT_EQ(checkpoints.kept->steps_done, 1U);
  EXPECT_EQ(steps.run(1, checkpoints, kGoOn)->data, "ab");

  FakeCheckpoints untouched;
  EXPECT_EQ(steps.run(1, untouched, [] { return true; }).error().cure, Cure::resume);
  EXPECT_EQ(untouched.saves, 0);
}

TEST(Steps, AStopAfterTheLastStepDoesNotUndoIt) {
  FakeCheckpoints checkpoints;
  const auto report = Steps({adds("a")}).run(1, checkpoints, [&] { return checkpoints.saves > 0; });
  EXPECT_TRUE(report);
}

TEST(Steps, ANonCriticalStepCutShortByAStopRunsAgain) {
  FakeCheckpoints checkpoints;
  bool is_stopped = false;
  const Step wait{.name = "wait", .critical = false, .run = [&](const StepContext& at) {
                    is_stopped = true;
                    EXPECT_TRUE(at.stop_asked());
                    return Result<std::string>(fail(Cure::retry, "", "cancelled"));
                  }};
  const auto report = Steps({wait}).run(1, checkpoints, [&] { return is_stopped; });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().cure, Cure::resume);
  EXPECT_EQ(checkpoints.saves, 0);
}

TEST(Steps, ASaveThatFailsFailsTheTaskAndTheStepRunsAgain) {
  for (const Cure cure : {Cure::retry, Cure::give_up}) {
    FakeCheckpoints checkpoints;
    int runs = 0;
    const Step count{.name = "count",
                     .run = [&](const StepContext& /*at*/) { return std::to_string(++runs); }};
    const Steps steps({adds("a"), count, adds("c")});
    checkpoints.kept = {.steps_done = 1, .last_step = "a"};
    checkpoints.refusal = Failure{.cure = cure, .step = "journal", .reason = "disk full"};
    const auto failed = steps.run(1, checkpoints, kGoOn);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().cure, cure);
    EXPECT_EQ(failed.error().step, "count");
    EXPECT_TRUE(failed.error().reason.ends_with("journal: disk full"));
    checkpoints.refusal.reset();
    EXPECT_EQ(steps.run(1, checkpoints, kGoOn)->data, "2c");
  }
}

TEST(Steps, ACheckpointThatDoesNotFitThePlanIsRefusedWithAHint) {
  const std::vector<Step> plan = {adds("a"), adds("b")};
  EXPECT_TRUE(starting_point(plan, Checkpoint{.steps_done = 2, .last_step = "b"}, ""));
  for (const Checkpoint& kept : {Checkpoint{.steps_done = 3, .last_step = "c"},
                                 Checkpoint{.steps_done = 1, .last_step = "renamed"},
                                 Checkpoint{.steps_done = 2, .last_step = "a"}}) {
    const auto refused = starting_point(plan, kept, "");
    ASSERT_FALSE(refused) << kept.last_step;
    EXPECT_EQ(refused.error().cure, Cure::give_up);
    EXPECT_FALSE(refused.error().hint.empty());
  }
}

TEST(SettleStep, OnlyARetryWithStepsDoneBecomesAResume) {
  const auto cure_after = [](Cure cure, std::size_t steps_done) {
    return settle_step(Step{.name = "s"}, Checkpoint{.steps_done = steps_done}, fail(cure, "", "r"),
                       false)
        .error()
        .cure;
  };
  EXPECT_EQ(cure_after(Cure::retry, 0), Cure::retry);
  EXPECT_EQ(cure_after(Cure::retry, 1), Cure::resume);
  EXPECT_EQ(cure_after(Cure::give_up, 1), Cure::give_up);
  EXPECT_EQ(cure_after(Cure::resume, 0), Cure::resume);
}

TEST(SettleStep, KeepsTheRetryAfterAndTheHint) {
  const Failure busy{
      .cure = Cure::retry, .reason = "429", .hint = "wait", .not_before = std::chrono::seconds(9)};
  const auto failed = settle_step(Step{.name = "post"}, {}, std::unexpected(busy), false);
  EXPECT_EQ(failed.error().hint, "wait");
  EXPECT_EQ(failed.error().not_before, std::chrono::seconds(9));
  EXPECT_EQ(failed.error().reason, "429");
}

}  // namespace
}  // namespace tidemill::engine
