#include "tidemill/state/fleet/board.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/varint.h"
#include "tidemill/state/fleet/board_packing.h"
#include "tidemill/state/fleet/keys.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/redis_server.h"

namespace tidemill::fleet {
namespace {

using redis::Reply;
using std::chrono::milliseconds;
using testing::OwnFolder;
using testing::RedisServer;
using namespace std::chrono_literals;

constexpr auto kHour = 1h;

PublishedRun a_run(const std::string& name = "nas1-20261119-0331") {
  return {.name = name,
          .id = "20261119-0331",
          .host = "nas1",
          .user = "ann",
          .recipe = {.name = "each", .version = 2, .digest = "a1b2c3d4e5f6"},
          .settings = std::string("\0any\xff bytes", 11),
          .roots = {{.name = "photos",
                     .path = "/data/photos",
                     .probe = {.inode = 17,
                               .entries = {{.name = "a.jpg",
                                            .inode = 18,
                                            .size = 1ULL << 40U,
                                            .changed = -5}}}},
                    {.name = "music", .path = "/data/music"}},
          .weight = 3,
          .term = 45s};
}

FleetHost a_host(const std::string& consumer = "nas2:17:x") {
  return {.consumer = consumer,
          .host = "nas2",
          .pid = 17,
          .version = "1.2.0",
          .places = 8,
          .busy = 3,
          .done = 1ULL << 40U,
          .recipes = {{.name = "each"}, {.name = "tokens", .version = 2, .digest = "ff"}},
          .refusals = {{.run = "r", .why = "it sees another folder"}}};
}

TEST(BoardPacking, RunsAndHostsComeBackAsTheyWere) {
  EXPECT_EQ(unpack_run(pack(a_run())), a_run());
  EXPECT_EQ(unpack_run(pack(PublishedRun{})), PublishedRun{});
  EXPECT_EQ(unpack_host(pack(a_host())), a_host());
  EXPECT_EQ(unpack_host(pack(FleetHost{})), FleetHost{});
}

// Every prefix, and every byte replaced: nothing but a refusal or another record.
TEST(BoardPacking, DamagedBytesNeverBreakTheProgram) {
  const std::string run = pack(a_run());
  const std::string host = pack(a_host());
  std::size_t refused = 0;
  for (std::size_t length = 0; length < run.size(); ++length) {
    EXPECT_NE(unpack_run(std::string_view(run).substr(0, length)), a_run());
  }
  for (const std::string& whole : {run, host}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const char byte : {'\0', '\x01', '\x7f', '\x80', '\xff'}) {
        std::string damaged = whole;
        damaged[i] = byte;
        const bool is_read = unpack_run(damaged) && unpack_host(damaged);
        refused += is_read ? 0U : 1U;
      }
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST(BoardPacking, UnknownFieldsAreIgnoredAndUnknownVersionsRefused) {
  std::string bytes = pack(a_run());
  for (const std::string_view text : {"colour", "red"}) {
    append_varint(bytes, text.size());
    bytes += text;
  }
  EXPECT_EQ(unpack_run(bytes), a_run());
  bytes[0] = 2;
  EXPECT_EQ(unpack_run(bytes), std::nullopt);
  EXPECT_EQ(unpack_run(""), std::nullopt);
}

TEST(BoardPacking, ListsAreBounded) {
  PublishedRun run = a_run();
  run.roots.assign(kMostListed, {.name = "r"});
  EXPECT_EQ(unpack_run(pack(run)), run);
  run.roots.emplace_back();
  EXPECT_EQ(unpack_run(pack(run)), std::nullopt);
  run = a_run();
  run.roots[0].probe.entries.resize(kMostSampled + 1);
  EXPECT_EQ(unpack_run(pack(run)), std::nullopt);
  FleetHost host = a_host();
  host.refusals.resize(kMostListed + 1);
  const auto read = unpack_host(pack(host));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->refusals.size(), kMostListed);
}

TEST(BoardPacking, TermBeyondADayIsRefused) {
  PublishedRun run = a_run();
  run.term = 24h;
  EXPECT_TRUE(unpack_run(pack(run)));
  run.term += 1ms;
  EXPECT_FALSE(unpack_run(pack(run)));
  run.term = -1ms;
  EXPECT_FALSE(unpack_run(pack(run)));
}

TEST(Recipe, TextHasVersionAndTheStartOfTheDigest) {
  EXPECT_EQ(text_of(RecipeId{.name = "each"}), "each/1");
  EXPECT_EQ(text_of(RecipeId{.name = "tokens", .version = 2, .digest = "a1b2c3d4e5f6"}),
            "tokens/2 (a1b2c3d4)");
}

class FleetBoardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TIDEMILL_NEEDS_REDIS();
    server_.emplace();
    client_ = *redis::Client::make(
        {.address = *redis::parse_address(server_->url(), redis::Origin::hidden)}, clock_);
    const std::string file = folder_ / "key";
    ASSERT_TRUE(FleetKey::create(file));
    key_ = *FleetKey::read(file);
    board_.emplace(*client_, "films", key_);
  }

  Reply ask(std::initializer_list<std::string_view> words) {
    auto reply = client_->call(words);
    EXPECT_TRUE(reply) << text_of(reply.error());
    return reply.value_or(Reply{});
  }
  std::string ms_ago(milliseconds age) {
    const auto time = ask({"TIME"});
    const auto now = std::stoll(time.items[0].text) * 1000 + std::stoll(time.items[1].text) / 1000;
    return std::to_string(now - age.count());
  }
  std::vector<FleetBoard::Listed> listed() {
    auto listing = board_->runs();
    EXPECT_TRUE(listing) << text_of(listing.error());
    return listing ? listing->runs : std::vector<FleetBoard::Listed>{};
  }
  std::vector<FleetBoard::Announced> hosts(milliseconds most = kHour) {
    auto all = board_->hosts(most);
    EXPECT_TRUE(all) << text_of(all.error());
    return all.value_or(std::vector<FleetBoard::Announced>{});
  }
  FleetWindow window() {
    const auto seen = board_->window(a_run());
    EXPECT_TRUE(seen) << text_of(seen.error());
    return seen.value_or(FleetWindow{});
  }

  SystemClock clock_;
  OwnFolder folder_;
  FleetKey key_;
  std::optional<RedisServer> server_;
  std::unique_ptr<redis::Client> client_;
  std::optional<FleetBoard> board_;
};

TEST_F(FleetBoardTest, PublishedRunsAreListedByNameUntilTheyAreWithdrawn) {
  ASSERT_TRUE(board_->publish(a_run("b")));
  ASSERT_TRUE(board_->publish(a_run("a")));
  PublishedRun changed = a_run("b");
  changed.weight = 9;
  ASSERT_TRUE(board_->publish(changed));
  const auto runs = listed();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_TRUE(runs[0].is_genuine);
  EXPECT_EQ(runs[0].run, a_run("a"));
  EXPECT_EQ(runs[1].run, changed);
  ASSERT_TRUE(board_->withdraw("a"));
  ASSERT_TRUE(board_->withdraw("a"));
  ASSERT_EQ(listed().size(), 1U);
  EXPECT_EQ(listed()[0].run.name, "b");
}

TEST_F(FleetBoardTest, RunWithTooManyFoldersIsNotPublished) {
  PublishedRun run = a_run();
  run.roots.resize(kMostListed + 1);
  const auto published = board_->publish(run);
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().kind, FailureKind::over_limit);
}

TEST_F(FleetBoardTest, RunSignedWithAnotherKeyIsListedByItsNameOnly) {
  ASSERT_TRUE(FleetKey::create(folder_ / "other"));
  FleetBoard stranger(*client_, "films", *FleetKey::read(folder_ / "other"));
  FleetBoard unsigned_one(*client_, "films", FleetKey());
  ASSERT_TRUE(stranger.publish(a_run("other key")));
  ASSERT_TRUE(unsigned_one.publish(a_run("no key")));
  const auto runs = listed();
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& listed : runs) EXPECT_FALSE(listed.is_genuine) << listed.run.name;
  EXPECT_EQ(runs[0].run, PublishedRun{.name = "no key"});
  EXPECT_EQ(runs[1].run, PublishedRun{.name = "other key"});
}

TEST_F(FleetBoardTest, SignedRunCannotBeMovedToAnotherNameOrFleet) {
  ASSERT_TRUE(board_->publish(a_run("a")));
  const std::string value = ask({"HGET", "{films}:runs", "a"}).text;
  ask({"HSET", "{films}:runs", "b", value});
  ask({"HSET", "{music}:runs", "a", value});
  const auto runs = listed();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_TRUE(runs[0].is_genuine);
  EXPECT_FALSE(runs[1].is_genuine);
  FleetBoard other(*client_, "music", key_);
  EXPECT_FALSE(other.runs()->runs.at(0).is_genuine);
}

TEST_F(FleetBoardTest, EveryChangedByteOfARunIsFound) {
  ASSERT_TRUE(board_->publish(a_run("a")));
  const std::string value = ask({"HGET", "{films}:runs", "a"}).text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    std::string changed = value;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    ask({"HSET", "{films}:runs", "a", changed});
    EXPECT_FALSE(listed().at(0).is_genuine) << i;
  }
  for (const std::string_view bytes : {"", "\x20", "\xff\xff", "x"}) {
    ask({"HSET", "{films}:runs", "a", bytes});
    EXPECT_FALSE(listed().at(0).is_genuine) << bytes;
  }
}

TEST_F(FleetBoardTest, WithoutAKeyEveryRunIsListedInFull) {
  FleetBoard open(*client_, "films", FleetKey());
  ASSERT_TRUE(board_->publish(a_run()));
  const auto listing = open.runs();
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->runs.at(0).run, a_run());
}

TEST_F(FleetBoardTest, RunWithTheBytesOfAnotherNameIsNotGenuineEvenWithoutAKey) {
  FleetBoard open(*client_, "films", FleetKey());
  ASSERT_TRUE(open.publish(a_run("a")));
  ask({"HSET", "{films}:runs", "b", ask({"HGET", "{films}:runs", "a"}).text});
  const auto listing = open.runs();
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listing->runs.at(0).is_genuine);
  EXPECT_FALSE(listing->runs.at(1).is_genuine);
  EXPECT_EQ(listing->runs.at(1).run, PublishedRun{.name = "b"});
}

TEST_F(FleetBoardTest, PausedRunsAndDrainedHostsAreListed) {
  ASSERT_TRUE(board_->publish(a_run("a")));
  ASSERT_TRUE(board_->publish(a_run("b")));
  ASSERT_TRUE(board_->pause("b", true));
  ASSERT_TRUE(board_->drain("nas2", true));
  ASSERT_TRUE(board_->drain("nas1", true));
  EXPECT_FALSE(listed()[0].is_paused);
  EXPECT_TRUE(listed()[1].is_paused);
  EXPECT_EQ(board_->runs()->drained, (std::vector<std::string>{"nas1", "nas2"}));
  ASSERT_TRUE(board_->pause("b", false));
  ASSERT_TRUE(board_->drain("nas1", false));
  EXPECT_FALSE(listed()[1].is_paused);
  EXPECT_EQ(board_->runs()->drained, (std::vector<std::string>{"nas2"}));
}

TEST_F(FleetBoardTest, WithdrawnRunIsNotPausedWhenItsNameComesBack) {
  ASSERT_TRUE(board_->publish(a_run("a")));
  ASSERT_TRUE(board_->pause("a", true));
  ASSERT_TRUE(board_->withdraw("a"));
  ASSERT_TRUE(board_->publish(a_run("a")));
  EXPECT_FALSE(listed().at(0).is_paused);
}

TEST_F(FleetBoardTest, HostsAreListedByHostAndPidUntilTheyLeave) {
  FleetHost first = a_host("c1");
  first.host = "nas3";
  FleetHost second = a_host("c2");
  second.pid = 18;
  ASSERT_TRUE(board_->announce(first));
  ASSERT_TRUE(board_->announce(second));
  ASSERT_TRUE(board_->announce(a_host("c3")));
  second.busy = 1;
  ASSERT_TRUE(board_->announce(second));
  const auto all = hosts();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].host, a_host("c3"));
  EXPECT_EQ(all[1].host, second);
  EXPECT_EQ(all[2].host, first);
  for (const auto& host : all) {
    EXPECT_GE(host.age, 0ms);
    EXPECT_LT(host.age, kHour);
  }
  ASSERT_TRUE(board_->leave("c2"));
  EXPECT_EQ(hosts().size(), 2U);
}

TEST_F(FleetBoardTest, AgeIsThatOfTheServersClockAndOldHostsAreRemoved) {
  ASSERT_TRUE(board_->announce(a_host("new")));
  ask({"HSET", "{films}:hosts", "old", ms_ago(10min) + " " + pack(a_host("old"))});
  ask({"HSET", "{films}:hosts", "ancient", ms_ago(2h) + " " + pack(a_host("ancient"))});
  ask({"HSET", "{films}:hosts", "no time", "x"});
  const auto all = hosts(kHour);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].host.consumer, "new");
  EXPECT_LT(all[0].age, 5min);
  EXPECT_EQ(all[1].host.consumer, "old");
  EXPECT_GE(all[1].age, 10min);
  EXPECT_LT(all[1].age, 15min);
  EXPECT_EQ(ask({"HLEN", "{films}:hosts"}).number, 2);
}

TEST_F(FleetBoardTest, HostAnnouncedByAnAheadClockHasNoAge) {
  ask({"HSET", "{films}:hosts", "c", ms_ago(-1h) + " " + pack(a_host("c"))});
  ASSERT_EQ(hosts().size(), 1U);
  EXPECT_EQ(hosts()[0].age, 0ms);
}

TEST_F(FleetBoardTest, UnreadableHostIsListedByItsConsumer) {
  ask({"HSET", "{films}:hosts", "c", ms_ago(0ms) + " \x02later"});
  ask({"HSET", "{films}:hosts", "d", ms_ago(0ms) + " " + pack(a_host("e"))});
  const auto all = hosts();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].host, FleetHost{.consumer = "c"});
  EXPECT_EQ(all[1].host, FleetHost{.consumer = "d"});
}

TEST_F(FleetBoardTest, RunThatTheServerDoesNotKnowHasNoWindow) {
  EXPECT_EQ(window(), FleetWindow{});
  const FleetRunKeys keys("films", a_run().name);
  ask({"XADD", keys.parcels, "1-1", "t", "x"});  // a stream without the group
  EXPECT_FALSE(window().is_known);
}

TEST_F(FleetBoardTest, WindowCountsParcelsReportsAndLiveWorkers) {
  const FleetRunKeys keys("films", a_run().name);
  ask({"XGROUP", "CREATE", keys.parcels, "w", "0", "MKSTREAM"});
  for (const std::string_view id : {"7-1", "7-2", "7-3", "7-4"}) {
    ask({"XADD", keys.parcels, id, "t", "x"});
  }
  ask({"XREADGROUP", "GROUP", "w", "c1", "COUNT", "1", "STREAMS", keys.parcels, ">"});
  ask({"XADD", keys.reports, "*", "p", "7-0"});
  ask({"XADD", keys.reports, "*", "p", "7-0"});
  ask({"SET", keys.epoch, "7"});
  ask({"SET", keys.forged, "5"});
  ask({"HSET", keys.workers, "c1", ms_ago(1s) + " card"});
  ask({"HSET", keys.workers, "c2", ms_ago(30s) + " card"});
  ask({"HSET", keys.workers, "gone", ms_ago(46min) + " card"});
  ask({"HSET", keys.workers, "strange", "card"});
  const FleetWindow expected{.is_known = true,
                             .epoch = 7,
                             .waiting = 3,
                             .held = 1,
                             .reports = 2,
                             .workers = 2,
                             .forged = 5};
  PublishedRun run = a_run();
  run.term = 20min;
  const auto seen = board_->window(run);
  ASSERT_TRUE(seen) << text_of(seen.error());
  EXPECT_EQ(*seen, expected);
}

TEST_F(FleetBoardTest, KeyOfAnotherTypeIsAFailure) {
  ask({"SET", "{films}:runs", "x"});
  ask({"SET", "{films}:hosts", "x"});
  ask({"SET", FleetRunKeys("films", a_run().name).parcels, "x"});
  EXPECT_EQ(board_->runs().error().kind, FailureKind::wrong_type);
  EXPECT_EQ(board_->hosts(kHour).error().kind, FailureKind::wrong_type);
  EXPECT_EQ(board_->window(a_run()).error().kind, FailureKind::wrong_type);
  EXPECT_FALSE(board_->publish(a_run()));
}

TEST_F(FleetBoardTest, ServerThatForgotEverythingIsAnEmptyBoard) {
  ASSERT_TRUE(board_->publish(a_run()));
  ASSERT_TRUE(board_->announce(a_host()));
  ask({"FLUSHALL"});
  EXPECT_TRUE(listed().empty());
  EXPECT_TRUE(hosts().empty());
  ASSERT_TRUE(board_->publish(a_run()));
  EXPECT_EQ(listed().size(), 1U);
}

}  // namespace
}  // namespace tidemill::fleet
