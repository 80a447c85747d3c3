// The scripts of the BullMQ outlet on a real server. tests/queues shows that BullMQ workers can
// process the jobs.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tidemill/state/queue/bull_scripts.h"
#include "tidemill/state/queue/redis_outlet.h"
#include "tidemill/testing/recording_log.h"
#include "tidemill/testing/redis_server.h"

namespace tidemill::queue {
namespace {

using redis::Reply;
using testing::RecordingLog;
using testing::RedisServer;

constexpr std::string_view kLock = "discovery-lock:/srv/a\nb";

class BullOutletTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TIDEMILL_NEEDS_REDIS();
    server_.emplace();
  }

  [[nodiscard]] std::unique_ptr<Outlet> outlet(const std::string& run = "r1",
                                               const std::string& owner = "host:1",
                                               bool resends = false) {
    auto made = make_bull_outlet(
        {.client = {.address = address()}, .job = "j", .run = run, .owner = owner},
        {.queue = "q", .directory = "/srv/a\nb", .resends = resends}, clock_, log_);
    EXPECT_TRUE(made) << text_of(made.error());
    return *std::move(made);
  }
  [[nodiscard]] std::unique_ptr<Outlet> opened(const std::string& run = "r1",
                                               const std::string& owner = "host:1") {
    auto made = outlet(run, owner);
    const auto standing = made->open({});
    EXPECT_TRUE(standing) << text_of(standing.error());
    return made;
  }
  [[nodiscard]] redis::RedisAddress address() {
    return *redis::parse_address(server_->url(), redis::Origin::hidden);
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    if (!client_) client_ = *redis::Client::make({.address = address()}, clock_);
    auto reply = client_->call(words);
    EXPECT_TRUE(reply) << text_of(reply.error());
    return reply.value_or(Reply{});
  }
  // "a b c", of a list.
  std::string list(std::initializer_list<std::string_view> words) {
    std::string text;
    for (const Reply& item : ask(words).items) text += (text.empty() ? "" : " ") + item.text;
    return text;
  }
  // The arrivals, one character each: "aakcf".
  [[nodiscard]] static Result<std::string> send(Outlet& outlet, std::uint64_t first,
                                                std::uint64_t last,
                                                const std::string& payload = "{}") {
    std::vector<std::string> ids;
    for (auto n = first; n <= last; ++n) ids.push_back("b" + std::to_string(n));
    std::vector<Parcel> parcels;
    for (auto n = first; n <= last; ++n) {
      const std::string& id = ids[n - first];
      parcels.push_back({.number = n, .id = id, .payload = payload, .cursor = id});
    }
    const auto sent = outlet.send(parcels, {});
    if (!sent) return std::unexpected(sent.error());
    std::string letters;
    for (const Arrival arrival : *sent) letters += "akcf"[static_cast<std::size_t>(arrival)];
    return letters;
  }
  // The next batch of the job is the first again.
  void start_over() { ask({"HDEL", "bull:q:tidemill:standing", "j"}); }
  static void expect(const auto& result, Cure cure, const std::string& step) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().cure, cure) << text_of(result.error());
    EXPECT_EQ(result.error().step, step) << text_of(result.error());
  }

  SystemClock clock_;
  RecordingLog log_;
  std::optional<RedisServer> server_;
  std::unique_ptr<redis::Client> client_;
};

TEST_F(BullOutletTest, StoresAJobAsBullMqDoes) {
  auto outlet = opened();
  ASSERT_TRUE(send(*outlet, 1, 2, R"({"id":"b1"})"));
  EXPECT_EQ(list({"LRANGE", "bull:q:wait", "0", "-1"}), "b2 b1");
  EXPECT_EQ(list({"HMGET", "bull:q:b1", "name", "data", "delay", "priority"}),
            R"(batch {"id":"b1"} 0 0)");
  EXPECT_EQ(ask({"HGET", "bull:q:b1", "opts"}).text,
            R"({"attempts":3,"backoff":{"delay":1000,"type":"exponential"},"jobId":"b1",)"
            R"("removeOnComplete":true,"removeOnFail":false})");
  EXPECT_EQ(ask({"HLEN", "bull:q:b1"}).number, 6);
  EXPECT_EQ(ask({"GET", "bull:q:id"}).text, "2");
  EXPECT_EQ(list({"ZRANGE", "bull:q:marker", "0", "-1"}), "0");
  EXPECT_EQ(ask({"XLEN", "bull:q:events"}).number, 4);
  EXPECT_EQ(ask({"EXISTS", "bull:q:meta"}).number, 0);
}

TEST_F(BullOutletTest, ManyBatchesKeepTheirOrder) {
  auto outlet = opened();
  ASSERT_TRUE(send(*outlet, 1, 130));
  ASSERT_TRUE(send(*outlet, 131, 131));
  EXPECT_EQ(ask({"LLEN", "bull:q:wait"}).number, 131);
  EXPECT_EQ(ask({"LINDEX", "bull:q:wait", "-1"}).text, "b1");
  EXPECT_EQ(ask({"LINDEX", "bull:q:wait", "-100"}).text, "b100");
  EXPECT_EQ(ask({"LINDEX", "bull:q:wait", "0"}).text, "b131");
  const auto standing = opened()->open({});
  EXPECT_EQ(**standing, (Standing{.last = 131, .run = "r1", .cursor = "b131"}));
}

TEST_F(BullOutletTest, LargeBatchesGoInSeveralPipelines) {
  auto outlet = opened();
  ASSERT_TRUE(send(*outlet, 1, 12, "\"" + std::string(1'500'000, 'x') + "\""));
  EXPECT_EQ(ask({"LLEN", "bull:q:wait"}).number, 12);
  EXPECT_EQ(ask({"HSTRLEN", "bull:q:b12", "data"}).number, 1'500'002);
}

TEST_F(BullOutletTest, PreservesArbitraryBytesInACursor) {
  auto outlet = opened();
  const std::string cursor("a b\n\0\xff 1 ", 9);
  const std::vector<Parcel> parcels{{.number = 1, .id = "b1", .payload = "{}", .cursor = cursor}};
  ASSERT_TRUE(outlet->send(parcels, {}));
  EXPECT_EQ((*outlet->open({}))->cursor, cursor);
  EXPECT_EQ((*outlet->look({}))->cursor, cursor);
  ASSERT_TRUE(outlet->complete({}));
  EXPECT_EQ(**outlet->open({}),
            (Standing{.last = 1, .run = "r1", .cursor = cursor, .is_complete = true}));
}

TEST_F(BullOutletTest, TheLockIsHeldByOneProducer) {
  auto first = opened("r1", "here:17");
  EXPECT_EQ(ask({"GET", kLock}).text, "r1 here:17");
  EXPECT_GT(ask({"PTTL", kLock}).number, 20'000);
  auto second = outlet("r2");
  const auto refused = second->open({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, Cure::give_up);
  EXPECT_EQ(refused.error().step, "lease");
  EXPECT_EQ(refused.error().kind, FailureKind::held);
  EXPECT_TRUE(refused.error().reason.contains("a\\nb is held by here:17 for another"))
      << refused.error().reason;
  first->close();
  EXPECT_TRUE(second->open({}));
}

TEST_F(BullOutletTest, RunTakesOverItsOwnLockFromAnEarlierProcess) {
  auto before = opened("r1", "here:17");
  ASSERT_TRUE(send(*before, 1, 1));
  auto after = opened("r1", "here:18");
  ASSERT_TRUE(send(*after, 2, 2));
  expect(send(*before, 3, 3), Cure::give_up, "stale");
}

TEST_F(BullOutletTest, DistinguishesRunsWithACommonNamePrefix) {
  auto first = opened("r1");
  EXPECT_FALSE(outlet("r")->open({}));
  EXPECT_FALSE(outlet("r11")->open({}));
}

TEST_F(BullOutletTest, AStaleProducerIsRefusedByTheServer) {
  auto outlet = opened();
  ASSERT_TRUE(send(*outlet, 1, 3));
  ask({"SET", kLock, "r2 there:9"});
  const auto sent = send(*outlet, 4, 120);
  expect(sent, Cure::give_up, "stale");
  ASSERT_FALSE(sent);
  EXPECT_TRUE(sent.error().reason.contains("there:9")) << sent.error().reason;
  expect(outlet->complete({}), Cure::give_up, "stale");
  EXPECT_EQ(ask({"LLEN", "bull:q:wait"}).number, 3);
  EXPECT_EQ(ask({"EXISTS", "bull:q:b4"}).number, 0);
  EXPECT_EQ(ask({"HGET", "bull:q:tidemill:standing", "j"}).text, "r1 3 0 b3");
  outlet->close();
  EXPECT_EQ(ask({"GET", kLock}).text, "r2 there:9");
}

// Its first call is still on its way when it loses the lock. Another producer completes the job;
// then this one opens again, and the call arrives. By now the lock has the value of the call again.
TEST_F(BullOutletTest, ALateCallIsRefusedAlthoughItsProducerHasTheLockAgain) {
  auto late = opened("r1");
  ask({"DEL", kLock});
  auto other = opened("r2", "there:9");
  ASSERT_TRUE(send(*other, 1, 3));
  ASSERT_TRUE(other->complete({}));
  other->close();
  for (const auto* id : {"b1", "b2", "b3"}) {  // consumed
    ask({"LREM", "bull:q:wait", "0", id});
    ask({"DEL", std::string("bull:q:") + id});
  }
  const auto standing = late->open({});
  ASSERT_TRUE(standing);
  EXPECT_EQ((*standing)->run, "r2");
  expect(send(*late, 1, 2), Cure::retry, "redis");
  EXPECT_EQ(ask({"EXISTS", "bull:q:wait", "bull:q:b1", "bull:q:b2"}).number, 0);
  EXPECT_EQ(ask({"HGET", "bull:q:tidemill:standing", "j"}).text, "r2 3 1 b3");
}

TEST_F(BullOutletTest, ExpiredLockCanBeReacquired) {
  auto outlet = opened();
  ask({"DEL", kLock});
  expect(send(*outlet, 1, 1), Cure::retry, "lease");
  expect(outlet->complete({}), Cure::retry, "lease");
  EXPECT_EQ(ask({"EXISTS", "bull:q:wait"}).number, 0);
  ASSERT_TRUE(outlet->open({}));
  EXPECT_TRUE(send(*outlet, 1, 1));
}

TEST_F(BullOutletTest, DoesNotAddAnExistingBatchTwice) {
  auto outlet = opened();
  ASSERT_TRUE(send(*outlet, 1, 3));
  ask({"LREM", "bull:q:wait", "0", "b2"});
  ask({"ZADD", "bull:q:failed", "1", "b2"});
  ask({"LREM", "bull:q:wait", "0", "b1"});
  ask({"ZADD", "bull:q:completed", "1", "b1"});
  start_over();
  EXPECT_EQ(send(*outlet, 1, 4), "cfka");
  EXPECT_EQ(list({"LRANGE", "bull:q:wait", "0", "-1"}), "b4 b3");
  EXPECT_EQ(ask({"XLEN", "bull:q:events"}).number, 8);
  const std::vector<Parcel> twins{{.number = 5, .id = "b5", .payload = "{}"},
                                  {.number = 6, .id = "b5", .payload = "{}"}};
  EXPECT_EQ(outlet->send(twins, {}), (std::vector{Arrival::added, Arrival::known}));
  EXPECT_EQ(list({"LRANGE", "bull:q:wait", "0", "-1"}), "b5 b4 b3");
}

TEST_F(BullOutletTest, ResendingReplacesOnlyCompletedAndFailedJobs) {
  ASSERT_TRUE(send(*opened(), 1, 4));
  for (const auto* id : {"b1", "b2", "b3"}) ask({"LREM", "bull:q:wait", "0", id});
  ask({"ZADD", "bull:q:completed", "1", "b1"});
  ask({"ZADD", "bull:q:failed", "1", "b2"});
  ask({"LPUSH", "bull:q:active", "b3"});
  ask({"HSET", "bull:q:b1", "returnvalue", "7"});
  ask({"RPUSH", "bull:q:b2:logs", "line"});
  start_over();
  auto again = outlet("r1", "host:1", true);
  ASSERT_TRUE(again->open({}));
  EXPECT_EQ(send(*again, 1, 4, "{2}"), "aakk");
  EXPECT_EQ(list({"LRANGE", "bull:q:wait", "0", "-1"}), "b2 b1 b4");
  EXPECT_EQ(ask({"EXISTS", "bull:q:completed", "bull:q:failed", "bull:q:b2:logs"}).number, 0);
  EXPECT_TRUE(ask({"HGET", "bull:q:b1", "returnvalue"}).is_nil());
  EXPECT_EQ(ask({"HGET", "bull:q:b1", "data"}).text, "{2}");
  EXPECT_EQ(ask({"HGET", "bull:q:b3", "data"}).text, "{}");
}

// A server that was reset to an older state must not accept later batches.
TEST_F(BullOutletTest, StopsSendingWhenTheServerHasLostBatches) {
  auto outlet = opened();
  ASSERT_TRUE(send(*outlet, 1, 5));
  ask({"HSET", "bull:q:tidemill:standing", "j", "r1 3 0 b3"});
  expect(send(*outlet, 6, 6), Cure::retry, "redis");
  expect(outlet->complete({}), Cure::retry, "redis");
  EXPECT_EQ(ask({"EXISTS", "bull:q:b6"}).number, 0);
  const auto standing = outlet->open({});
  EXPECT_EQ((*standing)->last, 3U);
  EXPECT_TRUE(send(*outlet, 4, 6));
}

TEST_F(BullOutletTest, FailedCallStopsTheRestOfThePipeline) {
  auto outlet = opened();
  ask({"SET", "bull:q:wait", "no list"});
  expect(send(*outlet, 1, 200), Cure::give_up, "redis");
  EXPECT_EQ(ask({"EXISTS", "bull:q:b1", "bull:q:b51", "bull:q:b200"}).number, 0);
  EXPECT_EQ(ask({"EXISTS", "bull:q:tidemill:standing", "bull:q:id", "bull:q:events"}).number, 0);
  ask({"DEL", "bull:q:wait"});
  EXPECT_EQ(*outlet->open({}), std::nullopt);
  EXPECT_TRUE(send(*outlet, 1, 200));
}

TEST_F(BullOutletTest, CompletedJobStartsOver) {
  auto outlet = opened();
  ASSERT_TRUE(outlet->complete({}));  // of an empty tree
  EXPECT_EQ(**outlet->open({}), (Standing{.run = "r1", .is_complete = true}));
  ASSERT_TRUE(send(*outlet, 1, 2));
  ASSERT_TRUE(outlet->complete({}));
  ASSERT_TRUE(outlet->complete({}));
  outlet->close();
  auto next = opened("r2");
  EXPECT_TRUE((*next->open({}))->is_complete);
  ASSERT_TRUE(send(*next, 3, 3));  // numbers go on
  EXPECT_EQ(**next->open({}), (Standing{.last = 3, .run = "r2", .cursor = "b3"}));
}

TEST_F(BullOutletTest, AddsJobsToAPausedQueueWhereNoVersionLosesThem) {
  struct Case {
    std::string_view version;
    bool has_paused;  // a list of jobs that were paused before
    std::string_view target;
  };
  auto outlet = opened();
  std::uint64_t number = 0;
  for (const Case& c :
       {Case{"", false, "bull:q:paused"}, Case{"bullmq:4.18.3", false, "bull:q:paused"},
        Case{"bullmq:5.81.5", false, "bull:q:paused"}, Case{"bullmq:6.7.0", false, "bull:q:wait"},
        Case{"bullmq:10.0.0", false, "bull:q:wait"}, Case{"bullmq:6.7.0", true, "bull:q:paused"},
        Case{"bullmq-pro:7.1.0", false, "bull:q:paused"}}) {
    ask({"DEL", "bull:q:wait", "bull:q:paused", "bull:q:meta", "bull:q:marker"});
    ask({"HSET", "bull:q:meta", "paused", "1"});
    if (!c.version.empty()) ask({"HSET", "bull:q:meta", "version", c.version});
    if (c.has_paused) ask({"LPUSH", "bull:q:paused", "old"});
    ++number;
    ASSERT_TRUE(send(*outlet, number, number));
    EXPECT_EQ(ask({"LINDEX", c.target, "0"}).text, "b" + std::to_string(number)) << c.version;
    EXPECT_EQ(ask({"EXISTS", "bull:q:marker"}).number, 0) << "nobody is woken";
  }
}

TEST_F(BullOutletTest, TheSettingsOfTheQueueAreHonoured) {
  auto outlet = opened();
  ask({"HSET", "bull:q:meta", "concurrency", "2", "opts.maxLenEvents", "10"});
  ask({"LPUSH", "bull:q:active", "x", "y"});
  ask({"CONFIG", "SET", "stream-node-max-entries", "5"});
  ASSERT_TRUE(send(*outlet, 1, 100));
  EXPECT_EQ(ask({"EXISTS", "bull:q:marker"}).number, 0) << "no worker may take more";
  EXPECT_LE(ask({"XLEN", "bull:q:events"}).number, 15);
  ask({"LPOP", "bull:q:active"});
  ASSERT_TRUE(send(*outlet, 101, 101));
  EXPECT_EQ(ask({"EXISTS", "bull:q:marker"}).number, 1);
}

TEST_F(BullOutletTest, DepthCountsUnfinishedJobs) {
  auto outlet = opened();
  EXPECT_EQ(*outlet->depth({}), 0U);
  ASSERT_TRUE(send(*outlet, 1, 3));
  ask({"LPUSH", "bull:q:paused", "p"});
  ask({"LPUSH", "bull:q:active", "a"});
  ask({"ZADD", "bull:q:delayed", "1", "d"});
  ask({"ZADD", "bull:q:prioritized", "1", "r"});
  ask({"ZADD", "bull:q:completed", "1", "c"});
  EXPECT_EQ(*outlet->depth({}), 7U);
}

TEST_F(BullOutletTest, ReloadsTheScriptWhenTheServerHasLostIt) {
  auto outlet = opened();
  ASSERT_TRUE(send(*outlet, 1, 1));
  ask({"SCRIPT", "FLUSH"});
  ASSERT_TRUE(send(*outlet, 2, 120));
  EXPECT_EQ(ask({"LLEN", "bull:q:wait"}).number, 120);
}

TEST_F(BullOutletTest, ReportsAnUnreachableServerAsRetryable) {
  auto outlet = opened();
  server_->kill();
  expect(send(*outlet, 1, 1), Cure::retry, "redis");
  EXPECT_EQ(outlet->open({}).error().cure, Cure::retry);
  server_->restart();
  ASSERT_TRUE(outlet->open({}));
  EXPECT_TRUE(send(*outlet, 1, 1));
}

TEST(BullKeys, AllKeysShareTheHashTag) {
  const BullKeys plain = bull_keys("bull", "q", "/srv");
  EXPECT_EQ(plain.lock, "discovery-lock:/srv");
  EXPECT_EQ(plain.wait, "bull:q:wait");
  const BullKeys tagged = bull_keys("x{bull}", "q", "/srv{t}");
  EXPECT_EQ(tagged.lock, "{bull}:discovery-lock:/srv{t}");
  EXPECT_EQ(redis::slot_of(tagged.lock), redis::slot_of(tagged.standing));
  EXPECT_EQ(redis::slot_of(tagged.lock), redis::slot_of(tagged.base + "b1"));
  EXPECT_EQ(hash_tag_of("a{}b{c}"), "");
  EXPECT_EQ(hash_tag_of("a{b"), "");
}

TEST(BullOutlet, RefusesInvalidOptions) {
  const SystemClock clock;
  SilentLog log;
  const auto step_of = [&](OutletOptions options, BullOptions bull) {
    const auto made = make_bull_outlet(std::move(options), std::move(bull), clock, log);
    return made ? "" : made.error().step;
  };
  const auto single = *redis::parse_address("redis://127.0.0.1:1", redis::Origin::hidden);
  const auto cluster = *redis::parse_address("redis+cluster://127.0.0.1:1", redis::Origin::hidden);
  EXPECT_EQ(step_of({.client = {.address = single}, .run = "r"}, {.queue = "q"}), "");
  EXPECT_EQ(step_of({.client = {.address = single}, .run = "r"}, {.queue = ""}), "usage");
  EXPECT_EQ(step_of({.client = {.address = single}, .run = "r"}, {.queue = "a:b"}), "usage");
  EXPECT_EQ(step_of({.client = {.address = single}, .run = "r 1"}, {.queue = "q"}), "usage");
  EXPECT_EQ(step_of({.client = {.address = cluster}, .run = "r"}, {.queue = "q"}), "usage");
  EXPECT_EQ(
      step_of({.client = {.address = cluster}, .run = "r"}, {.queue = "q", .prefix = "{bull}"}),
      "");
}

}  // namespace
}  // namespace tidemill::queue
