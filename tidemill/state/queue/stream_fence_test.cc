// Failures between producers, the server and other programs: no batch is ever lost, and none comes
// from a producer whose epoch is over.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/state/queue/outlet_scripts.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/stream_rig.h"

namespace tidemill::queue {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::StreamRig;

class StreamFence : public ::testing::Test {
 protected:
  StreamFence() {
    if (testing::has_redis()) rig_.emplace();
  }
  void SetUp() override { TIDEMILL_NEEDS_REDIS(); }
  std::string say(std::initializer_list<std::string_view> words) { return rig_->server.say(words); }
  std::string epoch() {
    const auto client = redis::Client::make(rig_->client(), rig_->clock).value();
    return client->call({"GET", "{files}:epoch"}).value().text;
  }

  std::optional<StreamRig> rig_;
};

void expect_stale(const Result<void>& result) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().step, "stale") << text_of(result.error());
  EXPECT_EQ(result.error().kind, FailureKind::superseded);
  EXPECT_EQ(result.error().cure, Cure::give_up);
}

void expect_retry(const Result<void>& result, std::string_view reason) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().cure, Cure::retry) << text_of(result.error());
  EXPECT_TRUE(result.error().reason.contains(reason)) << text_of(result.error());
}

// "b1 b2 … bN"
std::string batches_to(std::uint64_t last) {
  std::string all;
  for (std::uint64_t i = 1; i <= last; ++i) all += (i == 1 ? "b" : " b") + std::to_string(i);
  return all;
}

TEST_F(StreamFence, ServerRefusesAStaleProducerWithoutSideEffects) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2, "from a"));
  rig_->end_lease();
  auto b = rig_->producer("b");
  ASSERT_TRUE(b.open());
  ASSERT_TRUE(b.send(2, "from b"));
  const std::string before = rig_->contents();
  const auto late = a.send(3, "too late");
  expect_stale(late);
  EXPECT_TRUE(late.error().reason.contains("host-of-b:1")) << late.error().reason;
  EXPECT_EQ(rig_->contents(), before);
  EXPECT_EQ(a.open().error().step, "lease") << "b holds it";
  a->close();
  ASSERT_TRUE(b.send(1, "from b"));
  EXPECT_EQ(rig_->batches(), batches_to(5));
  EXPECT_EQ(b.open(), (Standing{.last = 5, .run = "b", .cursor = "from b"}));
}

TEST_F(StreamFence, RefusesAStaleProducerBeforeTheNewProducerSends) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2));
  rig_->end_lease();
  auto b = rig_->producer("b");
  ASSERT_TRUE(b.open());
  const std::string before = rig_->contents();
  expect_stale(a.send(100));
  EXPECT_EQ(rig_->contents(), before);
}

TEST_F(StreamFence, RefusesAStaleProducerAfterTheNewProducerHasClosed) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(1));
  rig_->end_lease();
  auto b = rig_->producer("b");
  ASSERT_TRUE(b.open());
  ASSERT_TRUE(b.send(1));
  ASSERT_TRUE(b->complete({}));
  b->close();
  const std::string before = rig_->contents();
  expect_stale(a.send(1));
  EXPECT_EQ(rig_->contents(), before);
}

TEST_F(StreamFence, AStaleProducerCannotEndTheJob) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2));
  rig_->end_lease();
  auto b = rig_->producer("b");
  ASSERT_TRUE(b.open());
  const std::string before = rig_->contents();
  expect_stale(a->complete({}));
  EXPECT_EQ(rig_->contents(), before);
}

TEST_F(StreamFence, StaleProducerOfAnotherJobCannotAdvanceItsProgress) {
  auto a = rig_->producer("a", "red");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2, "here"));
  rig_->end_lease();
  auto b = rig_->producer("b", "blue");
  ASSERT_TRUE(b.open());
  expect_stale(a.send(1, "further"));
  b->close();
  EXPECT_EQ(a.open(), (Standing{.last = 2, .run = "a", .cursor = "here"}));
}

TEST_F(StreamFence, AnOlderProcessOfTheSameRunIsStaleToo) {
  auto zombie = rig_->producer({.client = rig_->client(),
                                .job = "job",
                                .run = "a",
                                .owner = "host-of-a:2",
                                .lease = std::chrono::minutes(5)});
  ASSERT_TRUE(zombie.open());
  auto resumed = rig_->producer("a");
  ASSERT_TRUE(resumed.open());
  expect_stale(zombie.send(1));
  ASSERT_TRUE(resumed.send(1));
}

// The reply to the first request was lost, so the producer opened the stream again; now the first
// request arrives.
TEST_F(StreamFence, LateDuplicateOfAnOpenRequiresReopening) {
  const auto client = redis::Client::make(rig_->client(), rig_->clock).value();
  const std::array<std::string_view, 4> keys{"{files}:lease", "{files}:epoch", "files",
                                             "{files}:progress"};
  const std::array<std::string_view, 5> arguments{"a", "host-of-a:1", "300000", "tidemill", "job"};
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2, "two"));
  ASSERT_EQ(client->eval(acquire_script(), keys, arguments).value().items.size(), 4U);
  expect_retry(a.send(1), "late request");
  EXPECT_EQ(a.open(), (Standing{.last = 2, .run = "a", .cursor = "two"}));
  ASSERT_TRUE(a.send(3));
  EXPECT_EQ(rig_->batches(), batches_to(5));
}

TEST_F(StreamFence, ExpiredLeaseGoesToTheNextProducer) {
  const auto client = redis::Client::make(rig_->client(), rig_->clock).value();
  const std::array<std::string_view, 4> keys{"{files}:lease", "{files}:epoch", "files",
                                             "{files}:progress"};
  const std::array<std::string_view, 5> arguments{"gone", "host:9", "200", "tidemill", "job"};
  ASSERT_EQ(client->eval(acquire_script(), keys, arguments).value().items.size(), 4U);
  auto b = rig_->producer("b");
  EXPECT_TRUE(eventually([&] { return b.open().has_value(); }));
  EXPECT_TRUE(b.send(1));
}

TEST_F(StreamFence, LostLeaseStopsSendingUntilReopened) {
  auto a = rig_->producer("a", "job", 6s);  // the loss is seen within a third of it
  ASSERT_TRUE(a.open());
  rig_->end_lease();
  Result<void> sent;
  ASSERT_TRUE(eventually([&] { return !(sent = a.send(1)); }));
  EXPECT_EQ(sent.error().step, "lease");
  EXPECT_EQ(sent.error().kind, FailureKind::held);
  expect_retry(sent, "no longer has the lease");
  const std::uint64_t last = a.last();
  ASSERT_TRUE(a.open());
  EXPECT_EQ(a.last(), last);
  ASSERT_TRUE(a.send(1));
  EXPECT_EQ(rig_->batches(), batches_to(last + 1));
}

TEST_F(StreamFence, ForeignEntryLosesNoBatchesAndRequiresReopening) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2, "two"));
  // As `*` would a millisecond after the opening.
  say({"XADD", "files", std::to_string(std::stoull(epoch()) + 1) + "-0", "who", "stranger"});
  const std::string before = rig_->contents();
  expect_retry(a.send(3, "five"), "another program writes");
  EXPECT_EQ(rig_->contents(), before);
  expect_retry(a.send(3), "not open");
  EXPECT_EQ(a.open(), (Standing{.last = 2, .run = "a", .cursor = "two"}));
  ASSERT_TRUE(a.send(3));
  EXPECT_EQ(rig_->batches(), batches_to(5));
}

TEST_F(StreamFence, ForeignIdInsideAGroupLosesNoBatches) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(1));
  say({"XADD", "files", epoch() + "-2500000", "who", "stranger"});
  expect_retry(a.send(3), "another program writes");  // 2 is refused, 3 and 4 are taken
  ASSERT_TRUE(a.open());
  EXPECT_EQ(a.last(), 1U);
  ASSERT_TRUE(a.send(3));
  EXPECT_EQ(rig_->batches(), "b1 b3 b4 b2 b3 b4");
}

TEST_F(StreamFence, LeavesRoomForRequeuedBatchesWhileAProducerSends) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(1));
  for (int i = 0; i < 3; ++i) say({"XADD", "files", epoch() + "-*", "id", "back"});
  ASSERT_TRUE(a.send(1));
  EXPECT_EQ(rig_->batches(), "b1 back back back b2");
}

TEST_F(StreamFence, RecreatesDeletedKeysOnlyOnOpen) {
  for (const std::string_view key : {"files", "{files}:epoch", ""}) {
    say({"FLUSHALL"});
    auto a = rig_->producer("a");
    ASSERT_TRUE(a.open());
    ASSERT_TRUE(a.send(2));
    key.empty() ? say({"FLUSHALL"}) : say({"DEL", key});
    expect_retry(a.send(3), "deleted");
    ASSERT_TRUE(a.open()) << key;
    EXPECT_EQ(a.last(), key.empty() ? 0U : 2U) << "what was not taken whole was not taken";
    EXPECT_TRUE(say({"XINFO", "GROUPS", "files"}).contains("tidemill"));
    EXPECT_TRUE(a.send(3));
    EXPECT_TRUE(rig_->batches().ends_with(key.empty() ? "b1 b2 b3" : "b3 b4 b5"));
  }
}

TEST_F(StreamFence, AReplicaWithASlowClockThatMissedTheLastEpochIsSafe) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  // A replica that lacks the writes of a is promoted, and b has taken the lease there.
  say({"XSETID", "files", "1000-0"});
  say({"SET", "{files}:epoch", "1000"});
  say({"SET", "{files}:lease", "b 1000 host-of-b:1", "PX", "600000"});
  expect_retry(a.send(2), "");
  EXPECT_EQ(say({"EXISTS", "{files}:progress"}), ":0\r\n") << "b's standing is b's";
  EXPECT_EQ(a.open().error().step, "lease");
}

TEST_F(StreamFence, EpochsGrowWhateverTheClockSays) {
  say({"SET", "{files}:epoch", "8000000000000"});
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  EXPECT_EQ(epoch(), "8000000000001");
  say({"XADD", "files", "8000000000777-5", "who", "stranger"});
  ASSERT_TRUE(a.open());
  EXPECT_EQ(epoch(), "8000000000778");
}

TEST_F(StreamFence, LeavesAnUnusableStreamUntouched) {
  auto a = rig_->producer("a");
  say({"SET", "files", "text"});
  EXPECT_EQ(a.open().error().cure, Cure::give_up);
  EXPECT_EQ(say({"DBSIZE"}), ":1\r\n");
  say({"DEL", "files"});
  say({"XADD", "files", "9007199254740990-0", "who", "stranger"});
  const Failure refused = a.open().error();
  EXPECT_TRUE(refused.reason.contains("no entry can be added after"));
  EXPECT_EQ(refused.kind, FailureKind::other) << "nobody holds it: waiting would not help";
  EXPECT_EQ(say({"DBSIZE"}), ":1\r\n");
}

TEST_F(StreamFence, FullServerRefusesBatchesUntilThereIsMemory) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(1));
  const std::string before = rig_->contents();
  say({"CONFIG", "SET", "maxmemory", "1"});
  expect_retry(a.send(2), "OOM");
  EXPECT_EQ(a.open().error().cure, Cure::retry);
  say({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(rig_->contents(), before);
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2));
  EXPECT_EQ(rig_->batches(), batches_to(3));
}

}  // namespace
}  // namespace tidemill::queue
