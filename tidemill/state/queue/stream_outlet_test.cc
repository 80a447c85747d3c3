#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/io/redis/address.h"
#include "tidemill/state/queue/redis_outlet.h"
#include "tidemill/state/queue/stream_keys.h"
#include "tidemill/state/queue/stream_progress.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/stream_rig.h"

namespace tidemill::queue {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::eventually;
using testing::StreamProducer;
using testing::StreamRig;

TEST(StreamKeys, AllKeysOfAStreamShareOneSlot) {
  for (const std::string_view stream :
       {"files", "{team}:files", "a{b}c", "a{b", "x y\n", "{a}{b}"}) {
    const auto keys = stream_keys(stream);
    ASSERT_TRUE(keys) << stream;
    for (const auto& key : {keys->lease, keys->epoch, keys->progress, keys->dead}) {
      EXPECT_EQ(redis::slot_of(key), redis::slot_of(stream)) << key;
    }
  }
  EXPECT_EQ(stream_keys("files")->lease, "{files}:lease");
  EXPECT_EQ(stream_keys("{team}:files")->dead, "{team}:files:dead");
}

TEST(StreamKeys, NamesThatCannotShareASlotAreRefused) {
  for (const std::string_view stream : {"", "a}b", "{}", "{}x", "}{", "{x}"}) {
    EXPECT_EQ(stream_keys(stream).error().step, "usage") << stream;
  }
}

TEST(StreamKeys, ParsesAForeignLeaseValueAsTheOwner) {
  EXPECT_EQ(parse_lease("r7 170 host:1 in town").run, "r7");
  EXPECT_EQ(parse_lease("r7 170 host:1 in town").epoch, "170");
  EXPECT_EQ(parse_lease("r7 170 host:1 in town").owner, "host:1 in town");
  EXPECT_EQ(parse_lease("some one").owner, "some one");
  EXPECT_EQ(parse_lease("").owner, "");
}

TEST(StreamProgress, RoundTrips) {
  for (const std::string& cursor : {""s, "a b"s, "\0\n \xff 1 0 "s, std::string(100'000, ' ')}) {
    for (const bool is_complete : {false, true}) {
      const Standing standing{
          .last = ~std::uint64_t{0}, .run = "r", .cursor = cursor, .is_complete = is_complete};
      EXPECT_EQ(parse_progress(progress_text(standing)), standing);
    }
  }
}

TEST(StreamProgress, RejectsInvalidText) {
  for (const std::string_view text : {"", "r", "r 1", "r 1 0", "r x 0 c", "r 1 2 c", "r -1 0 c",
                                      "r 1x 0 c", " 1 0 c", "r 99999999999999999999 0 c"}) {
    EXPECT_EQ(parse_progress(text).error().step, "progress") << text;
  }
}

class StreamOutlet : public ::testing::Test {
 protected:
  StreamOutlet() {
    if (testing::has_redis()) rig_.emplace();
  }
  void SetUp() override { TIDEMILL_NEEDS_REDIS(); }
  std::string say(std::initializer_list<std::string_view> words) { return rig_->server.say(words); }

  std::optional<StreamRig> rig_;
};

TEST_F(StreamOutlet, ANewStreamHasItsGroupBeforeItsFirstBatch) {
  auto a = rig_->producer("a");
  const auto standing = a.open();
  ASSERT_TRUE(standing) << text_of(standing.error());
  EXPECT_EQ(*standing, std::nullopt);
  EXPECT_EQ(say({"XLEN", "files"}), ":0\r\n");
  EXPECT_TRUE(say({"XINFO", "GROUPS", "files"}).contains("\r\ntidemill\r\n"));
  ASSERT_TRUE(a.send(1));
  const auto read = say({"XREADGROUP", "GROUP", "tidemill", "me", "STREAMS", "files", ">"});
  EXPECT_TRUE(read.contains("\r\nb1\r\n")) << read;
}

TEST_F(StreamOutlet, ExistingGroupKeepsItsPosition) {
  say({"XADD", "files", "5-1", "id", "old"});
  say({"XGROUP", "CREATE", "files", "tidemill", "$"});
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  const auto read = say({"XREADGROUP", "GROUP", "tidemill", "me", "STREAMS", "files", ">"});
  EXPECT_FALSE(read.contains("old")) << read;
}

TEST_F(StreamOutlet, ABatchIsAnEntryWithItsNumberAndItsFields) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2));
  const auto epoch = say({"GET", "{files}:epoch"});
  const std::string number = epoch.substr(epoch.find('\n') + 1, 13);
  const auto second = say({"XRANGE", "files", number + "-2000000", "+"});
  EXPECT_TRUE(second.contains("\r\nid\r\n$2\r\nb2\r\n$2\r\nat\r\n$13\r\n1")) << second;
  EXPECT_TRUE(second.contains("\r\nbatch\r\n")) << second;
  EXPECT_TRUE(second.contains("{\"id\":\"b2\"")) << second;
  EXPECT_EQ(rig_->batches(), "b1 b2");
  EXPECT_EQ(a->depth({}), 2U);
  EXPECT_TRUE(say({"GET", "{files}:lease"}).contains("a " + number + " host-of-a:1"));
}

TEST_F(StreamOutlet, NextProducerContinuesFromTheStoredProgress) {
  const std::string cursor = "src/\0\n\r\n$3 \xff k.c"s;
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(3, cursor));
  a->close();
  a->close();
  auto b = rig_->producer("b");
  EXPECT_EQ(b.open(), (Standing{.last = 3, .run = "a", .cursor = cursor}));
  ASSERT_TRUE(b.send(1, "z"));
  EXPECT_EQ(rig_->producer("d")->look({}), (Standing{.last = 4, .run = "b", .cursor = "z"}));
  b->close();
  EXPECT_EQ(rig_->producer("c").open(), (Standing{.last = 4, .run = "b", .cursor = "z"}));
  EXPECT_EQ(rig_->batches(), "b1 b2 b3 b4");
}

TEST_F(StreamOutlet, ContinuesAfterTheStreamIsTrimmed) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(3, "c"));
  say({"XTRIM", "files", "MAXLEN", "0"});
  EXPECT_EQ(a.open(), (Standing{.last = 3, .run = "a", .cursor = "c"}));
  ASSERT_TRUE(a.send(1));
  EXPECT_EQ(rig_->batches(), "b4");
}

TEST_F(StreamOutlet, JobsOnOneStreamKeepSeparateProgress) {
  auto a = rig_->producer("a", "red");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2, "r"));
  a->close();
  auto b = rig_->producer("b", "blue");
  EXPECT_EQ(b.open(), std::nullopt);
  ASSERT_TRUE(b.send(1, "b"));
  b->close();
  EXPECT_EQ(a.open(), (Standing{.last = 2, .run = "a", .cursor = "r"}));
}

TEST_F(StreamOutlet, CompletedJobIsReportedAndCanStartOver) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2, "end"));
  ASSERT_TRUE(a->complete({}));
  a->close();
  auto b = rig_->producer("b");
  EXPECT_EQ(b.open(), (Standing{.last = 2, .run = "a", .cursor = "end", .is_complete = true}));
  const Parcel first{.number = 1, .id = "b1", .payload = "{}", .cursor = "again"};
  ASSERT_TRUE(b->send({&first, 1}, {}));
  EXPECT_EQ(b.open(), (Standing{.last = 1, .run = "b", .cursor = "again"}));
}

TEST_F(StreamOutlet, AJobWithoutBatchesCanBeCompleteToo) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a->complete({}));
  EXPECT_EQ(a.open(), (Standing{.run = "a", .is_complete = true}));
}

TEST_F(StreamOutlet, RefusesASecondProducerAndNamesTheHolder) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  auto b = rig_->producer("b");
  const auto refused = b.open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "lease");
  EXPECT_EQ(refused.error().kind, FailureKind::held);
  EXPECT_EQ(refused.error().cure, Cure::give_up);
  EXPECT_TRUE(refused.error().reason.contains("files is held by host-of-a:1 for another 5 min"))
      << refused.error().reason;
  EXPECT_TRUE(a.send(1));
  b->close();
  EXPECT_TRUE(a.send(1)) << "b gave nothing back that was not its own";
  a->close();
  EXPECT_TRUE(b.open());
}

TEST_F(StreamOutlet, ResumedRunGetsItsLeaseImmediately) {
  {
    auto killed = rig_->producer("ab");
    ASSERT_TRUE(killed.open());
    ASSERT_TRUE(killed.send(1));
  }  // without close()
  EXPECT_FALSE(rig_->producer("a").open()) << "the beginning of a name is not the name";
  EXPECT_FALSE(rig_->producer("abc").open());
  auto resumed = rig_->producer("ab");
  ASSERT_TRUE(resumed.open());
  EXPECT_EQ(resumed.last(), 1U);
  EXPECT_TRUE(resumed.send(1));
}

TEST_F(StreamOutlet, LongSendsAreCutIntoGroups) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(250));
  EXPECT_TRUE(say({"INFO", "commandstats"}).contains("cmdstat_exec:calls=3,"));
  EXPECT_EQ(a->depth({}), 250U);
  ASSERT_TRUE(a.send(5, "c", 600 << 10));
  EXPECT_TRUE(say({"INFO", "commandstats"}).contains("cmdstat_exec:calls=8,"));
  ASSERT_TRUE(a.send(1, "c", 3 << 20));
  EXPECT_EQ(a->depth({}), 256U);
}

TEST_F(StreamOutlet, BatchesOutOfOrderAreNotSent) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(3));
  const std::string before = rig_->contents();
  const auto send = [&](std::initializer_list<std::uint64_t> numbers) {
    std::vector<Parcel> parcels;
    for (const auto number : numbers) parcels.push_back({.number = number, .id = "x"});
    return a->send(parcels, {});
  };
  EXPECT_EQ(send({5}).error().reason, "batch 5 does not follow batch 3");
  EXPECT_EQ(send({4, 6}).error().reason, "batch 6 does not follow batch 4");
  EXPECT_EQ(send({3}).error().cure, Cure::give_up);
  EXPECT_TRUE(send({}));
  EXPECT_EQ(rig_->contents(), before);
  EXPECT_TRUE(send({4}));
}

TEST_F(StreamOutlet, NamesAreCheckedBeforeAnythingIsSent) {
  const auto step = [&](const std::string& run, const std::string& stream,
                        const std::string& group) {
    const auto made =
        make_stream_outlet({.client = rig_->client(), .run = run},
                           {.stream = stream, .group = group}, rig_->clock, rig_->log);
    return made ? "" : made.error().step;
  };
  EXPECT_EQ(step("r", "files", "g"), "");
  EXPECT_EQ(step("r s", "files", "g"), "usage");
  EXPECT_EQ(step("", "files", "g"), "usage");
  EXPECT_EQ(step("r", "fi}les", "g"), "usage");
  EXPECT_EQ(step("r", "files", ""), "usage");
}

TEST_F(StreamOutlet, FindsServerSettingsThatCouldLoseBatches) {
  const auto client = redis::Client::make(rig_->client(), rig_->clock).value();
  const auto ask = [&] {
    std::string all;
    const auto found = worries(*client, {}).value();
    for (const auto& worry : found) all += worry.substr(0, worry.find(' ')) + ";";
    return all;
  };
  say({"CONFIG", "SET", "appendonly", "yes", "save", ""});
  EXPECT_EQ(ask(), "");
  say({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru", "appendfsync", "no"});
  EXPECT_EQ(ask(), "maxmemory-policy;appendfsync;");
  say({"CONFIG", "SET", "appendonly", "no", "maxmemory-policy", "noeviction"});
  EXPECT_EQ(ask(), "the;");
  say({"CONFIG", "SET", "save", "60 1000"});
  EXPECT_EQ(ask(), "appendonly;");
  say({"ACL", "SETUSER", "default", "-config"});
  EXPECT_EQ(ask(), "");
}

}  // namespace
}  // namespace tidemill::queue
