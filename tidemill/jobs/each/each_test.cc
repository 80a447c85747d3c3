#include "tidemill/jobs/each/each.h"

#include <sys/resource.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tidemill/base/log.h"
#include "tidemill/jobs/each/command/command_runner.h"
#include "tidemill/testing/few_descriptors.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::each {
namespace {

// Runs 60 times as fast as the real clock, so that a shortage of 30 s takes 0.5 s.
class HastyClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override {
    return began_ + kHaste * (std::chrono::steady_clock::now() - began_);
  }
  [[nodiscard]] WallTime wall() const override { return std::chrono::system_clock::now(); }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  Instant until) const override {
    changed.wait_until(lock, began_ + (until - began_) / kHaste);
  }

 private:
  static constexpr int kHaste = 60;
  const Instant began_ = std::chrono::steady_clock::now();
};

// The first command lowers our descriptor limit and fails transiently, so no other command can
// start. The last task is a suspect and waits for the others, which are dropped.
TEST(EachRun, APersistentShortageEndsARunWithSuspects) {
  const HastyClock clock;
  const testing::OwnFolder own;
  auto run = run::Run::create(run::StateFolder(own / "state"), {.job = "each"}, clock);
  ASSERT_TRUE(run) << text_of(run.error());
  std::vector<engine::Entry> found;
  for (engine::TaskId id = 1; id <= 3; ++id) {
    found.emplace_back(engine::Found{
        .id = id, .type = std::string(kTaskType), .subject = "name-" + std::to_string(id)});
  }
  found.emplace_back(engine::Crashed{.id = 3});
  ASSERT_TRUE((*run)->journal().commit(found, {{{.key = "found_all", .value = "1"}}}));

  EachOptions options{.command = {"prlimit --pid $PPID --nofile=3: && exit 75"},
                      .shell = true,
                      .grace = std::chrono::seconds(2),
                      .keep_output = kib(64)};
  options.files.roots = {own / "none"};
  rlimit now{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &now), 0);
  testing::RecordingConsole console;
  SilentLog log;
  command::Context context{.console = console, .log = log, .clock = clock};
  Result<FileRunOutcome> outcome;
  {
    const testing::FewDescriptors restored(now.rlim_cur);
    outcome = work(options, {}, **run, context);
  }
  ASSERT_TRUE(outcome) << text_of(outcome.error());
  EXPECT_EQ(outcome->ending, run::kFailed);
  ASSERT_TRUE(outcome->cause);
  EXPECT_EQ(outcome->cause->kind, FailureKind::shortage) << text_of(*outcome->cause);
  const auto tally = (*run)->journal().tally();
  ASSERT_TRUE(tally) << text_of(tally.error());
  EXPECT_EQ(tally->pending(), 2U);
  EXPECT_EQ(tally->dead(), 1U) << "the task that found out";
}

}  // namespace
}  // namespace tidemill::each
