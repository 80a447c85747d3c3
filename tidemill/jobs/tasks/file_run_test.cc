#include "tidemill/jobs/tasks/file_run.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/log.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::jobs {
namespace {

// Calls the function of the test for each file, and records the stored results.
class Recorder final : public FileWork {
 public:
  using Perform = std::function<Result<FileVerdict>(const std::string&, engine::TaskContext&)>;
  using Store = std::function<Result<void>(std::span<const FileResult>)>;

  explicit Recorder(Perform perform, Store store = {})
      : perform_(std::move(perform)), store_(std::move(store)) {}

  [[nodiscard]] Result<FileVerdict> perform(const std::string& path,
                                            engine::TaskContext& task) override {
    performed_.lock()->push_back(path.substr(path.rfind('/') + 1));
    return perform_(path, task);
  }
  [[nodiscard]] Result<void> store(std::span<const FileResult> results) override {
    if (store_) {
      if (auto answer = store_(results); !answer) return answer;
    }
    for (const FileResult& result : results) {
      stored[result.path.substr(result.path.rfind('/') + 1)] = result.result;
    }
    return {};
  }

  [[nodiscard]] std::vector<std::string> performed() {
    auto names = *performed_.lock();
    std::ranges::sort(names);
    return names;
  }

  std::map<std::string, std::string> stored{};  // by name

 private:
  const Perform perform_;
  const Store store_;
  Guarded<std::vector<std::string>> performed_;
};

Result<FileVerdict> answer_ok(const std::string& /*path*/, engine::TaskContext& /*task*/) {
  return "ok";
}

class FileRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c", "sub/d", "sub/e"})
      own_.file("tree/" + std::string(name));
    options_.files.roots = {own_ / "tree"};
    options_.workers = 2;
    options_.retry.max_attempts = 1;
    auto run = run::Run::create(state_, {.job = "words"}, clock_);
    ASSERT_TRUE(run) << text_of(run.error());
    run_ = *std::move(run);
  }

  FileRunOutcome work(FileWork& work, const FileRunRequest& assignment = {}) {
    SilentLog log;
    command::Context context{
        .console = console_, .log = log, .clock = clock_, .stop = stop_.get_token()};
    auto outcome = work_on_files(options_, assignment, work, *run_, context, [] {});
    EXPECT_TRUE(outcome) << text_of(outcome.error());
    return outcome.value_or(FileRunOutcome{});
  }
  // Opens the run as another process would.
  void open_again() {
    const run::RunFolder folder = run_->folder();
    run_.reset();
    auto run = run::Run::open(folder, clock_);
    ASSERT_TRUE(run) << text_of(run.error());
    run_ = *std::move(run);
  }
  [[nodiscard]] engine::Tally tally() { return run_->journal().tally().value_or(engine::Tally{}); }

  const SystemClock clock_;
  const testing::OwnFolder own_;
  const run::StateFolder state_{own_ / "state"};
  FileOptions options_;
  testing::RecordingConsole console_;
  std::stop_source stop_;
  std::unique_ptr<run::Run> run_;
};

TEST_F(FileRunTest, ResultsAreStoredBeforeTheJournalSaysDone) {
  std::uint64_t stored = 0;
  Recorder work(answer_ok, [&](std::span<const FileResult> results) -> Result<void> {
    EXPECT_EQ(tally().done(), stored);  // nothing of this batch
    stored += results.size();
    return {};
  });
  EXPECT_EQ(this->work(work).ending, run::kComplete);
  EXPECT_EQ(work.stored.size(), 5U);
  EXPECT_EQ(tally().done(), 5U);
  EXPECT_EQ(run_->journal().task(1)->value().outcome, "ok");
}

TEST_F(FileRunTest, FailedFilesBecomeDeadLettersAndSkippedFilesAreNotStored) {
  Recorder work([](const std::string& path, engine::TaskContext&) -> Result<FileVerdict> {
    if (path.ends_with("/b")) return fail(Cure::give_up, "read", "no text");
    if (path.ends_with("/c")) return engine::Skip{"empty"};
    return "ok";
  });
  EXPECT_EQ(this->work(work).ending, run::kComplete);
  EXPECT_EQ(work.stored.size(), 3U);
  EXPECT_EQ(tally().skipped(), 1U);
  const auto letters = run_->journal().letters(0, 10).value();
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters.front().failures.failure.reason, "no text");

  // After a retry only this file is performed again.
  ASSERT_TRUE(run_->journal().commit_one(engine::Revived{.id = letters.front().id}));
  open_again();
  Recorder again(answer_ok);
  EXPECT_EQ(this->work(again, {.only = {letters.front().id}}).ending, run::kComplete);
  EXPECT_EQ(again.performed(), std::vector<std::string>{"b"});
  EXPECT_EQ(again.stored.size(), 1U);
  EXPECT_EQ(tally().dead(), 0U);
}

TEST_F(FileRunTest, AStoreFailureEndsTheRunAndTheNextProcessDoesTheRest) {
  Recorder work(answer_ok, [](std::span<const FileResult>) -> Result<void> {
    return fail(Cure::give_up, "store", "the database is gone");
  });
  const FileRunOutcome outcome = this->work(work);
  EXPECT_EQ(outcome.ending, run::kFailed);
  ASSERT_TRUE(outcome.cause);
  EXPECT_EQ(outcome.cause->reason, "the database is gone");
  EXPECT_EQ(tally().done(), 0U);

  open_again();
  Recorder again(answer_ok);
  EXPECT_EQ(this->work(again).ending, run::kComplete);
  EXPECT_EQ(again.stored.size(), 5U);
}

TEST_F(FileRunTest, AStopKeepsFinishedTasksAndTheNextProcessDoesTheRest) {
  options_.workers = 1;
  Recorder work([&](const std::string& path, engine::TaskContext& task) -> Result<FileVerdict> {
    if (!path.ends_with("/c")) return "ok";
    stop_.request_stop();
    return task.stopped();
  });
  EXPECT_EQ(this->work(work).ending, run::kInterrupted);
  EXPECT_EQ(work.stored.size(), 2U);
  EXPECT_EQ(tally().done(), 2U);
  EXPECT_EQ(tally().failed(), 0U);

  stop_ = std::stop_source();
  open_again();
  Recorder again(answer_ok);
  EXPECT_EQ(this->work(again).ending, run::kComplete);
  EXPECT_EQ(again.performed(), (std::vector<std::string>{"c", "d", "e"}));
}

// A suspect waits until all other tasks are settled; when the run is lost they are dropped instead.
TEST_F(FileRunTest, AFatalFailureEndsARunWithSuspects) {
  options_.workers = 1;
  std::vector<engine::Entry> found;
  engine::TaskId id = 0;
  for (const char* name : {"tree/a", "tree/b", "tree/c"}) {
    found.emplace_back(
        engine::Found{.id = ++id, .type = std::string(kFileType), .subject = own_ / name});
  }
  found.emplace_back(engine::Crashed{.id = id});
  ASSERT_TRUE(run_->journal().commit(found, {{{.key = "found_all", .value = "1"}}}));
  open_again();
  int times = 0;  // deferred a few times, so that all tasks are fed
  Recorder work([&](const std::string&, engine::TaskContext& task) -> Result<FileVerdict> {
    if (++times < 20) return task.defer(std::chrono::milliseconds(1), "not yet");
    return task.fatal({.cure = Cure::give_up, .step = "work", .reason = "nothing works any more"});
  });
  EXPECT_EQ(this->work(work).ending, run::kFailed);
  EXPECT_EQ(tally().pending(), 2U);
}

TEST_F(FileRunTest, AnExceptionBecomesADeadLetter) {
  Recorder work([](const std::string& path, engine::TaskContext&) -> Result<FileVerdict> {
    if (path.ends_with("/a")) throw std::runtime_error("what a library throws");
    return "ok";
  });
  EXPECT_EQ(this->work(work).ending, run::kComplete);
  EXPECT_EQ(tally().dead(), 1U);
  EXPECT_EQ(tally().done(), 4U);
}

}  // namespace
}  // namespace tidemill::jobs
