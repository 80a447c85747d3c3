#include "tidemill/app/runs/failure_text.h"

#include <chrono>

#include <gtest/gtest.h>

namespace tidemill::app {
namespace {

using engine::TaskState;

engine::Letter hostile_letter() {
  return {.id = 7,
          .type = "command",
          .subject = "a\nb\xff",
          .attempts = 3,
          .crashes = 1,
          .failures = {.failure = {.cure = Cure::retry,
                                   .step = "run",
                                   .reason = "exit status 1\x1b[2J",
                                   .hint = "look"},
                       .first = WallTime(std::chrono::seconds(0)),
                       .last = WallTime(std::chrono::seconds(60))},
          .checkpoint = engine::Checkpoint{.last_step = "output", .data = "x\x1b[31m\ny"}};
}

TEST(FailureText, EveryLineOfTheOutputIsIndentedAndEscaped) {
  EXPECT_EQ(indented("a\n\nb\r\x1b[0m"), "    a\n    \n    b\\r\\x1b[0m\n");
  EXPECT_EQ(indented(""), "");
}

TEST(FailureText, ShowsOutputOnlyFromACheckpointOfTheOutputStep) {
  EXPECT_EQ(last_words(engine::Checkpoint{.last_step = "hash", .data = "x"}), "");
  EXPECT_EQ(last_words(engine::Checkpoint{.last_step = "output", .data = "x"}), "x");
  EXPECT_EQ(last_words(std::nullopt), "");
}

TEST(FailureText, ShowsDeadAsFailedAndAbandonedAsDropped) {
  EXPECT_EQ(state_word(TaskState::dead), "failed");
  EXPECT_EQ(state_word(TaskState::abandoned), "dropped");
  EXPECT_EQ(state_word(TaskState::pending), "pending");
}

TEST(FailureText, EscapesTerminalControlSequences) {
  const std::string text = text_of(hostile_letter());
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("task 7  a\\nb\\xff\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    x\\x1b[31m\n    y\n"), std::string::npos) << text;
  EXPECT_NE(text.find("3, and 1 crash of the program\n"), std::string::npos) << text;
}

TEST(FailureText, JsonHasEveryField) {
  EXPECT_EQ(json_of(hostile_letter()),
            R"({"v":1,"task":7,"type":"command","nameBase64":"YQpi/w==","attempts":3,)"
            R"("crashes":1,"step":"run","reason":"exit status 1\u001b[2J","hint":"look",)"
            R"("cure":"retry","firstFailure":"1970-01-01T00:00:00.000Z",)"
            R"("lastFailure":"1970-01-01T00:01:00.000Z","output":"x\u001b[31m\ny"})");
}

// A job whose results are numbers that mean something.
class Measurement final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return {.name = "read"}; }
  [[nodiscard]] Result<int> run(cli::CliContext& /*context*/) const override { return 0; }
  [[nodiscard]] std::string outcome_text(const engine::TaskRecord& task) const override {
    return task.outcome + " pages";
  }
};

TEST(FailureText, JobFormatsTheOutcomeOfDoneTasksOnly) {
  const Measurement job;
  engine::TaskRecord task{.state = TaskState::done, .outcome = "12"};
  EXPECT_EQ(outcome_text(task, &job), "12 pages");
  EXPECT_EQ(outcome_text(task, nullptr), "12");
  task.state = TaskState::skipped;
  EXPECT_EQ(outcome_text(task, &job), "12");
}

TEST(FailureText, TheOutcomeOfAFailedTaskIsItsReason) {
  const engine::TaskRecord task{
      .type = "command",
      .state = TaskState::dead,
      .failures = engine::TaskFailures{.failure = {.step = "run", .reason = "exit status 1"}}};
  EXPECT_EQ(outcome_text(task, nullptr), "run: exit status 1");
}

}  // namespace
}  // namespace tidemill::app
