// The complete job, to standard output.
#include "tidemill/jobs/batch/batch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/guarded.h"
#include "tidemill/jobs/batch/batch_rig.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::batch {
namespace {

namespace fs = std::filesystem;
using testing::eventually;

// Prints to a file; kills the process, or blocks, where a test says so.
class ToughConsole final : public command::Console {
 public:
  explicit ToughConsole(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] Result<void> out(std::string_view bytes) override {
    ++calls_;
    const bool ends_here = calls_ == ends_at_;
    if (ends_here && !prints_first_) ::_exit(9);
    if (pauses_at_ == calls_) {
      stands_.update([](bool& stands) { stands = true; });
      stands_.lock().wait([](bool stands) { return !stands; });
    }
    std::ofstream(path_, std::ios::app | std::ios::binary) << bytes;
    if (ends_here) ::_exit(9);
    return {};
  }
  [[nodiscard]] Result<void> err(std::string_view /*bytes*/) override { return {}; }
  void say(command::Tone /*tone*/, std::string_view /*text*/) override {}
  void show(const engine::ProgressSnapshot& snapshot) override {
    if (snapshot.is_total_known) is_all_found_ = true;
  }

  void end_at(int call, bool prints_first) {
    ends_at_ = call;
    prints_first_ = prints_first;
  }
  void pause_at(int call) { pauses_at_ = call; }
  [[nodiscard]] bool stands() { return *stands_.lock(); }
  void go_on() {
    stands_.update([](bool& stands) { stands = false; });
  }
  [[nodiscard]] bool is_all_found() const { return is_all_found_; }

 private:
  const std::string path_;
  int calls_ = 0;  // by the sender's thread
  int ends_at_ = 0;
  int pauses_at_ = 0;
  bool prints_first_ = false;
  std::atomic<bool> is_all_found_ = false;
  Guarded<bool> stands_;
};

std::uint64_t batches_in(const history::HistoryPart& fill) {
  std::uint64_t batches = 0;
  for (const auto& row : fill.rows) batches += static_cast<std::uint64_t>(row.numbers.at(0));
  return batches;
}

TEST_F(BatchTest, EveryFileIsBatchedSkippedOrFailed) {
  grow();
  create();
  testing::RecordingConsole console;
  const auto outcome = work_with(console);
  ASSERT_TRUE(outcome) << text_of(outcome.error());
  EXPECT_EQ(outcome->ending, run::kComplete);
  EXPECT_EQ(outcome->totals.files, 91U);
  EXPECT_EQ(outcome->totals.skipped, (std::map<std::string, std::uint64_t>{{"binary", 6}}));
  EXPECT_EQ(outcome->tally.dead(), 1U) << "the folder is a letter, not only a word in a log";
  EXPECT_EQ(outcome->found(), 98U);
  EXPECT_EQ(outcome->totals.oversize, 1U);
  EXPECT_TRUE(outcome->has_found_all);
  EXPECT_EQ(outcome->target, "standard output");
  EXPECT_EQ(lines_of(console.said().out), rehearsed()) << "--dry-run prints the same";
  EXPECT_EQ(outcome->totals.batches, rehearsed().size());
  EXPECT_EQ(outcome->sent.batches, outcome->totals.batches);
  EXPECT_EQ(outcome->sent.files, outcome->totals.files);
  EXPECT_EQ(outcome->sent.tokens, outcome->totals.tokens);
  const auto items = console.said().items;
  const auto settled = [&](command::ItemState state) {
    return static_cast<std::size_t>(std::ranges::count(items, state, &command::SettledItem::state));
  };
  EXPECT_EQ(settled(command::ItemState::good), outcome->totals.batches);
  EXPECT_EQ(settled(command::ItemState::bad), 6U) << "the binary ones";
  EXPECT_EQ(settled(command::ItemState::failed), 1U);
  const auto card = run::card_of(run_->journal());
  EXPECT_EQ(card->ending, run::kComplete);
  EXPECT_TRUE(card->has_found_all);
  const auto letters = run_->journal().letters(0, 10);
  ASSERT_EQ(letters->size(), 1U);
  EXPECT_EQ(letters->front().subject, base_ + "/tree/d2/bad");
  EXPECT_EQ(letters->front().type, kFindType);
  EXPECT_EQ(letters->front().failures.failure.step, "ignore");
  const auto parts = run_->journal().history()->parts;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(batches_in(parts[0]), outcome->totals.batches);
  EXPECT_EQ(parts[0].rows.back().numbers.front(), 1) << "the large file";
  EXPECT_EQ(parts[1].rows.size(), 2U) << "binary and failed";
  // Nothing is left to do for the next process.
  reopen();
  const auto again = work_with(console);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->ending, run::kComplete);
  EXPECT_EQ(again->found(), 98U);
  EXPECT_EQ(lines_of(console.said().out).size(), again->totals.batches);
  EXPECT_EQ(run_->journal().history()->parts, parts);
}

TEST_F(BatchTest, AnEmptyTreeHasNoBatch) {
  create();
  testing::RecordingConsole console;
  const auto outcome = work_with(console);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ending, run::kComplete);
  EXPECT_EQ(outcome->found(), 0U);
  EXPECT_EQ(console.said().out, "");
}

TEST_F(BatchTest, ClosedOutputInterruptsTheRunAndTheNextRunResumes) {
  grow();
  create();
  testing::RecordingConsole closed;
  closed.close();
  const auto outcome = work_with(closed);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ending, run::kInterrupted);
  ASSERT_TRUE(outcome->cause);
  EXPECT_EQ(outcome->cause->step, "output");
  EXPECT_EQ(outcome->sent, Sent{});
  EXPECT_EQ(run::card_of(run_->journal())->ending, run::kInterrupted);
  reopen();
  testing::RecordingConsole console;
  const auto second = work_with(console);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->ending, run::kComplete);
  EXPECT_EQ(second->found(), 98U);
  EXPECT_EQ(lines_of(console.said().out), rehearsed());
}

// A process dies while printing, before or after the lines, at every group.
TEST_F(BatchTest, AfterAKillTheNextProcessPrintsTheRest) {
  grow();
  options_.max_files = 1;
  const std::vector<std::string> wanted = rehearsed();
  for (const bool prints_first : {false, true}) {
    for (int group = 1;; ++group) {
      fs::remove(base_ + "/out");
      create();
      const run::RunFolder folder = run_->folder();
      run_.reset();
      const ::pid_t child = ::fork();
      if (child == 0) {
        auto run = run::Run::open(folder, clock_);
        if (!run) ::_exit(1);
        run_ = *std::move(run);
        ToughConsole console(base_ + "/out");
        console.end_at(group, prints_first);
        const auto outcome = work_with(console);
        ::_exit(outcome && outcome->ending == run::kComplete ? 0 : 1);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFEXITED(status));
      ASSERT_NE(WEXITSTATUS(status), 1);
      open(folder);
      ToughConsole console(base_ + "/out");
      const auto outcome = work_with(console);
      ASSERT_TRUE(outcome) << text_of(outcome.error());
      EXPECT_EQ(outcome->ending, run::kComplete);
      EXPECT_EQ(outcome->found(), 98U);
      EXPECT_EQ(outcome->sent.batches, wanted.size());
      expect_same_set(printed(), wanted);
      EXPECT_GE(printed().size(), wanted.size());
      EXPECT_TRUE(run_->journal().check()->is_clean());
      EXPECT_EQ(batches_in(run_->journal().history()->parts.at(0)), wanted.size());
      run_.reset();
      fs::remove_all(base_ + "/state");
      if (WEXITSTATUS(status) == 0) break;  // there was no such group
    }
  }
}

// The pipeline is done, the sender blocks, and between them are drafts that are not yet in the
// journal.
TEST_F(BatchTest, AStopWhileTheSenderIsBlockedLosesNothing) {
  constexpr int kFiles = 1'800;  // more than sender and journal thread hold, less than all queues
  for (int i = 0; i < kFiles; ++i) write(std::to_string(i), "x");
  options_.max_files = 1;
  options_.gitignore = false;
  create();
  ToughConsole console(base_ + "/out");
  console.pause_at(1);
  std::stop_source stop;
  Result<BatchOutcome> outcome;
  std::jthread worker([&] { outcome = work_with(console, stop.get_token()); });
  journal::SqliteJournal& journal = run_->journal();
  std::uint64_t seen = 0;
  int looks = 0;
  EXPECT_TRUE(eventually([&] {  // it blocks
    const std::uint64_t now = journal.tally()->found();
    looks = now > 0 && std::exchange(seen, now) == now ? looks + 1 : 0;
    return looks > 100 && console.stands() && console.is_all_found();
  }));
  EXPECT_LT(seen, std::uint64_t{kFiles});
  stop.request_stop();
  looks = 0;
  EXPECT_TRUE(
      eventually([&] { return ++looks > 200 || journal.note("found_all").value() == "1"; }));
  console.go_on();
  worker.join();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ending, run::kInterrupted);
  EXPECT_NE(journal.note("found_all").value(), "1") << "some drafts are in no journal";
  EXPECT_FALSE(outcome->has_found_all);
  reopen();
  const auto second = work_with(console);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->ending, run::kComplete);
  EXPECT_EQ(second->found(), std::uint64_t{kFiles});
  expect_same_set(printed(), rehearsed());
  EXPECT_EQ(batches_in(run_->journal().history()->parts.at(0)), std::uint64_t{kFiles});
}

TEST_F(BatchTest, ARetriedDeadLetterIsBatchedAndCountedOnce) {
  grow();
  create();
  testing::RecordingConsole console;
  ASSERT_TRUE(work_with(console));
  const auto letters = run_->journal().letters(0, 10);
  ASSERT_EQ(letters->size(), 1U);
  ASSERT_TRUE(run_->journal().commit_one(engine::Revived{.id = letters->front().id}));
  fs::remove(base_ + "/tree/d2/bad/.gitignore");
  reopen();
  testing::RecordingConsole second;
  const auto outcome = work_with(second);
  ASSERT_TRUE(outcome) << text_of(outcome.error());
  EXPECT_EQ(outcome->ending, run::kComplete);
  EXPECT_EQ(outcome->tally.dead(), 0U);
  EXPECT_EQ(outcome->tally.pending(), 0U);
  EXPECT_EQ(outcome->totals.files, 93U);
  EXPECT_EQ(lines_of(second.said().out).size(), 1U);
  EXPECT_TRUE(second.said().out.contains("d2/bad/one"));
  EXPECT_TRUE(second.said().out.contains("d2/bad/two"));
  reopen();
  testing::RecordingConsole third;
  ASSERT_TRUE(work_with(third));
  EXPECT_EQ(third.said().out, "");
}

TEST_F(BatchTest, ADeadLetterThatFailsAgainKeepsItsId) {
  grow();
  create();
  testing::RecordingConsole console;
  ASSERT_TRUE(work_with(console));
  const auto id = run_->journal().letters(0, 10)->front().id;
  ASSERT_TRUE(run_->journal().commit_one(engine::Revived{.id = id}));
  reopen();
  const auto outcome = work_with(console);
  ASSERT_TRUE(outcome) << text_of(outcome.error());
  EXPECT_EQ(outcome->found(), 98U);
  const auto letters = run_->journal().letters(0, 10);
  ASSERT_EQ(letters->size(), 1U);
  EXPECT_EQ(letters->front().id, id);
}

}  // namespace
}  // namespace tidemill::batch
