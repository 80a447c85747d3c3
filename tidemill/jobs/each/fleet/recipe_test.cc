#include "tidemill/jobs/each/fleet/recipe.h"

#include <sys/stat.h>

#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/engine/pool.h"
#include "tidemill/jobs/each/fleet/payload.h"
#include "tidemill/jobs/each/fleet/report_text.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::each {
namespace {

using engine::TaskEnd;

class EachRecipeTest : public ::testing::Test {
 protected:
  void prepare(const std::vector<std::string>& words) {
    auto made = recipe().prepare(settings_of(words), {.program = program_,
                                                      .clock = clock_,
                                                      .run = "20261119-0331-each",
                                                      .mark = "mark",
                                                      .roots = {own_.path()},
                                                      .scratch = own_.path(),
                                                      .places = 1});
    ASSERT_TRUE(made) << text_of(made.error());
    stage_ = *std::move(made);
  }

  // Performs a task as a pool does.
  jobs::StageEnd perform(const std::string& payload, int attempt = 1) {
    jobs::StageEnd ended;
    auto pool = engine::Pool::start({.workers = 1}).value();
    engine::Task task(
        [&](engine::TaskContext& context) {
          ended = stage_->perform({.id = 7, .attempt = attempt, .payload = payload}, context);
        },
        {.id = 7});
    static_cast<void>(pool.submit(std::move(task)));
    pool.close();
    static_cast<void>(pool.wait());
    return ended;
  }
  jobs::StageEnd perform_on(const std::string& name, int attempt = 1) {
    return perform(pack(EachPayload{.root = 0, .name = name}), attempt);
  }

  testing::OwnFolder own_;
  SystemClock clock_;
  command::Program program_{.name = "tidemill", .verbs = {verb()}};
  std::unique_ptr<jobs::RecipeStage> stage_;
};

TEST_F(EachRecipeTest, RunsTheCommandInTheFolderOfTheRun) {
  std::ofstream(own_.path() + "/file") << "contents";
  prepare({"--", "cat", "{}"});
  const auto ended = perform_on("file");
  ASSERT_EQ(ended.end, TaskEnd::done) << text_of(ended.failure);
  const auto report = unpack_report(ended.text);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->last.out.head, "contents");
  EXPECT_FALSE(report->result.empty());
}

TEST_F(EachRecipeTest, ProgramBelowTheFolderOfTheRunIsFound) {
  std::ofstream(own_.path() + "/say") << "#!/bin/sh\necho said $1\n";
  ::chmod((own_.path() + "/say").c_str(), 0700);
  prepare({"--", "./say", "{}"});
  const auto ended = perform_on("x");
  ASSERT_EQ(ended.end, TaskEnd::done) << text_of(ended.failure);
  EXPECT_EQ(unpack_report(ended.text)->last.out.head, "said x\n");
}

TEST_F(EachRecipeTest, FailedAttemptSaysWhyAndOnlyTheLastHasItsOutput) {
  prepare({"--attempts=2", "--retry-on=5", "--shell", "--", "echo wrong; exit 5"});
  const auto first = perform_on("x", 1);
  ASSERT_EQ(first.end, TaskEnd::failed);
  EXPECT_EQ(first.failure.cure, Cure::retry);
  EXPECT_TRUE(first.text.empty());
  const auto last = perform_on("x", 2);
  ASSERT_EQ(last.end, TaskEnd::failed);
  const auto report = unpack_report(last.text);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->last.out.head, "wrong\n");
  EXPECT_EQ(report->last.exit.status, 5);
}

TEST_F(EachRecipeTest, TaskThatWasEndedIsReturned) {
  prepare({"--grace=10s", "--shell", "--", "exec sleep 100"});
  stage_->end_all(true);
  EXPECT_EQ(perform_on("x").end, TaskEnd::returned);
}

TEST_F(EachRecipeTest, RunningTaskIsEndedById) {
  const std::string started = own_.path() + "/started";
  ASSERT_EQ(::mkfifo(started.c_str(), 0600), 0);
  prepare({"--shell", "--", "echo > started; exec sleep 100"});
  auto ended = std::async(std::launch::async, [&] { return perform_on("x"); });
  std::string line;
  std::getline(std::ifstream(started), line);  // waits until the command runs
  stage_->end_task(8);                         // another one
  stage_->end_task(7);
  EXPECT_EQ(ended.get().end, TaskEnd::returned);
}

TEST_F(EachRecipeTest, PathThatLeadsOutIsRefusedBeforeTheCommandStarts) {
  prepare({"--shell", "--", "echo ran > ran"});
  const auto ended = perform_on("../x");
  ASSERT_EQ(ended.end, TaskEnd::failed);
  EXPECT_EQ(ended.failure.kind, FailureKind::untrusted);
  EXPECT_FALSE(std::ifstream(own_.path() + "/ran").is_open());
}

TEST_F(EachRecipeTest, SettingsAreOnlyWhatTheStageNeeds) {
  const std::string settings =
      settings_of({"--jobs=4", "--fleet=redis:x", "--timeout=5s", "--no-shell",
                   "--password-file=/p", "photos", "--", "--rate=1", "{}"});
  EXPECT_EQ(settings, settings_of({"--timeout=5s", "--", "--rate=1", "{}"}));
  EXPECT_NE(settings, settings_of({"--", "--rate=1", "{}"}));
}

TEST_F(EachRecipeTest, UnreadableSettingsAndPayloadsAreFailures) {
  const auto stage_of = [&](std::string_view settings) {
    return recipe().prepare(
        settings, {.program = program_, .clock = clock_, .scratch = own_.path(), .places = 1});
  };
  EXPECT_FALSE(stage_of("\xff"));
  EXPECT_FALSE(stage_of(settings_of({"--timeout=nonsense", "--", "true"})));
  EXPECT_FALSE(stage_of(settings_of({})));
  EXPECT_FALSE(stage_of(settings_of({"--", "no-such-program-anywhere"})));
  prepare({"--", "true"});
  EXPECT_EQ(perform("").end, TaskEnd::failed);
}

}  // namespace
}  // namespace tidemill::each
