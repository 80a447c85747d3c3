// Servers that are killed, disconnected or do not reply, and three producers in any order of
// events: every batch is in the stream once and in order, and the standing matches.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/dice.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/stream_rig.h"

namespace tidemill::queue {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::StreamProducer;
using testing::StreamRig;

class StreamLoss : public ::testing::Test {
 protected:
  StreamLoss() {
    if (testing::has_redis()) rig_.emplace(testing::RedisOptions{.on_socket = true, .keeps = true});
  }
  void SetUp() override { TIDEMILL_NEEDS_REDIS(); }
  std::string say(std::initializer_list<std::string_view> words) { return rig_->server.say(words); }

  std::optional<StreamRig> rig_;
};

// "b1 b2 … bN"
std::string batches_to(std::uint64_t last) {
  std::string all;
  for (std::uint64_t i = 1; i <= last; ++i) all += (i == 1 ? "b" : " b") + std::to_string(i);
  return all;
}

// Its last write is the end of a transaction, "…five" and EXEC.
void cut_append_only_file(const std::string& folder, std::uintmax_t bytes) {
  for (const auto& file : std::filesystem::directory_iterator(folder + "/appendonlydir")) {
    if (!file.path().string().ends_with(".incr.aof")) continue;
    std::filesystem::resize_file(file.path(), file.file_size() - bytes);
  }
}

TEST_F(StreamLoss, KilledServerKeepsBatchesAndProgressConsistent) {
  auto a = rig_->producer("a");
  ASSERT_TRUE(a.open());
  ASSERT_TRUE(a.send(2, "two"));
  ASSERT_TRUE(a.send(3, "five"));
  rig_->server.kill();
  EXPECT_EQ(a.send(1).error().cure, Cure::retry);
  EXPECT_EQ(a.open().error().cure, Cure::retry) << "nobody there";
  rig_->server.restart();
  EXPECT_EQ(a.open(), (Standing{.last = 5, .run = "a", .cursor = "five"}));
  rig_->server.restart();
  EXPECT_EQ(a.send(1).error().cure, Cure::retry);
  EXPECT_EQ(a.open(), (Standing{.last = 5, .run = "a", .cursor = "five"}));
  EXPECT_EQ(rig_->batches(), batches_to(5));
}

TEST_F(StreamLoss, ResendsTheLastWriteWhenTheServerHasLostIt) {
  for (const std::uintmax_t bytes : {3U, 14U, 20U}) {
    say({"FLUSHALL"});
    auto a = rig_->producer("a");
    ASSERT_TRUE(a.open());
    ASSERT_TRUE(a.send(2, "two"));
    ASSERT_TRUE(a.send(3, "five"));
    rig_->server.kill();
    cut_append_only_file(rig_->server.folder(), bytes);
    rig_->server.restart();
    EXPECT_EQ(a.send(1).error().cure, Cure::retry);
    EXPECT_EQ(a.open(), (Standing{.last = 2, .run = "a", .cursor = "two"}));
    EXPECT_EQ(rig_->batches(), batches_to(2));
    ASSERT_TRUE(a.send(4));
    EXPECT_EQ(rig_->batches(), batches_to(6));
    // Redis 7.0 leaves the beginning of the lost transaction in its file when the cut is inside a
    // command, and replays it with the next one after a restart: duplicates, with the same ids.
    rig_->server.restart();
    ASSERT_TRUE(a.open());
    EXPECT_EQ(a.last(), 6U);
    EXPECT_TRUE(rig_->batches() == batches_to(6) || rig_->batches() == "b1 b2 b3 b4 b5 b3 b4 b5 b6")
        << rig_->batches();
  }
}

TEST_F(StreamLoss, ResolvesTimedOutSendsFromTheStoredProgress) {
  auto client = rig_->client();
  client.timeout = 100ms;
  auto a = rig_->producer({.client = client, .job = "job", .run = "a", .lease = 5min});
  ASSERT_TRUE(eventually([&] { return a.open().has_value(); }));
  for (int round = 0; round < 4; ++round) {
    rig_->server.freeze();
    EXPECT_EQ(a.send(3).error().cure, Cure::retry);
    rig_->server.thaw();  // it may find the commands in its buffers, and it may not
    ASSERT_TRUE(eventually([&] { return a.open().has_value(); }));
    EXPECT_EQ(rig_->batches(), batches_to(a.last()));
    if (a.send(1)) continue;
    ASSERT_TRUE(eventually([&] { return a.open().has_value(); }));
  }
  EXPECT_EQ(rig_->batches(), batches_to(a.last()));
}

// Three producers, another program and expiring leases in any order. The model tracks who may send;
// the stream must have every number once and in order, whatever was refused.
class StreamGame {
 public:
  StreamGame(StreamRig& rig, std::uint64_t seed) : rig_(rig), dice_(seed) {
    rig_.server.say({"FLUSHALL"});
    for (const std::string run : {"a", "b", "c"}) {
      players_.push_back({.producer = rig_.producer(run)});
    }
  }

  void play(int moves) {
    for (int move = 0; move < moves; ++move) {
      const std::size_t who = dice_.next() % players_.size();
      const auto what = dice_.next() % 20;
      if (what < 5) open(who);
      if (what >= 5 && what < 14) send(who);
      if (what == 14) close(who);
      if (what == 15) complete(who);
      if (what == 16 || what == 17) end_lease();
      if (what == 18) add_stranger();
      if (what == 19) put_back();
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_EQ(rig_.batches(), batches_to(last_));
  }

 private:
  struct Player {
    StreamProducer producer;
    bool is_open = false;  // in the producer's view
  };

  void open(std::size_t who) {
    const bool may = holder_ == who || !holder_;
    const auto opened = players_[who].producer.open();
    ASSERT_EQ(opened.has_value(), may);
    players_[who].is_open = may;
    if (!may) return;
    ASSERT_EQ(players_[who].producer.last(), last_);
    holder_ = who;
    current_ = who;
    is_raised_ = false;
  }
  void send(std::size_t who) {
    Player& player = players_[who];
    const bool may = player.is_open && current_ == who && !is_raised_;
    const std::uint64_t count = 1 + dice_.next() % 120;
    const auto sent = player.producer.send(count);
    ASSERT_EQ(sent.has_value(), may) << (sent ? "" : text_of(sent.error()));
    if (may) last_ += count;
    if (!may && player.is_open) {
      ASSERT_EQ(sent.error().step, current_ == who ? "lease" : "stale");
    }
    player.is_open = may;
  }
  void close(std::size_t who) {
    players_[who].producer->close();
    players_[who].is_open = false;
    if (holder_ == who) holder_.reset();
  }
  void complete(std::size_t who) {
    const bool may = players_[who].is_open && holder_ == who;
    ASSERT_EQ(players_[who].producer->complete({}).has_value(), may);
    players_[who].is_open = may;
  }
  void end_lease() {
    rig_.end_lease();
    holder_.reset();
  }
  // Above the epoch. (`*` may be below it: epochs can be ahead of the clock.)
  void add_stranger() {
    add("string.format('%.0f', (redis.call('GET', KEYS[2]) or 0) + 1)");
    is_raised_ = true;
  }
  // As when a dead batch is put back: the producer can continue.
  void put_back() { add("redis.call('GET', KEYS[2])"); }
  void add(const std::string& time) {
    rig_.server.say({"EVAL", "redis.call('XADD', KEYS[1], " + time + " .. '-*', 'who', 'stranger')",
                     "2", "files", "{files}:epoch"});
  }

  StreamRig& rig_;
  SeededDice dice_;
  std::vector<Player> players_;
  std::uint64_t last_ = 0;
  std::optional<std::size_t> holder_;   // of the lease
  std::optional<std::size_t> current_;  // of the last epoch
  bool is_raised_ = false;              // by another program, above that epoch
};

TEST_F(StreamLoss, AcceptsEveryBatchOnceAndInOrderForAnySequenceOfEvents) {
  say({"CONFIG", "SET", "appendonly", "no"});
  for (std::uint64_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StreamGame(*rig_, seed).play(60);
  }
}

}  // namespace
}  // namespace tidemill::queue
