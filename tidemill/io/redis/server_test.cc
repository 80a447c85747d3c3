// The client against real servers: one server, one with TLS, a master with sentinels, a cluster.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/io/redis/client_rig.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/redis_fleet.h"
#include "tidemill/testing/redis_server.h"

namespace tidemill::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::eventually;
using testing::FakeClock;
using testing::RedisCluster;
using testing::RedisSentinels;
using testing::RedisServer;

class Server : public ::testing::Test {
 protected:
  void SetUp() override { TIDEMILL_NEEDS_REDIS(); }

  std::unique_ptr<Client> client_of(const RedisServer& server, const std::string& user = "",
                                    const std::string& password = "") {
    ClientOptions options{.address = address_of(server.url()), .timeout = seconds(20)};
    options.address.user = user;
    options.address.password = HiddenText(password);
    return redis::client_of(std::move(options), clock_);
  }

  const SystemClock clock_;
};

TEST_F(Server, AnswersOverTcpAndUnixSocket) {
  for (const bool on_socket : {false, true}) {
    const RedisServer server({.on_socket = on_socket});
    const auto client = client_of(server);
    const auto reply = client->call({"PING"});
    ASSERT_TRUE(reply) << why(reply);
    EXPECT_EQ(reply->text, "PONG");
    EXPECT_EQ(client->server(), server.url());
    EXPECT_EQ(client->connections(), 1U);
  }
}

TEST_F(Server, IsFoundByHostName) {
  const RedisServer server;
  auto options = ClientOptions{.address = address_of(server.url()), .timeout = seconds(20)};
  options.address.hosts[0].name = "localhost";
  const auto reply = redis::client_of(options, clock_)->call({"PING"});
  EXPECT_TRUE(reply) << why(reply);
}

TEST_F(Server, ClientSelectsTheDatabaseAndSetsItsName) {
  const RedisServer server;
  auto options = ClientOptions{.address = address_of(server.url() + "/3"), .name = "mill-1"};
  const auto client = redis::client_of(options, clock_);
  ASSERT_TRUE(client->call({"SET", "k", "v"}));
  EXPECT_TRUE(server.info("db3").starts_with("keys=1")) << server.info("db3");
  EXPECT_EQ(client->call({"CLIENT", "GETNAME"})->text, "mill-1");
}

TEST_F(Server, AnswersAPipelineInOrder) {
  const RedisServer server;
  const auto client = client_of(server);
  Commands commands;
  for (int i = 0; i < 1'000; ++i) commands.add({"INCR", "n"});
  std::vector<std::int64_t> numbers;
  std::vector<std::size_t> indices;
  const auto done = client->ask(commands,
                                [&](std::size_t index, const Reply& reply) {
                                  indices.push_back(index);
                                  numbers.push_back(reply.number);
                                },
                                {});
  ASSERT_TRUE(done) << why(done);
  std::vector<std::int64_t> wanted(1'000);
  std::iota(wanted.begin(), wanted.end(), 1);
  EXPECT_EQ(numbers, wanted);
  EXPECT_EQ(indices.back(), 999U);
  EXPECT_TRUE(std::ranges::is_sorted(indices));
}

TEST_F(Server, EchoesTenMegabytesInOnePipeline) {
  const RedisServer server;
  const auto client = client_of(server);
  Commands commands;
  for (int i = 0; i < 5'000; ++i)
    commands.add({"ECHO", std::to_string(i) + std::string(2'000, 'x')});
  const auto replies = client->ask(commands, {});
  ASSERT_TRUE(replies) << why(replies);
  ASSERT_EQ(replies->size(), 5'000U);
  for (int i = 0; i < 5'000; ++i) {
    ASSERT_EQ(replies->at(static_cast<std::size_t>(i)).text,
              std::to_string(i) + std::string(2'000, 'x'));
  }
  ASSERT_TRUE(client->call({"PING"}));
  EXPECT_EQ(client->connections(), 1U);
}

TEST_F(Server, StoresBinaryKeysAndValuesUnchanged) {
  const RedisServer server;
  const auto client = client_of(server);
  std::string bytes(256, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  bytes += "\r\n$-1\r\n" + bytes;
  ASSERT_TRUE(client->call({"SET", bytes, bytes}));
  EXPECT_EQ(client->call({"GET", bytes})->text, bytes);
}

TEST_F(Server, RunsAScriptAfterAScriptFlush) {
  const RedisServer server;
  const auto client = client_of(server);
  const Script script("redis.call('INCR', KEYS[1]); return {KEYS[1], ARGV[1]}");
  const std::array<std::string_view, 1> keys = {"k"};
  const std::array<std::string_view, 1> arguments = {"a"};
  for (int i = 0; i < 3; ++i) {
    if (i == 1) server.say({"SCRIPT", "FLUSH"});
    const auto reply = client->eval(script, keys, arguments);
    ASSERT_TRUE(reply) << why(reply);
    EXPECT_EQ(reply->items.at(1).text, "a");
  }
  EXPECT_EQ(client->call({"GET", "k"})->text, "3");
  EXPECT_EQ(cure_of(client->eval(Script("return redis.call('LPUSH', KEYS[1], 1)"), keys, {})),
            Cure::give_up);
}

TEST_F(Server, ErrorIsAReplyInAPipelineAndAFailureInACall) {
  const RedisServer server;
  const auto client = client_of(server);
  Commands commands;
  commands.add({"SET", "k", "v"});
  commands.add({"LPUSH", "k", "v"});
  commands.add({"GET", "k"});
  const auto replies = client->ask(commands, {});
  ASSERT_TRUE(replies) << why(replies);
  EXPECT_TRUE(replies->at(1).text.starts_with("WRONGTYPE"));
  EXPECT_EQ(replies->at(2).text, "v");
  const auto reply = client->call({"LPUSH", "k", "v"});
  EXPECT_EQ(cure_of(reply), Cure::give_up);
  EXPECT_TRUE(why(reply).starts_with("redis: " + server.url() + ": WRONGTYPE")) << why(reply);
  EXPECT_EQ(client->connections(), 1U);
}

TEST_F(Server, TemporarilyRejectedWriteIsRetryable) {
  const RedisServer server;
  const auto client = client_of(server);
  server.say({"CONFIG", "SET", "min-replicas-to-write", "1"});
  EXPECT_EQ(cure_of(client->call({"SET", "k", "v"})), Cure::retry);
  server.say({"CONFIG", "SET", "min-replicas-to-write", "0"});
  server.say({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(cure_of(client->call({"SET", "k", "v"})), Cure::retry);
  server.say({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(client->connections(), 1U);
}

TEST_F(Server, ClientDisconnectsFromAServerThatBecameAReplica) {
  const RedisServer server;
  const auto client = client_of(server);
  ASSERT_TRUE(client->call({"SET", "k", "v"}));
  server.say({"REPLICAOF", "127.0.0.1", "1"});
  Commands commands;
  commands.add({"PING"});
  commands.add({"SET", "k", "w"});
  commands.add({"PING"});
  EXPECT_EQ(cure_of(client->ask(commands, {})), Cure::retry);
  server.say({"REPLICAOF", "NO", "ONE"});
  EXPECT_EQ(client->call({"GET", "k"})->text, "v");
  EXPECT_EQ(client->connections(), 2U);
}

TEST_F(Server, AcceptsTheRightPassword) {
  const RedisServer server(
      {.password = "hunter2", .settings = {"user mill on >swordfish ~* +@all"}});
  EXPECT_TRUE(client_of(server, "", "hunter2")->call({"SET", "k", "v"}));
  EXPECT_TRUE(client_of(server, "mill", "swordfish")->call({"SET", "k", "v"}));
}

TEST_F(Server, WrongPasswordIsRejectedAndNotRevealed) {
  const RedisServer server({.password = "hunter2", .settings = {"user mill on >x ~* +@all"}});
  for (const auto& [user, password] : std::vector<std::pair<std::string, std::string>>{
           {"", "swordfish"}, {"mill", "swordfish"}, {"nobody", "swordfish"}, {"", ""}}) {
    const auto client = client_of(server, user, password);
    bool has_waited = false;
    const auto done = client->connect_until(
        clock_.now() + seconds(60), {}, [&](const Failure&, milliseconds) { has_waited = true; });
    EXPECT_EQ(cure_of(done), Cure::give_up);
    EXPECT_FALSE(has_waited);
    EXPECT_FALSE(why(done).contains("swordfish")) << why(done);
    EXPECT_FALSE(client->server().contains("swordfish"));
    EXPECT_EQ(cure_of(client->call({"PING"})), Cure::give_up);
  }
}

TEST_F(Server, FailureWithoutAnAuthCommandHidesThePassword) {
  const RedisServer server({.settings = {"rename-command AUTH \"\""}});
  const auto reply = client_of(server, "", "swordfish")->call({"PING"});
  EXPECT_EQ(cure_of(reply), Cure::give_up);
  EXPECT_FALSE(why(reply).contains("swordfish")) << why(reply);
}

TEST_F(Server, ReportsMissingPermissions) {
  const RedisServer server({.settings = {"user mill on >x ~* +get"}});
  const auto client = client_of(server, "mill", "x");
  EXPECT_TRUE(client->call({"GET", "k"}));
  const auto reply = client->call({"SET", "k", "v"});
  EXPECT_EQ(cure_of(reply), Cure::give_up);
  EXPECT_TRUE(why(reply).contains("NOPERM")) << why(reply);
}

TEST_F(Server, ClientReconnectsAfterTheServerWasKilled) {
  RedisServer server({.keeps = true});
  const auto client = client_of(server);
  ASSERT_TRUE(client->call({"INCR", "n"}));
  server.kill();
  EXPECT_EQ(cure_of(client->call({"INCR", "n"})), Cure::retry);
  EXPECT_EQ(cure_of(client->call({"INCR", "n"})), Cure::retry);
  EXPECT_EQ(client->connections(), 1U);
  const auto done =
      client->connect_until(clock_.now() + seconds(60), {}, [&](const Failure&, milliseconds) {
        if (server.pid() < 0) server.restart();
      });
  ASSERT_TRUE(done) << why(done);
  EXPECT_EQ(client->connections(), 2U);
  EXPECT_EQ(client->call({"GET", "n"})->text, "1");
}

// Whether an IPv4 connection to this port has bytes that its owner has not read.
bool has_unread(std::uint16_t port) {
  std::ostringstream place;
  place << ':' << std::hex << std::uppercase << std::setfill('0') << std::setw(4) << port;
  std::ifstream table("/proc/net/tcp");
  table.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    // Columns: number, local, remote, state, "send queue:receive queue", in hex.
    std::array<std::string, 5> words;
    for (std::string& word : words) fields >> word;
    constexpr std::string_view kEstablished = "01";
    if (!words[1].ends_with(place.str()) || words[3] != kEstablished) continue;
    if (!words[4].ends_with(":00000000")) return true;
  }
  return false;
}

TEST_F(Server, TimedOutCommandIsExecutedOnlyOnce) {
  RedisServer server;
  FakeClock clock;
  const auto client = redis::client_of({.address = address_of(server.url())}, clock);
  ASSERT_TRUE(client->call({"PING"}));
  server.freeze();
  std::jthread mover([&](const std::stop_token& stop) {
    // A command whose deadline has passed before it is sent is not sent.
    EXPECT_TRUE(eventually([&] { return has_unread(server.port()); }));
    while (!stop.stop_requested()) {
      clock.advance(milliseconds(100));
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(cure_of(client->call({"INCR", "n"})), Cure::retry);
  mover.request_stop();
  mover.join();
  server.thaw();
  ASSERT_TRUE(eventually([&] { return server.say({"GET", "n"}) == "$1\r\n1\r\n"; }));
  ASSERT_TRUE(client->call({"PING"}));
  EXPECT_EQ(client->call({"GET", "n"})->text, "1");
  EXPECT_EQ(client->connections(), 2U);
}

class ServerOverTls : public Server {
 protected:
  std::unique_ptr<Client> client_with(const std::string& url, TlsOptions tls) {
    return redis::client_of(
        {.address = address_of(url), .tls = std::move(tls), .timeout = seconds(20)}, clock_);
  }
};

TEST_F(ServerOverTls, CarriesTenMegabytesEachWay) {
  const RedisServer server({.has_tls = true});
  const auto client = client_with(server.url(), {.authorities = server.authorities()});
  Commands commands;
  for (int i = 0; i < 5'000; ++i) commands.add({"ECHO", std::string(2'000, 'x')});
  const auto replies = client->ask(commands, {});
  ASSERT_TRUE(replies) << why(replies);
  EXPECT_TRUE(std::ranges::all_of(
      *replies, [](const Reply& reply) { return reply.text == std::string(2'000, 'x'); }));
  EXPECT_TRUE(client->server().starts_with("rediss://"));
}

TEST_F(ServerOverTls, RequiresTheRightCertificateAuthority) {
  const RedisServer server({.has_tls = true});
  const RedisServer other({.has_tls = true});
  for (const std::string& authorities : {other.authorities(), std::string()}) {
    const auto reply = client_with(server.url(), {.authorities = authorities})->call({"PING"});
    EXPECT_EQ(cure_of(reply), Cure::give_up);
    EXPECT_TRUE(why(reply).contains("certificate")) << why(reply);
  }
  const auto client = Client::make(
      {.address = address_of(server.url()), .tls = {.authorities = "/nowhere"}}, clock_);
  EXPECT_EQ(cure_of(client), Cure::give_up);
}

TEST_F(ServerOverTls, RequiresTheRightServerName) {
  const RedisServer server({.has_tls = true});
  const std::string authorities = server.authorities();
  const auto right = client_with(server.url(), {.authorities = authorities, .name = "redis.test"});
  EXPECT_TRUE(right->call({"PING"}));
  for (const std::string name : {"elsewhere.test", "127.0.0.2"}) {
    const auto reply =
        client_with(server.url(), {.authorities = authorities, .name = name})->call({"PING"});
    EXPECT_EQ(cure_of(reply), Cure::give_up);
    EXPECT_TRUE(why(reply).contains("mismatch")) << why(reply);
  }
}

TEST_F(ServerOverTls, SendsAClientCertificateWhenTheServerRequiresIt) {
  const RedisServer server({.has_tls = true, .settings = {"tls-auth-clients yes"}});
  const std::string folder = server.folder();
  EXPECT_TRUE(client_with(server.url(), {.authorities = server.authorities(),
                                         .certificate = folder + "/server.crt",
                                         .key = folder + "/server.key"})
                  ->call({"PING"}));
  const auto reply =
      client_with(server.url(), {.authorities = server.authorities()})->call({"PING"});
  EXPECT_EQ(cure_of(reply), Cure::give_up) << why(reply);
}

TEST_F(ServerOverTls, FailsWhenOnlyOneSideUsesTls) {
  const RedisServer plain;
  const RedisServer secret({.has_tls = true});
  for (const auto& [scheme, port] : {std::pair("rediss", plain.port()), {"redis", secret.port()}}) {
    const std::string url = std::string(scheme) + "://127.0.0.1:" + std::to_string(port);
    // A server without TLS waits for the rest of what it takes for a line.
    const auto client =
        redis::client_of({.address = address_of(url), .timeout = milliseconds(200)}, clock_);
    EXPECT_FALSE(client->call({"PING"})) << url;
  }
}

TEST_F(ServerOverTls, ReconnectsAfterAServerRestart) {
  RedisServer server({.has_tls = true});
  const auto client = client_with(server.url(), {.authorities = server.authorities()});
  ASSERT_TRUE(client->call({"PING"}));
  server.restart();
  EXPECT_EQ(cure_of(client->call({"PING"})), Cure::retry);
  EXPECT_TRUE(client->call({"PING"}));
  EXPECT_EQ(client->connections(), 2U);
}

TEST_F(Server, ClientFollowsSentinelsToTheCurrentMaster) {
  RedisSentinels fleet;
  const auto client =
      redis::client_of({.address = address_of(fleet.url()), .timeout = seconds(20)}, clock_);
  ASSERT_TRUE(client->call({"SET", "k", "v"}));
  EXPECT_EQ(client->server(), fleet.first().url());
  ASSERT_TRUE(eventually([&] { return fleet.second().say({"GET", "k"}) == "$1\r\nv\r\n"; }));

  auto stranger = address_of(fleet.url());
  stranger.master = "nobody";
  const auto none = redis::client_of({.address = stranger}, clock_)->call({"PING"});
  EXPECT_EQ(cure_of(none), Cure::give_up) << why(none);

  fleet.sentinel(0).kill();
  fleet.first().kill();
  EXPECT_EQ(cure_of(client->call({"SET", "k", "w"})), Cure::retry);
  const auto done = client->connect_until(clock_.now() + seconds(60), {}, {});
  ASSERT_TRUE(done) << why(done);
  EXPECT_EQ(client->server(), fleet.second().url());
  EXPECT_EQ(client->connections(), 2U);
  EXPECT_EQ(client->call({"GET", "k"})->text, "v");
  const auto late =
      redis::client_of({.address = address_of(fleet.url()), .timeout = seconds(20)}, clock_);
  EXPECT_TRUE(late->call({"PING"})) << "the first sentinel is dead";
}

class Cluster : public Server {
 protected:
  std::unique_ptr<Client> client_for(const RedisCluster& fleet, const std::string& key,
                                     bool fails_on_move = false) {
    return redis::client_of({.address = address_of(fleet.url()),
                             .home = key,
                             .timeout = seconds(20),
                             .fails_on_move = fails_on_move},
                            clock_);
  }
  static Commands transaction() {
    Commands commands;
    commands.add({"MULTI"});
    commands.add({"INCR", "{b}n"});
    commands.add({"EXEC"});
    return commands;
  }
};

// One test for all, because a cluster takes seconds to start.
TEST_F(Cluster, RoutesToTheOwnerOfTheKeyAndFollowsRedirects) {
  RedisCluster fleet;
  for (const std::string key : {"a", "b", "c", "{b}x"}) {
    const auto client = client_for(fleet, key);
    ASSERT_TRUE(client->call({"SET", key, "v"}));
    EXPECT_EQ(client->server(), fleet.node(RedisCluster::owner_of(slot_of(key))).url());
    EXPECT_EQ(client->connections(), 1U);
    ASSERT_TRUE(client->call({"DEL", key}));
  }
  const std::size_t old = RedisCluster::owner_of(slot_of("b"));
  const std::size_t next = (old + 1) % 3;
  const auto follower = client_for(fleet, "{b}n");
  const auto careful = client_for(fleet, "{b}n", true);
  const auto in_transaction = client_for(fleet, "{b}n");
  const auto in_company = client_for(fleet, "{b}n");
  for (const auto* client : {&follower, &careful, &in_transaction, &in_company}) {
    ASSERT_TRUE((*client)->call({"GET", "{b}n"}));
  }

  // MOVED: nothing was executed, so the pipeline is resent, or fails, as configured.
  fleet.give(slot_of("b"), next);
  Commands commands;
  commands.add({"INCR", "{b}n"});
  commands.add({"INCR", "{b}n"});
  const auto moved = follower->ask(commands, {});
  ASSERT_TRUE(moved) << why(moved);
  EXPECT_EQ(moved->at(1).number, 2);
  EXPECT_EQ(follower->server(), fleet.node(next).url());
  EXPECT_EQ(follower->connections(), 2U);
  EXPECT_EQ(cure_of(careful->ask(commands, {})), Cure::retry);
  EXPECT_EQ(careful->call({"GET", "{b}n"})->text, "2");
  EXPECT_EQ(careful->connections(), 2U);
  EXPECT_EQ(cure_of(in_transaction->ask(transaction(), {})), Cure::retry);
  Commands company;  // the second was executed, so the first must not follow it
  company.add({"INCR", "{b}n"});
  company.add({"PING"});
  EXPECT_EQ(cure_of(in_company->ask(company, {})), Cure::retry);
  EXPECT_EQ(follower->call({"GET", "{b}n"})->text, "2");
  EXPECT_TRUE(in_transaction->ask(transaction(), {}));
  EXPECT_EQ(follower->call({"GET", "{b}n"})->text, "3");

  // ASK: a key that has been migrated is requested from the target node.
  const std::string slot = std::to_string(slot_of("b"));
  fleet.node(old).say({"CLUSTER", "SETSLOT", slot, "IMPORTING", fleet.id_of(next)});
  fleet.node(next).say({"CLUSTER", "SETSLOT", slot, "MIGRATING", fleet.id_of(old)});
  Commands two;
  two.add({"SET", "{b}new", "v"});
  two.add({"INCRBY", "{b}newer", "5"});
  const auto asked = follower->ask(two, {});
  ASSERT_TRUE(asked) << why(asked);
  EXPECT_EQ(asked->at(1).number, 5);
  EXPECT_EQ(follower->connections(), 2U);
  Commands mixed;
  mixed.add({"INCR", "{b}n"});
  mixed.add({"INCR", "{b}newest"});
  EXPECT_EQ(cure_of(follower->ask(mixed, {})), Cure::retry);
  EXPECT_EQ(follower->call({"GET", "{b}n"})->text, "4");

  // A dead node is skipped; a client for a single server reports the cause.
  const auto lone = redis::client_of({.address = address_of(fleet.node(old).url())}, clock_);
  const auto reply = lone->call({"GET", "{b}n"});
  EXPECT_EQ(cure_of(reply), Cure::give_up);
  EXPECT_TRUE(why(reply).contains("redis+cluster://")) << why(reply);
  fleet.node(0).kill();
  const std::size_t alive = RedisCluster::owner_of(slot_of("a"));
  ASSERT_NE(alive, 0U);
  const auto late = client_for(fleet, "a");
  const auto found = late->call({"GET", "a"});
  EXPECT_TRUE(found) << why(found);
}

}  // namespace
}  // namespace tidemill::redis
