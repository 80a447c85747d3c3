// The complete job against a server that loses data and refuses calls.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/jobs/batch/batch_journal.h"
#include "tidemill/jobs/batch/batch_rig.h"
#include "tidemill/jobs/batch/cut/batch_pipeline.h"
#include "tidemill/jobs/batch/cut/payload.h"
#include "tidemill/jobs/batch/send/fake_outlet.h"
#include "tidemill/jobs/batch/send/sender.h"
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

// One process of a job, put together as work() does it, with a fake server.
class Producer {
 public:
  Producer(const BatchOptions& options, run::Run& run, FakeServer& server)
      : options_(options),
        run_(run),
        name_(run.folder().id() + "-" + run.card().mark),
        outlet_(server, name_),
        disk_(clock_, nullptr) {}

  struct Ended {
    Result<void> sent{};
    BatchTotals totals{};
    engine::Tally tally{};
    std::string took_over{};
    [[nodiscard]] std::uint64_t found() const {
      std::uint64_t skipped = 0;
      for (const auto& [reason, count] : totals.skipped) skipped += count;
      return totals.files + skipped + tally.failed();
    }
  };

  // `most`: the process dies after it has journalled this many drafts.
  [[nodiscard]] Result<Ended> work(std::size_t most = 1'000'000) {
    auto recipe = recipe_of(options_, "");
    if (!recipe) return std::unexpected(recipe.error());
    auto start = start_of(run_);
    if (!start) return std::unexpected(start.error());
    auto standing = outlet_.open({});
    if (!standing) return std::unexpected(standing.error());
    const auto settled =
        settle_start(*start, standing->value_or(queue::Standing{}), options_, *recipe, name_, run_);
    if (!settled) return std::unexpected(settled.error());
    Sender sender({.outlet = outlet_,
                   .journal = run_.journal(),
                   .disk = disk_,
                   .console = console_,
                   .clock = clock_,
                   .run = name_,
                   .base = start->totals.first - 1,
                   .max_queued = 1},
                  start->sent, start->last_delivered);
    BatchJournal batch_journal(
        {.journal = run_.journal(), .patience = disk_, .roots = recipe->roots, .clock = clock_},
        start->totals, *run_.journal().next_id());
    std::vector<Again> again;
    for (const auto& [letter, task] : start->letters) {
      batch_journal.revive(letter.at, task);
      again.push_back(letter);
    }
    BatchPipeline pipeline({.options = options_,
                            .recipe = *recipe,
                            .clock = clock_,
                            .from = start->from,
                            .skips_walk = start->has_found_all,
                            .again = std::move(again),
                            .again_from = start->again_from});
    std::size_t drafts = 0;
    const auto drafted = pipeline.run(
        [&](BatchDraft&& draft) {
          if (drafts++ == most) return false;
          auto sealed = batch_journal.write({&draft, 1});
          EXPECT_TRUE(sealed);
          for (Sealed& batch : *sealed) (void)sender.put(std::move(batch));
          return true;
        },
        {});
    if (!drafted && drafts <= most) return std::unexpected(drafted.error());
    Ended ended;
    ended.took_over = start->took_over;
    if (drafted) {
      EXPECT_TRUE(batch_journal.note_end());  // all drafts are journalled, sent or not
      ended.sent = sender.finish(true);
    }
    ended.totals = batch_journal.totals();
    ended.tally = *run_.journal().tally();
    return ended;
  }

 private:
  const BatchOptions& options_;
  run::Run& run_;
  const std::string name_;
  JumpClock clock_;
  testing::RecordingConsole console_;
  FakeOutlet outlet_;
  journal::DiskFullWait disk_;
};

class ProducerTest : public BatchTest {
 protected:
  // Workers empty the queue at once; after the send `dies_at` the server does not answer any more.
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

TEST_F(ProducerTest, AfterACrashAtAnySendTheNextProcessSendsExactlyTheRest) {
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

TEST_F(ProducerTest, ResumesWhereverTheJournalEnds) {
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

TEST_F(ProducerTest, ResendsIdenticalBatchesThatTheServerLost) {
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

// Another run, perhaps on another machine: all it has is the server's standing.
TEST_F(ProducerTest, ANewRunContinuesTheJobOfAnotherRunUnlessItRestarts) {
  grow();
  const std::vector<std::string> wanted = rehearsed();
  for (const bool restarts : {false, true}) {
    FakeServer server;
    create();
    server.play(script(20));
    (void)Producer(options_, *run_, server).work();
    const run::RunFolder first = run_->folder();
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
    // A producer that was assumed dead finds nothing left to do.
    run_.reset();
    open(first);
    const auto late = Producer(options_, *run_, server).work();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().step, "stale");
    EXPECT_EQ(late.error().kind, FailureKind::superseded);
    EXPECT_EQ(payloads(server), expected);
    run_.reset();
    fs::remove_all(base_ + "/state");
  }
}

// Otherwise it would take the complete job for one to start over, and send everything again.
TEST_F(ProducerTest, ARunThatHasSentNothingLeavesTheJobToTheOneThatTookOver) {
  grow();
  FakeServer server;
  server.play(script());
  create();
  ASSERT_TRUE(Producer(options_, *run_, server).work(0));
  const run::RunFolder first = run_->folder();
  create();
  ASSERT_TRUE(Producer(options_, *run_, server).work()->sent);
  run_.reset();
  open(first);
  const auto late = Producer(options_, *run_, server).work();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, FailureKind::superseded);
  EXPECT_EQ(payloads(server), rehearsed());
}

TEST_F(ProducerTest, ANewRunOfACompleteJobStartsOver) {
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
    state.standing = queue::Standing{.last = 3, .run = "r", .cursor = "7/x"};
  });
  create();
  const auto ended = Producer(options_, *run_, server).work();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().step, "resume");
  EXPECT_EQ(server.state().sends, 0);
}

// A folder is retried, and the process dies at every possible place.
TEST_F(ProducerTest, RetriedDeadLettersAreBatchedOnceAfterACrashAtAnyPoint) {
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

TEST_F(ProducerTest, WaitsWhileTheDiskIsFullAndWritesNothingPartially) {
  write("f", "x");
  create();
  const auto roots = BatchRoots::open(options_.roots);
  ASSERT_TRUE(roots);
  const testing::FakeClock still;
  testing::FakeClock moving;
  journal::DiskFullWait disk(moving, nullptr);
  journal::SqliteJournal& journal = run_->journal();
  BatchJournal batch_journal(
      {.journal = journal, .patience = disk, .roots = *roots, .clock = still}, {},
      *journal.next_id());
  ASSERT_TRUE(journal.limit_size(kib(4)));
  std::vector<BatchDraft> drafts(200);
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    drafts[i].cursor = {.path = std::to_string(i)};
    drafts[i].batch = Batch{.id = std::to_string(i), .files = {{.path = std::string(200, 'p')}}};
  }
  Result<std::vector<Sealed>> sealed;
  std::jthread writer([&] { sealed = batch_journal.write(drafts); });
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
  EXPECT_EQ(totals_of(**journal.note("batch_totals")), batch_journal.totals());
}

}  // namespace
}  // namespace tidemill::batch
