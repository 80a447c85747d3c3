#include "tidemill/jobs/batch/send/sender.h"

#include <unistd.h>

#include <filesystem>
#include <latch>
#include <memory>

#include <gtest/gtest.h>

#include "tidemill/jobs/batch/cut/payload.h"
#include "tidemill/jobs/batch/send/fake_outlet.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::batch {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::eventually;
using Call = FakeServer::Call;
using Fate = FakeServer::Fate;
using State = FakeServer::State;

constexpr std::string_view kRun = "run-1";

class SenderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    auto journal = journal::SqliteJournal::open({.path = folder_ + "/journal.db",
                                                 .access = journal::Access::create,
                                                 .synchronous = journal::Synchronous::off});
    ASSERT_TRUE(journal) << text_of(journal.error());
    journal_ = *std::move(journal);
  }
  void TearDown() override {
    EXPECT_EQ(server_.state().wrongs, std::vector<std::string>{});
    sender_.reset();
    journal_.reset();
    std::filesystem::remove_all(folder_);
  }

  // The next batch of the journal, between tasks of other types.
  Sealed seal() {
    const std::uint64_t number = ++last_;
    const std::string id = "id-" + std::to_string(number);
    const std::string cursor = "0/" + std::to_string(number);
    const std::string payload = "{" + std::to_string(number) + "}";
    Sealed sealed{.task = ++task_,
                  .number = number,
                  .subject = subject_of(
                      {.id = id, .cursor = cursor, .files = 2, .tokens = 10, .payload = payload})};
    keep(sealed);
    return sealed;
  }
  void keep(const Sealed& sealed) {
    const engine::Entry entries[] = {
        engine::Found{.id = sealed.task,
                      .type = std::string(kBatchType),
                      .subject = sealed.subject,
                      .weight = sealed.number},
        engine::Found{.id = ++task_, .type = std::string(kFileType), .subject = "/a file"},
        engine::Skipped{.id = task_, .reason = "binary"}};
    ASSERT_TRUE(journal_->commit(entries));
  }

  // Opens the outlet as work() does.
  void start(const Clock& clock, std::uint64_t max_queued = 0, Sent before = {},
             std::uint64_t base = 0) {
    outlet_ = std::make_unique<FakeOutlet>(server_, std::string(kRun));
    const auto standing = outlet_->open({});
    ASSERT_TRUE(standing);
    disk_ = std::make_unique<journal::DiskFullWait>(clock, nullptr);
    sender_ = std::make_unique<Sender>(Sender::Context{.outlet = *outlet_,
                                                       .journal = *journal_,
                                                       .disk = *disk_,
                                                       .console = console_,
                                                       .clock = clock,
                                                       .run = std::string(kRun),
                                                       .base = base,
                                                       .max_queued = max_queued,
                                                       .patience = seconds(60),
                                                       .settle = settle_},
                                       before, standing->value_or(queue::Standing{}).last);
  }
  void put(int count) {
    for (int i = 0; i < count; ++i) (void)sender_->put(seal());
  }

  // What arrived, by number.
  [[nodiscard]] std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> all;
    for (const FakeServer::Taken& taken : server_.state().taken) {
      const std::string number = std::to_string(taken.number);
      EXPECT_EQ(taken.id, "id-" + number);
      EXPECT_EQ(taken.payload, "{" + number + "}");
      all.push_back(taken.number);
    }
    return all;
  }
  static std::vector<std::uint64_t> sequence(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> all;
    for (; first <= last; ++first) all.push_back(first);
    return all;
  }
  void expect_all_noted(std::uint64_t count) {
    const Sent sent = sender_->sent();
    EXPECT_EQ(sent.batches, count);
    EXPECT_EQ(sent.files, 2 * count);
    EXPECT_EQ(sent.tokens, 10 * count);
    EXPECT_EQ(journal_->tally()->done(), count);
    EXPECT_EQ(journal_->tally()->pending(), last_ - count);
    const Sent noted = sent_of(journal_->note("batch_sent")->value_or(""));
    EXPECT_EQ(noted,
              (Sent{.last = count, .batches = count, .files = 2 * count, .tokens = 10 * count}));
  }

  const std::string folder_ = ::testing::TempDir() + "sender-" + std::to_string(::getpid());
  std::unique_ptr<journal::SqliteJournal> journal_;
  std::uint64_t last_ = 0;
  engine::TaskId task_ = 0;
  JumpClock jumping_;
  testing::FakeClock still_;
  testing::RecordingConsole console_;
  FakeServer server_;
  milliseconds settle_{0};
  std::unique_ptr<FakeOutlet> outlet_;
  std::unique_ptr<journal::DiskFullWait> disk_;
  std::unique_ptr<Sender> sender_;
};

TEST_F(SenderTest, CountsAndJournalsBatchesTheQueueDidNotAdd) {
  server_.change([](FakeServer::State& state) {
    state.known = {
        {2, queue::Arrival::known}, {3, queue::Arrival::completed}, {5, queue::Arrival::failed}};
  });
  start(jumping_);
  put(6);
  ASSERT_TRUE(sender_->finish(true));
  const Sent sent = sender_->sent();
  EXPECT_EQ(sent.added(), 3U);
  EXPECT_EQ(sent.added_files(), 6U);
  EXPECT_EQ(sent.known, 1U);
  EXPECT_EQ(sent.completed, 1U);
  EXPECT_EQ(sent.failed, 1U);
  EXPECT_EQ(sent_of(journal_->note("batch_sent")->value_or("")), sent);
  EXPECT_EQ(sent_of("9 8 7 6 "), (Sent{.last = 9, .batches = 8, .files = 7, .tokens = 6}));
}

TEST_F(SenderTest, EveryBatchArrivesOnceAndInOrder) {
  start(jumping_);
  put(250);
  ASSERT_TRUE(sender_->finish(true));
  EXPECT_EQ(numbers(), sequence(1, 250));
  expect_all_noted(250);
  EXPECT_EQ(server_.state().completes, 1);
  EXPECT_TRUE(server_.state().standing->is_complete);
  EXPECT_EQ(server_.state().standing->cursor, "0/250");
  EXPECT_TRUE(sender_->has_ended());
}

TEST_F(SenderTest, DoesNotMarkAnIncompleteJobComplete) {
  start(jumping_);
  put(3);
  ASSERT_TRUE(sender_->finish(false));
  EXPECT_EQ(server_.state().completes, 0);
  expect_all_noted(3);
}

TEST_F(SenderTest, CompletesAJobWithNothingToSend) {
  settle_ = seconds(2);
  start(jumping_);
  ASSERT_TRUE(sender_->finish(true));
  EXPECT_EQ(server_.state().completes, 1);
  EXPECT_EQ(server_.state().depths, 0) << "nothing to settle";
}

TEST_F(SenderTest, LostConnectionsNeitherLoseNorDuplicateBatches) {
  server_.play([](State&, const Call& call) {
    if (call.kind == "open") return call.nth % 4 == 2 ? Fate::lost_before : Fate::done;
    if (call.kind == "complete") return call.nth < 3 ? Fate::lost_after : Fate::done;
    if (call.nth % 3 == 1) return Fate::lost_before;
    return call.nth % 3 == 2 ? Fate::lost_after : Fate::done;
  });
  start(jumping_);
  put(600);
  ASSERT_TRUE(sender_->finish(true));
  EXPECT_EQ(numbers(), sequence(1, 600));
  expect_all_noted(600);
  EXPECT_EQ(server_.state().completes, 3);
  EXPECT_TRUE(console_.said().said.contains("Reconnecting: connection: lost"));
}

// However far the server went back, exactly what it lost is sent again.
TEST_F(SenderTest, ResendsWhatAServerLostInARollback) {
  for (const std::uint64_t back : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 129U, 190U, 299U}) {
    TearDown();
    server_.change([](State& state) { state = {}; });
    last_ = 0;
    task_ = 0;
    SetUp();
    server_.play([back, has_crashed = false](State& state, const Call& call) mutable {
      if (call.kind != "send" || has_crashed || call.first < 300) return Fate::done;
      has_crashed = true;
      state.rewind(back, std::string(kRun));
      return Fate::lost_before;
    });
    start(jumping_);
    put(300);
    ASSERT_TRUE(eventually([&] { return server_.state().taken.size() >= 299; }));
    put(100);
    ASSERT_TRUE(sender_->finish(true));
    std::vector<std::uint64_t> expected = numbers();
    const auto crashed_at = static_cast<std::ptrdiff_t>(expected.size() - (400 - back));
    EXPECT_EQ(std::vector(expected.begin(), expected.begin() + crashed_at),
              sequence(1, static_cast<std::uint64_t>(crashed_at)));
    EXPECT_EQ(std::vector(expected.begin() + crashed_at, expected.end()), sequence(back + 1, 400))
        << back;
    expect_all_noted(400);
  }
}

TEST_F(SenderTest, FailsWhenATakeoverIsDetectedWhileSending) {
  server_.play([](State& state, const Call& call) {
    if (call.kind == "send" && call.nth == 2) state.take_over(500);
    return Fate::done;
  });
  start(jumping_);
  put(1);
  ASSERT_TRUE(eventually([&] { return server_.state().sends == 1; }));
  put(150);
  const auto ended = sender_->finish(true);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().step, "stale");
  EXPECT_EQ(ended.error().kind, FailureKind::superseded);
  EXPECT_EQ(ended.error().cure, Cure::give_up);
  EXPECT_FALSE(sender_->put(seal()));
  EXPECT_TRUE(sender_->has_ended());
  const State state = server_.state();
  EXPECT_EQ(state.completes, 0);
  EXPECT_EQ(state.taken.size(), 1U);
  EXPECT_EQ(journal_->tally()->done(), state.taken.size()) << "what arrived is noted";
}

TEST_F(SenderTest, FailsWithoutSendingMoreWhenATakeoverIsDetectedOnReconnect) {
  server_.play([](State& state, const Call& call) {
    if (call.kind != "send" || call.nth < 2) return Fate::done;
    state.take_over(500);
    return Fate::lost_before;
  });
  start(jumping_);
  put(1);
  ASSERT_TRUE(eventually([&] { return server_.state().sends == 1; }));
  put(300);
  const auto ended = sender_->finish(true);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().step, "stale");
  EXPECT_EQ(ended.error().kind, FailureKind::superseded);
  EXPECT_EQ(server_.state().sends, 2);
  EXPECT_EQ(numbers(), sequence(1, 1));
}

TEST_F(SenderTest, FailsWhenTheLeaseIsHeldElsewhereOnReconnect) {
  server_.play([](State& state, const Call& call) {
    if (call.kind != "send") return Fate::done;
    state.holder = "another host:17";
    return Fate::lost_after;
  });
  start(jumping_);
  put(1);
  const auto ended = sender_->finish(true);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().step, "lease");
  EXPECT_EQ(ended.error().kind, FailureKind::held);
  EXPECT_TRUE(ended.error().reason.contains("another host:17"));
  EXPECT_EQ(jumping_.waits(), 0) << "nobody waits for a lease in the middle";
}

TEST_F(SenderTest, NeverExceedsTheQueueLimit) {
  server_.play([](State& state, const Call& call) {
    if (call.kind == "depth" && call.nth % 3 == 0)
      state.queued -= std::min<std::uint64_t>(state.queued, 4);
    return Fate::done;
  });
  start(jumping_, 7);
  put(200);
  ASSERT_TRUE(sender_->finish(true));
  EXPECT_EQ(numbers(), sequence(1, 200));
  EXPECT_LE(server_.state().most_queued, 7U);
  EXPECT_TRUE(console_.said().said.contains("The queue holds 7 batches: waiting"));
  EXPECT_TRUE(console_.said().said.contains("The queue has room."));
  EXPECT_GT(jumping_.waits(), 10);
}

TEST_F(SenderTest, NeverExceedsTheQueueLimitOnAnUnstableConnection) {
  server_.play([](State& state, const Call& call) {
    if (call.kind == "depth") state.queued -= std::min<std::uint64_t>(state.queued, 3);
    if (call.kind == "send" && call.nth % 5 == 0) return Fate::lost_after;
    return call.kind == "depth" && call.nth % 7 == 0 ? Fate::lost_before : Fate::done;
  });
  start(jumping_, 5);
  put(120);
  ASSERT_TRUE(sender_->finish(true));
  EXPECT_EQ(numbers(), sequence(1, 120));
  EXPECT_LE(server_.state().most_queued, 5U);
  expect_all_noted(120);
}

TEST_F(SenderTest, AStopWhileItWaitsForRoomEndsItAtOnce) {
  server_.change([](State& state) { state.queued = 9; });
  start(still_, 9);
  put(2);
  ASSERT_TRUE(eventually([&] { return server_.state().depths > 0; }));
  sender_->stop();
  const auto ended = sender_->finish(true);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().cure, Cure::resume);
  EXPECT_EQ(server_.state().sends, 0);
  EXPECT_EQ(server_.state().completes, 0);
  EXPECT_EQ(journal_->tally()->pending(), 2U);
}

TEST_F(SenderTest, AStopWhileItConnectsAgainEndsItAtOnce) {
  server_.play([](State&, const Call& call) {
    return call.kind == "open" && call.nth == 1 ? Fate::done : Fate::lost_before;
  });
  start(still_);
  put(2);
  ASSERT_TRUE(eventually([&] { return server_.state().opens > 1; }));
  sender_->stop();
  EXPECT_EQ(sender_->finish(true).error().cure, Cure::resume);
}

TEST_F(SenderTest, AStopWhileItSettlesEndsItAtOnceAndItIsNotComplete) {
  settle_ = seconds(2);
  start(still_);
  put(2);
  ASSERT_TRUE(eventually([&] { return server_.state().sends > 0; }));
  std::jthread stopper([&] {
    (void)eventually([&] { return journal_->tally()->done() == 2; });
    sender_->stop();
  });
  EXPECT_EQ(sender_->finish(true).error().cure, Cure::resume);
  EXPECT_EQ(server_.state().completes, 0);
}

TEST_F(SenderTest, PutBlocksWhenFullAndFailsAfterAStop) {
  server_.change([](State& state) { state.queued = 9; });
  start(still_, 9);
  std::atomic<int> taken = 0;
  std::jthread putter([&] {
    while (sender_->put({.task = 1, .number = 1, .subject = std::string(100'000, 'x')})) ++taken;
  });
  ASSERT_TRUE(eventually([&] { return taken > 30; }));
  sender_->stop();
  putter.join();
  EXPECT_LT(taken, 200) << "it holds a few megabytes and no more";
}

TEST_F(SenderTest, GivesUpOnAnUnreachableServerAfterTheTimeout) {
  server_.play([](State&, const Call& call) {
    return call.kind == "open" && call.nth == 1 ? Fate::done : Fate::lost_before;
  });
  start(jumping_);
  const Instant began = jumping_.now();
  put(2);
  const auto ended = sender_->finish(true);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().step, "connection");
  EXPECT_GE(jumping_.now() - began, seconds(60));
  EXPECT_LE(jumping_.now() - began, seconds(70));
  EXPECT_LT(server_.state().opens, 400) << "with backoff";
  EXPECT_EQ(journal_->tally()->pending(), 2U);
}

// Out of memory, disk full, no replicas: the server answers but accepts nothing.
TEST_F(SenderTest, GivesUpOnAServerThatAcceptsNothingAfterTheTimeout) {
  server_.play([](State&, const Call& call) {
    const bool refuses = call.kind == "send" && call.nth < 5'000;
    return refuses ? Fate::lost_before : Fate::done;
  });
  start(jumping_);
  put(2);
  const auto ended = sender_->finish(true);
  EXPECT_FALSE(ended);
  EXPECT_LT(server_.state().sends, 1'000) << "with backoff";
}

TEST_F(SenderTest, GivesUpOnAServerThatRefusesCompletionAfterTheTimeout) {
  server_.play([](State&, const Call& call) {
    const bool refuses = call.kind == "complete" && call.nth < 5'000;
    return refuses ? Fate::lost_before : Fate::done;
  });
  start(jumping_);
  put(2);
  EXPECT_FALSE(sender_->finish(true));
  EXPECT_LT(server_.state().completes, 1'000) << "with backoff";
}

TEST_F(SenderTest, FailsOnADamagedBatchBeforeSendingItsGroup) {
  start(jumping_);
  EXPECT_TRUE(sender_->put({.task = 1, .number = 1, .subject = "no batch"}));
  const auto ended = sender_->finish(true);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().step, "journal");
  EXPECT_EQ(ended.error().cure, Cure::give_up);
  EXPECT_EQ(server_.state().sends, 0);
}

TEST_F(SenderTest, FailsOnADamagedJournalBatchWhetherOrNotItHasArrived) {
  for (const std::uint64_t last_delivered : {0U, 1U}) {
    if (last_delivered == 0) keep({.task = ++task_, .number = ++last_, .subject = "no batch"});
    server_.change([&](State& state) { state.rewind(last_delivered, std::string(kRun)); });
    start(jumping_);
    const auto ended = sender_->finish(true);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().step, "journal");
    EXPECT_EQ(server_.state().sends, 0);
  }
}

// No batch arrives before the disk is full, so all results are written after that, in whichever
// groups. They make the rows longer by 2,900 bytes, and the pages with these rows have 900 left.
TEST_F(SenderTest, WaitsWhileTheDiskIsFull) {
  std::latch is_full(1);
  server_.play([&](State&, const Call& call) {
    if (call.kind == "send") is_full.wait();
    return Fate::done;
  });
  start(still_);
  put(1'000);
  EXPECT_TRUE(journal_->limit_size(kib(4)));  // not a page more
  is_full.count_down();
  ASSERT_TRUE(eventually([&] { return disk_->is_paused(); }));
  EXPECT_FALSE(sender_->has_ended());
  ASSERT_TRUE(journal_->limit_size(mib(100)));
  std::jthread later([&] {
    while (!sender_->has_ended()) still_.advance(seconds(1));
  });
  ASSERT_TRUE(sender_->finish(true));
  EXPECT_EQ(numbers(), sequence(1, 1'000));
  expect_all_noted(1'000);
}

TEST_F(SenderTest, ResendsWhatAServerLosesInACrashWhileSettling) {
  settle_ = seconds(2);
  server_.play([](State& state, const Call& call) {
    if (call.kind != "depth" || call.nth > 2) return Fate::done;
    state.rewind(call.nth == 1 ? 3 : 7, std::string(kRun));
    return Fate::lost_before;
  });
  start(jumping_);
  const Instant began = jumping_.now();
  put(10);
  ASSERT_TRUE(sender_->finish(true));
  std::vector<std::uint64_t> expected = sequence(1, 10);
  for (const std::uint64_t first : {4U, 8U}) {
    for (const std::uint64_t number : sequence(first, 10)) expected.push_back(number);
  }
  EXPECT_EQ(numbers(), expected);
  expect_all_noted(10);
  EXPECT_EQ(server_.state().completes, 1);
  EXPECT_GE(jumping_.now() - began, seconds(6)) << "it settles anew each time";
}

TEST_F(SenderTest, ResumeSendsMissingBatchesAndRecordsArrivedBatches) {
  struct Case {
    std::uint64_t noted;
    std::uint64_t arrived;
  };
  for (const Case& at : {Case{0, 0}, Case{3, 3}, Case{2, 5}, Case{5, 2}, Case{8, 8}, Case{0, 8}}) {
    TearDown();
    server_.change([](State& state) { state = {}; });
    last_ = 0;
    task_ = 0;
    SetUp();
    std::vector<Sealed> known;
    for (int i = 0; i < 8; ++i) known.push_back(seal());
    const Sent before{
        .last = at.noted, .batches = at.noted, .files = 2 * at.noted, .tokens = 10 * at.noted};
    for (std::uint64_t i = 0; i < at.noted; ++i) {
      ASSERT_TRUE(journal_->commit_one(engine::Done{.id = known[i].task}));
    }
    server_.change([&](State& state) { state.rewind(at.arrived, std::string(kRun)); });
    start(jumping_, 0, before);
    put(2);
    ASSERT_TRUE(sender_->finish(true));
    EXPECT_EQ(numbers(), sequence(at.arrived + 1, 10));
    expect_all_noted(10);
  }
}

// Numbers continue after those of an earlier producer.
TEST_F(SenderTest, NeverResendsBatchesOfAnEarlierRun) {
  last_ = 40;
  server_.play([has_crashed = false](State& state, const Call& call) mutable {
    if (call.kind != "send" || call.first < 43 || has_crashed) return Fate::done;
    has_crashed = true;
    state.rewind(40, "the run before");
    return Fate::lost_before;
  });
  server_.change([](State& state) { state.rewind(40, "the run before"); });
  start(jumping_, 0, {}, 40);
  put(2);
  ASSERT_TRUE(eventually([&] { return server_.state().taken.size() == 2; }));
  put(2);
  ASSERT_TRUE(sender_->finish(true));
  EXPECT_EQ(numbers(), (std::vector<std::uint64_t>{41, 42, 41, 42, 43, 44}));
  EXPECT_EQ(sender_->sent().batches, 4U);
}

}  // namespace
}  // namespace tidemill::batch
