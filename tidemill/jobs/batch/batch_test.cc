// The job as a whole, on real folders and journals: to standard output with work(), and to a far
// side that forgets and refuses.
#include "tidemill/jobs/batch/batch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "tidemill/base/log.h"
#include "tidemill/jobs/batch/fake_outlet.h"
#include "tidemill/jobs/batch/mill.h"
#include "tidemill/jobs/batch/payload.h"
#include "tidemill/jobs/batch/start.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::batch {
namespace {

namespace fs = std::filesystem;
using testing::eventually;
using Call = FakeServer::Call;
using Fate = FakeServer::Fate;
using State = FakeServer::State;

// Prints to a file; ends the process, or stands still, where a test says so.
class ToughConsole final : public command::Console {
 public:
  explicit ToughConsole(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] Result<void> out(std::string_view bytes) override {
    ++calls_;
    const bool ends_here = calls_ == ends_at_;
    if (ends_here && !prints_first_) ::_exit(9);
    if (stands_at_ == calls_) {
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
  void stand_at(int call) { stands_at_ = call; }
  [[nodiscard]] bool stands() { return *stands_.lock(); }
  void go_on() {
    stands_.update([](bool& stands) { stands = false; });
  }
  [[nodiscard]] bool is_all_found() const { return is_all_found_; }

 private:
  const std::string path_;
  int calls_ = 0;  // of the sender's thread
  int ends_at_ = 0;
  int stands_at_ = 0;
  bool prints_first_ = false;
  std::atomic<bool> is_all_found_ = false;
  Guarded<bool> stands_;
};

class BatchTest : public ::testing::Test {
 protected:
  BatchTest()
      : base_(fs::canonical(::testing::TempDir()).string() + "/batch-" +
              std::to_string(::getpid())) {
    fs::remove_all(base_);
    fs::create_directories(base_ + "/tree");
    options_.roots = {base_ + "/tree"};
    options_.tokenizer = "bytes/4";
    options_.max_tokens = 40;
    options_.margin = 1;
    options_.max_files = 4;
    options_.workers = 2;
    options_.gitignore = true;  // so that a folder can be one that cannot be read
    options_.excludes = {".gitignore"};
  }
  ~BatchTest() override {
    run_.reset();
    fs::remove_all(base_);
  }

  void write(const std::string& name, std::string_view bytes) const {
    const fs::path path = base_ + "/tree/" + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  // 90 files in batches and a large one, 6 passed over, a folder that cannot be read.
  void grow(int files = 90) const {
    for (int i = 0; i < files; ++i) {
      write("d" + std::to_string(i % 5) + "/\xff\n" + std::to_string(i),
            std::string(static_cast<std::size_t>(i * 37 % 90), 'x'));
      if (i % 15 == 0) write("d" + std::to_string(i % 7) + "/b" + std::to_string(i), {"\0", 1});
    }
    write("d2/bad/.gitignore", std::string(2'000'000, '#'));
    write("d2/bad/one", "1");
    write("d2/bad/two", "2");
    write("d4/large", std::string(1'000, 'l'));
  }

  void create() {
    auto run = durable::Run::create(durable::StateFolder(base_ + "/state"),
                                    {.job = "batch", .directory = base_}, clock_);
    ASSERT_TRUE(run) << text_of(run.error());
    run_ = *std::move(run);
  }
  void reopen() {
    const durable::RunFolder folder = run_->folder();
    run_.reset();
    open(folder);
  }
  void open(const durable::RunFolder& folder) {
    auto run = durable::Run::open(folder, clock_);
    ASSERT_TRUE(run) << text_of(run.error());
    run_ = *std::move(run);
  }
  Result<Outcome> work_with(command::Console& console, const std::stop_token& stop = {}) {
    command::Context context{.console = console, .log = log_, .clock = clock_, .stop = stop};
    return work(options_, {}, *run_, context);
  }
  // What is printed without being disturbed.
  [[nodiscard]] std::vector<std::string> rehearsed() {
    testing::RecordingConsole console;
    command::Context context{.console = console, .log = log_, .clock = clock_};
    const auto outcome = rehearse(options_, {}, context);
    EXPECT_TRUE(outcome) << text_of(outcome.error());
    return lines_of(console.said().out);
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  [[nodiscard]] std::vector<std::string> printed() const {
    std::ifstream in(base_ + "/out", std::ios::binary);
    return lines_of({std::istreambuf_iterator<char>(in), {}});
  }
  // Whatever happened: nothing is lost, and what is there twice is the same.
  static void expect_same_set(const std::vector<std::string>& seen,
                              const std::vector<std::string>& wanted) {
    const std::set all(seen.begin(), seen.end());
    const std::set right(wanted.begin(), wanted.end());
    std::vector<std::string> wrong;
    std::ranges::set_symmetric_difference(all, right, std::back_inserter(wrong));
    EXPECT_TRUE(wrong.empty()) << wrong.size() << " lost or never asked for, as " << wrong.front();
  }

  const std::string base_;
  Options options_;
  SystemClock clock_;
  SilentLog log_;
  std::unique_ptr<durable::Run> run_;
};

TEST_F(BatchTest, EveryFileIsInABatchOrPassedOverOrFailed) {
  grow();
  create();
  testing::RecordingConsole console;
  const auto outcome = work_with(console);
  ASSERT_TRUE(outcome) << text_of(outcome.error());
  EXPECT_EQ(outcome->ending, durable::kComplete);
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
  const auto card = durable::card_of(run_->journal());
  EXPECT_EQ(card->ending, durable::kComplete);
  EXPECT_TRUE(card->has_found_all);
  const auto letters = run_->journal().letters(0, 10);
  ASSERT_EQ(letters->size(), 1U);
  EXPECT_EQ(letters->front().subject, base_ + "/tree/d2/bad");
  EXPECT_EQ(letters->front().type, kFindType);
  EXPECT_EQ(letters->front().trouble.failure.step, "ignore");
  // Nothing is left to do for the next process.
  reopen();
  const auto again = work_with(console);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->ending, durable::kComplete);
  EXPECT_EQ(again->found(), 98U);
  EXPECT_EQ(lines_of(console.said().out).size(), again->totals.batches);
}

TEST_F(BatchTest, AnEmptyTreeHasNoBatch) {
  create();
  testing::RecordingConsole console;
  const auto outcome = work_with(console);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ending, durable::kComplete);
  EXPECT_EQ(outcome->found(), 0U);
  EXPECT_EQ(console.said().out, "");
}

TEST_F(BatchTest, OutputThatNobodyReadsFailsTheRunAndTheNextOneGoesOn) {
  grow();
  create();
  testing::RecordingConsole closed;
  closed.close();
  const auto outcome = work_with(closed);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ending, durable::kFailed);
  ASSERT_TRUE(outcome->cause);
  EXPECT_EQ(outcome->cause->step, "output");
  EXPECT_EQ(outcome->sent, Sent{});
  EXPECT_EQ(durable::card_of(run_->journal())->ending, durable::kFailed);
  reopen();
  testing::RecordingConsole console;
  const auto second = work_with(console);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->ending, durable::kComplete);
  EXPECT_EQ(second->found(), 98U);
  EXPECT_EQ(lines_of(console.said().out), rehearsed());
}

// A process that ends in the middle of printing, before or behind the lines, at every group.
TEST_F(BatchTest, AfterAKillTheNextProcessPrintsTheRest) {
  grow();
  options_.max_files = 1;
  const std::vector<std::string> wanted = rehearsed();
  for (const bool prints_first : {false, true}) {
    for (int group = 1;; ++group) {
      fs::remove(base_ + "/out");
      create();
      const durable::RunFolder folder = run_->folder();
      run_.reset();
      const ::pid_t child = ::fork();
      if (child == 0) {
        auto run = durable::Run::open(folder, clock_);
        if (!run) ::_exit(1);
        run_ = *std::move(run);
        ToughConsole console(base_ + "/out");
        console.end_at(group, prints_first);
        const auto outcome = work_with(console);
        ::_exit(outcome && outcome->ending == durable::kComplete ? 0 : 1);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFEXITED(status));
      ASSERT_NE(WEXITSTATUS(status), 1);
      open(folder);
      ToughConsole console(base_ + "/out");
      const auto outcome = work_with(console);
      ASSERT_TRUE(outcome) << text_of(outcome.error());
      EXPECT_EQ(outcome->ending, durable::kComplete);
      EXPECT_EQ(outcome->found(), 98U);
      EXPECT_EQ(outcome->sent.batches, wanted.size());
      expect_same_set(printed(), wanted);
      EXPECT_GE(printed().size(), wanted.size());
      EXPECT_TRUE(run_->journal().check()->is_clean());
      run_.reset();
      fs::remove_all(base_ + "/state");
      if (WEXITSTATUS(status) == 0) break;  // there was no such group
    }
  }
}

// The mill is through, the sender stands still, and between them lies what is in no journal yet.
TEST_F(BatchTest, AStopWhileTheSenderStandsStillLosesNothing) {
  constexpr int kFiles = 1'800;  // more than the sender and the ledger hold, less than all hold
  for (int i = 0; i < kFiles; ++i) write(std::to_string(i), "x");
  options_.max_files = 1;
  options_.gitignore = false;
  create();
  ToughConsole console(base_ + "/out");
  console.stand_at(1);
  std::stop_source stop;
  Result<Outcome> outcome;
  std::jthread worker([&] { outcome = work_with(console, stop.get_token()); });
  durable::SqliteJournal& journal = run_->journal();
  std::uint64_t seen = 0;
  int looks = 0;
  EXPECT_TRUE(eventually([&] {  // it stands still
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
  EXPECT_EQ(outcome->ending, durable::kInterrupted);
  EXPECT_NE(journal.note("found_all").value(), "1") << "some drafts are in no journal";
  EXPECT_FALSE(outcome->has_found_all);
  reopen();
  const auto second = work_with(console);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->ending, durable::kComplete);
  EXPECT_EQ(second->found(), std::uint64_t{kFiles});
  expect_same_set(printed(), rehearsed());
}

TEST_F(BatchTest, ALetterTriedAgainIsBatchedAndCountedOnce) {
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
  EXPECT_EQ(outcome->ending, durable::kComplete);
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

TEST_F(BatchTest, ALetterThatFailsAgainIsTheSameLetter) {
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

// One process of a job, put together as work() does it, with a far side of the test's own.
class Producer {
 public:
  Producer(const Options& options, durable::Run& run, FakeServer& server)
      : options_(options),
        run_(run),
        name_(run.folder().id() + "-" + run.card().mark),
        outlet_(server, name_),
        disk_(clock_, nullptr) {}

  struct Ended {
    Result<void> sent{};
    Totals totals{};
    engine::Tally tally{};
    std::string took_over{};
    [[nodiscard]] std::uint64_t found() const {
      std::uint64_t skipped = 0;
      for (const auto& [reason, count] : totals.skipped) skipped += count;
      return totals.files + skipped + tally.failed();
    }
  };

  // `most`: so many drafts are written down, and then the process is gone.
  [[nodiscard]] Result<Ended> work(std::size_t most = 1'000'000) {
    auto recipe = recipe_of(options_, "");
    if (!recipe) return std::unexpected(recipe.error());
    auto start = start_of(run_);
    if (!start) return std::unexpected(start.error());
    auto standing = outlet_.open({});
    if (!standing) return std::unexpected(standing.error());
    const auto settled = settle_start(*start, standing->value_or(durable::Standing{}), options_,
                                      *recipe, name_, run_);
    if (!settled) return std::unexpected(settled.error());
    Sender sender({.outlet = outlet_,
                   .journal = run_.journal(),
                   .disk = disk_,
                   .console = console_,
                   .clock = clock_,
                   .run = name_,
                   .base = start->totals.first - 1,
                   .max_queued = 1},
                  start->sent, start->stands_at);
    Ledger ledger(
        {.journal = run_.journal(), .patience = disk_, .roots = recipe->roots, .clock = clock_},
        start->totals, *run_.journal().next_id());
    std::vector<Again> again;
    for (const auto& [letter, task] : start->letters) {
      ledger.revive(letter.at, task);
      again.push_back(letter);
    }
    Mill mill({.options = options_,
               .recipe = *recipe,
               .clock = clock_,
               .from = start->from,
               .skips_walk = start->has_found_all,
               .again = std::move(again),
               .again_from = start->again_from});
    std::size_t drafts = 0;
    const auto milled = mill.run(
        [&](Draft&& draft) {
          if (drafts++ == most) return false;
          auto sealed = ledger.write({&draft, 1});
          EXPECT_TRUE(sealed);
          for (Sealed& batch : *sealed) (void)sender.put(std::move(batch));
          return true;
        },
        {});
    if (!milled && drafts <= most) return std::unexpected(milled.error());
    Ended ended;
    ended.took_over = start->took_over;
    if (milled) {
      EXPECT_TRUE(ledger.note_end());  // all drafts are written down, sent or not
      ended.sent = sender.finish(true);
    }
    ended.totals = ledger.totals();
    ended.tally = *run_.journal().tally();
    return ended;
  }

 private:
  const Options& options_;
  durable::Run& run_;
  const std::string name_;
  JumpClock clock_;
  testing::RecordingConsole console_;
  FakeOutlet outlet_;
  durable::Patience disk_;
};

class ProducerTest : public BatchTest {
 protected:
  // Workers are quick; behind the send `dies_at` nobody answers any more.
  static FakeServer::Script script(int dies_at = 0, Fate fate = Fate::lost_before) {
    return [=](State& state, const Call& call) {
      state.queued = 0;
      if (dies_at == 0 || state.sends < dies_at) return Fate::done;
      return call.kind == "send" && call.nth == dies_at ? fate : Fate::lost_before;
    };
  }
  [[nodiscard]] static std::vector<std::string> payloads(FakeServer& server) {
    std::vector<std::string> all;
    for (const auto& taken : server.state().taken) all.push_back(taken.payload);
    return all;
  }
};

TEST_F(ProducerTest, WhereverItDiesTheNextProcessSendsExactlyTheRest) {
  grow(30);
  const std::vector<std::string> wanted = rehearsed();
  for (const Fate fate : {Fate::lost_before, Fate::lost_after}) {
    for (int dies_at = 1; dies_at <= static_cast<int>(wanted.size()) + 1; ++dies_at) {
      FakeServer server;
      create();
      server.play(script(dies_at, fate));
      (void)Producer(options_, *run_, server).work();
      reopen();
      server.play(script());
      const auto ended = Producer(options_, *run_, server).work();
      ASSERT_TRUE(ended) << text_of(ended.error());
      ASSERT_TRUE(ended->sent) << text_of(ended->sent.error());
      EXPECT_EQ(payloads(server), wanted) << dies_at;
      EXPECT_EQ(ended->found(), 34U) << dies_at;
      EXPECT_EQ(server.state().wrongs, std::vector<std::string>{});
      EXPECT_TRUE(server.state().standing->is_complete);
      run_.reset();
      fs::remove_all(base_ + "/state");
    }
  }
}

TEST_F(ProducerTest, WhereverItsJournalEndsTheNextProcessGoesOnFromThere) {
  grow(30);
  const std::vector<std::string> wanted = rehearsed();
  for (std::size_t drafts = 0; drafts <= wanted.size() + 2; ++drafts) {
    FakeServer server;
    create();
    server.play(script());
    (void)Producer(options_, *run_, server).work(drafts);
    reopen();
    const auto ended = Producer(options_, *run_, server).work();
    ASSERT_TRUE(ended) << text_of(ended.error());
    ASSERT_TRUE(ended->sent);
    EXPECT_EQ(payloads(server), wanted);
    EXPECT_EQ(ended->found(), 34U) << drafts;
    run_.reset();
    fs::remove_all(base_ + "/state");
  }
}

TEST_F(ProducerTest, WhatAServerHasForgottenMeanwhileComesTwiceAndIsTheSame) {
  grow();
  const std::vector<std::string> wanted = rehearsed();
  FakeServer server;
  create();
  server.play(script(20));
  (void)Producer(options_, *run_, server).work();
  server.change([](State& state) { state.rewind(11, state.standing->run); });
  reopen();
  server.play(script());
  ASSERT_TRUE(Producer(options_, *run_, server).work()->sent);
  std::vector<std::string> expected(wanted.begin(), wanted.begin() + 19);
  expected.insert(expected.end(), wanted.begin() + 11, wanted.end());
  EXPECT_EQ(payloads(server), expected);
}

// Another run, perhaps on another machine: it has nothing but what the server says.
TEST_F(ProducerTest, ANewRunGoesOnWhereAnotherLeftTheJobUnlessItRestarts) {
  grow();
  const std::vector<std::string> wanted = rehearsed();
  for (const bool restarts : {false, true}) {
    FakeServer server;
    create();
    server.play(script(20));
    (void)Producer(options_, *run_, server).work();
    const durable::RunFolder first = run_->folder();
    const std::string name = server.state().standing->run;
    create();
    server.play(script());
    options_.restart = restarts;
    const auto ended = Producer(options_, *run_, server).work();
    ASSERT_TRUE(ended) << text_of(ended.error());
    ASSERT_TRUE(ended->sent) << text_of(ended->sent.error());
    EXPECT_EQ(ended->took_over, restarts ? "" : name);
    EXPECT_EQ(ended->totals.first, 20U);
    std::vector<std::string> expected(wanted.begin(), wanted.begin() + 19);
    expected.insert(expected.end(), wanted.begin() + (restarts ? 0 : 19), wanted.end());
    EXPECT_EQ(payloads(server), expected);
    // Whoever was thought dead finds that nothing is left to do.
    run_.reset();
    open(first);
    const auto late = Producer(options_, *run_, server).work();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().step, "stale");
    EXPECT_EQ(payloads(server), expected);
    run_.reset();
    fs::remove_all(base_ + "/state");
  }
}

TEST_F(ProducerTest, AJobThatWasCompleteBeginsAnew) {
  grow();
  FakeServer server;
  server.play(script());
  std::vector<std::string> expected;
  for (int i = 0; i < 2; ++i) {
    create();
    const auto ended = Producer(options_, *run_, server).work();
    ASSERT_TRUE(ended);
    ASSERT_TRUE(ended->sent);
    EXPECT_EQ(ended->took_over, "");
    EXPECT_EQ(ended->found(), 98U);
    std::ranges::copy(rehearsed(), std::back_inserter(expected));
    run_.reset();
  }
  EXPECT_EQ(payloads(server), expected);
  EXPECT_EQ(server.state().wrongs, std::vector<std::string>{}) << "numbers go on";
}

TEST_F(ProducerTest, ACursorOfAnotherTreeIsRefused) {
  grow();
  FakeServer server;
  server.play(script());
  server.change([](State& state) {
    state.standing = durable::Standing{.last = 3, .run = "r", .cursor = "7/x"};
  });
  create();
  const auto ended = Producer(options_, *run_, server).work();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().step, "resume");
  EXPECT_EQ(server.state().sends, 0);
}

// A folder that is tried again, and a process that dies at every place.
TEST_F(ProducerTest, LettersTriedAgainAreBatchedOnceWhereverItDies) {
  for (int i = 0; i < 9; ++i) write("bad/" + std::to_string(i), std::string(50, 'x'));
  write("bad/.gitignore", std::string(2'000'000, '#'));
  write("a", "a");
  for (std::size_t drafts = 0; drafts <= 6; ++drafts) {
    FakeServer server;
    server.play(script());
    create();
    write("bad/.gitignore", std::string(2'000'000, '#'));
    ASSERT_TRUE(Producer(options_, *run_, server).work()->sent);
    const auto letters = run_->journal().letters(0, 10);
    ASSERT_EQ(letters->size(), 1U);
    ASSERT_TRUE(run_->journal().commit_one(engine::Revived{.id = letters->front().id}));
    fs::remove(base_ + "/tree/bad/.gitignore");
    server.change([](State& state) { state.standing->is_complete = false; });
    reopen();
    (void)Producer(options_, *run_, server).work(drafts);
    reopen();
    const auto ended = Producer(options_, *run_, server).work();
    ASSERT_TRUE(ended) << text_of(ended.error());
    EXPECT_EQ(ended->tally.pending(), 0U);
    EXPECT_EQ(ended->found(), 10U) << drafts;
    const auto all = payloads(server);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size()) << "twice, dead at " << drafts;
    run_.reset();
    fs::remove_all(base_ + "/state");
  }
}

TEST_F(ProducerTest, AFullDiskIsWaitedForAndNothingIsWrittenHalf) {
  write("f", "x");
  create();
  const auto roots = Roots::open(options_.roots);
  ASSERT_TRUE(roots);
  const testing::FakeClock still;
  testing::FakeClock moving;
  durable::Patience disk(moving, nullptr);
  durable::SqliteJournal& journal = run_->journal();
  Ledger ledger({.journal = journal, .patience = disk, .roots = *roots, .clock = still}, {},
                *journal.next_id());
  ASSERT_TRUE(journal.limit_size(kib(4)));
  std::vector<Draft> drafts(200);
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    drafts[i].cursor = {.path = std::to_string(i)};
    drafts[i].batch = Batch{.id = std::to_string(i), .files = {{.path = std::string(200, 'p')}}};
  }
  Result<std::vector<Sealed>> sealed;
  std::jthread writer([&] { sealed = ledger.write(drafts); });
  ASSERT_TRUE(eventually([&] { return disk.is_paused(); }));
  EXPECT_EQ(journal.tally()->found(), 0U);
  EXPECT_EQ(journal.note("position")->value_or(""), "");
  ASSERT_TRUE(journal.limit_size(mib(100)));
  ASSERT_TRUE(eventually([&] {
    moving.advance(std::chrono::seconds(1));
    return journal.tally()->found() > 0;
  }));
  writer.join();
  ASSERT_TRUE(sealed);
  EXPECT_EQ(sealed->size(), 200U);
  EXPECT_EQ(sealed->back().number, 200U);
  EXPECT_EQ(journal.tally()->pending(), 200U);
  EXPECT_EQ(*journal.note("position"), "0/199");
  EXPECT_EQ(totals_of(**journal.note("batch_totals")), ledger.totals());
}

}  // namespace
}  // namespace tidemill::batch
