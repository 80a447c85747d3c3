// The client against servers that are slow, silent, faulty or gone.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/io/redis/client_rig.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::eventually;
using testing::FakeClock;
using namespace std::string_literals;

// A scripted server that handles one connection after another.
class StrangeServer {
 public:
  using Visit = std::function<void(int line)>;

  explicit StrangeServer(Visit visit = {}, int backlog = 8) : visit_(std::move(visit)) {
    listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    auto* const address = reinterpret_cast<sockaddr*>(&address_);
    EXPECT_EQ(::bind(listener_.number(), address, size), 0);
    EXPECT_EQ(::getsockname(listener_.number(), address, &size), 0);
    EXPECT_EQ(::listen(listener_.number(), backlog), 0);
    if (visit_) thread_ = std::jthread([this] { receive(); });
  }
  ~StrangeServer() { ::shutdown(listener_.number(), SHUT_RDWR); }
  StrangeServer(const StrangeServer&) = delete;
  StrangeServer& operator=(const StrangeServer&) = delete;

  [[nodiscard]] std::string url() const {
    return "redis://127.0.0.1:" + std::to_string(ntohs(address_.sin_port));
  }

  // Fills the backlog with connections that are not accepted: the next client gets no response.
  void fill_up() {
    for (int i = 0; i < 4; ++i) {
      crowd_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      (void)::connect(crowd_.back().number(), reinterpret_cast<sockaddr*>(&address_),
                      sizeof address_);
    }
  }

 private:
  void receive() {
    while (true) {
      const Descriptor line(::accept(listener_.number(), nullptr, nullptr));
      if (!line.is_open()) return;
      visit_(line.number());
    }
  }

  Visit visit_;
  Descriptor listener_;
  sockaddr_in address_{};
  std::vector<Descriptor> crowd_;
  std::jthread thread_;
};

bool hears(int line) {
  std::array<char, 4096> block{};
  return ::recv(line, block.data(), block.size(), 0) > 0;
}

void says(int line, std::string_view bytes) {
  (void)::send(line, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// Answers the PING of the handshake; the next command comes from the test.
bool greets(int line) {
  if (!hears(line)) return false;
  says(line, "+PONG\r\n");
  return hears(line);
}

TEST(StrangeServers, CallToASilentServerFailsAtTheDeadline) {
  FakeClock clock;
  std::atomic<bool> is_waiting = false;
  const StrangeServer server([&](int line) {
    is_waiting = greets(line);
    (void)hears(line);  // until the client leaves
  });
  const auto client = client_of({.address = address_of(server.url())}, clock);
  std::jthread mover([&] {
    EXPECT_TRUE(eventually([&] { return is_waiting.load(); }));
    clock.advance(seconds(5));
  });
  const auto reply = client->call({"GET", "k"});
  EXPECT_EQ(cure_of(reply), Cure::retry) << why(reply);
  EXPECT_TRUE(why(reply).contains("no answer in 5000 ms")) << why(reply);
}

constexpr milliseconds kNotLong{1'000};

// How long a failed call took, as the best of several attempts: the machine may be slow once, but a
// client that waits too long does so each time.
Instant::duration quickest_failure(Client& client, const Clock& clock) {
  auto took = Instant::duration::max();
  for (int tries = 0; tries < 5 && took >= kNotLong; ++tries) {
    const Instant start = clock.now();
    const auto reply = client.call({"GET", "k"});
    EXPECT_EQ(cure_of(reply), Cure::retry) << why(reply);
    took = std::min(took, clock.now() - start);
  }
  return took;
}

TEST(StrangeServers, ConnectionThatIsNeverAcceptedFailsAtTheDeadline) {
  const SystemClock clock;
  StrangeServer server({}, 0);
  server.fill_up();
  const auto client =
      client_of({.address = address_of(server.url()), .timeout = milliseconds(500)}, clock);
  const auto took = quickest_failure(*client, clock);
  EXPECT_GE(took, milliseconds(500));
  EXPECT_LT(took, kNotLong);
}

TEST(StrangeServers, EndlesslyNestedListIsRejected) {
  const SystemClock clock;
  const StrangeServer server([](int line) {
    if (!greets(line)) return;
    std::string bytes;
    for (int i = 0; i < 1'000'000; ++i) bytes += "*1\r\n";
    says(line, bytes);
    (void)hears(line);  // until the client leaves
  });
  const auto client = client_of({.address = address_of(server.url())}, clock);
  const auto reply = client->call({"GET", "k"});
  EXPECT_EQ(cure_of(reply), Cure::give_up) << why(reply);
  EXPECT_TRUE(why(reply).contains("too deep")) << why(reply);
}

TEST(StrangeServers, ReplyThatNeverCompletesFailsAtTheDeadline) {
  const SystemClock clock;
  const StrangeServer server([](int line) {
    if (!greets(line)) return;
    says(line, "$500000000\r\n");
    while (::send(line, "x", 1, MSG_NOSIGNAL) == 1) {
    }
  });
  const auto client =
      client_of({.address = address_of(server.url()), .timeout = milliseconds(500)}, clock);
  EXPECT_LT(quickest_failure(*client, clock), kNotLong);
}

TEST(StrangeServers, ReplySentByteByByteIsParsed) {
  const SystemClock clock;
  const StrangeServer server([](int line) {
    const int now = 1;
    ::setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    if (!greets(line)) return;
    for (const char c : "*2\r\n$3\r\none\r\n:2\r\n"s) says(line, {&c, 1});
    (void)hears(line);
  });
  const auto client = client_of({.address = address_of(server.url())}, clock);
  const auto reply = client->call({"GET", "k"});
  ASSERT_TRUE(reply) << why(reply);
  EXPECT_EQ(reply->items.at(1).number, 2);
}

// A client that reads only after it has written everything would deadlock here: both buffers fill.
TEST(StrangeServers, ClientReadsRepliesWhileStillSending) {
  constexpr std::size_t kCount = 16'000;
  const SystemClock clock;
  const std::string text(2'000, 'x');
  const StrangeServer server([&](int line) {
    if (!greets(line)) return;
    for (std::size_t i = 0; i < kCount; ++i) says(line, "$2000\r\n" + text + "\r\n");
    while (hears(line)) {
    }
  });
  const auto client =
      client_of({.address = address_of(server.url()), .timeout = seconds(20)}, clock);
  Commands commands;
  for (std::size_t i = 0; i < kCount; ++i) commands.add({"ECHO", text});
  std::size_t right = 0;
  const auto done = client->ask(
      commands, [&](std::size_t, const Reply& reply) { right += reply.text == text ? 1 : 0; }, {});
  EXPECT_TRUE(done) << why(done);
  EXPECT_EQ(right, kCount);
}

TEST(StrangeServers, ResetDuringAReplyIsRetryableOnANewConnection) {
  const SystemClock clock;
  std::atomic<int> commands = 0;
  const StrangeServer server([&](int line) {
    if (!greets(line)) return;
    ++commands;
    says(line, "$10\r\nhalf");
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(line, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  });
  const auto client = client_of({.address = address_of(server.url())}, clock);
  EXPECT_EQ(cure_of(client->call({"GET", "k"})), Cure::retry);
  EXPECT_EQ(client->connections(), 1U);
  EXPECT_EQ(commands.load(), 1) << "a command was sent twice";
  EXPECT_EQ(cure_of(client->call({"GET", "k"})), Cure::retry);
  EXPECT_EQ(client->connections(), 2U);
}

TEST(StrangeServers, ProtocolViolationIsNotRetryable) {
  const SystemClock clock;
  for (const auto& answer : {"HTTP/1.1 400 Bad Request\r\n"s, "+PONG\r\n+MORE\r\n"s}) {
    const StrangeServer server([&](int line) {
      if (hears(line)) says(line, answer);
      (void)hears(line);
    });
    const auto client = client_of({.address = address_of(server.url())}, clock);
    const auto reply = client->call({"GET", "k"});
    EXPECT_EQ(cure_of(reply), Cure::give_up) << why(reply);
    EXPECT_TRUE(why(reply).contains(server.url())) << why(reply);
  }
}

TEST(StrangeServers, ClosedConnectionIsRetryableWithAndWithoutTls) {
  const SystemClock clock;
  const StrangeServer server([](int line) { (void)hears(line); });
  for (const std::string& url : {server.url(), "rediss" + server.url().substr(5)}) {
    const auto reply = client_of({.address = address_of(url)}, clock)->call({"GET", "k"});
    EXPECT_EQ(cure_of(reply), Cure::retry) << why(reply);
  }
}

TEST(StrangeServers, FailureHidesAPasswordEchoedByTheServer) {
  const SystemClock clock;
  for (const auto& answer : {"-LOADING hunter2\r\n"s, "-ERR unknown command 'AUTH' 'hunter2'\r\n"s,
                             "-HUNTERTWO hunter2\r\n"s, "+OK\r\n-ERR hunter2\r\n"s}) {
    const StrangeServer server([&](int line) {
      if (hears(line)) says(line, answer);
      (void)hears(line);
    });
    RedisAddress address = address_of(server.url());
    address.password = HiddenText("hunter2");
    const auto reply = client_of({.address = address}, clock)->call({"GET", "k"});
    ASSERT_FALSE(reply);
    EXPECT_FALSE(why(reply).contains("hunter2")) << why(reply);
  }
}

TEST(StrangeServers, StopInterruptsAWaitingCall) {
  const SystemClock clock;
  std::stop_source source;
  const StrangeServer server([&](int line) {
    if (greets(line)) source.request_stop();
    (void)hears(line);
  });
  const auto client =
      client_of({.address = address_of(server.url()), .timeout = std::chrono::hours(1)}, clock);
  const auto reply = client->call({"GET", "k"}, source.get_token());
  EXPECT_EQ(cure_of(reply), Cure::resume) << why(reply);
  EXPECT_TRUE(why(reply).contains("stopped")) << why(reply);
  EXPECT_EQ(cure_of(client->call({"GET", "k"}, source.get_token())), Cure::resume);
  EXPECT_EQ(client->connections(), 1U);
}

// A sentinel that names a master, and the current or former master.
class Sentinels : public ::testing::Test {
 protected:
  static StrangeServer::Visit in_turn(std::vector<std::string> answers) {
    return [answers = std::move(answers)](int line) {
      for (const std::string& answer : answers) {
        if (!hears(line)) return;
        says(line, answer);
      }
      (void)hears(line);
    };
  }
  static std::string naming(const StrangeServer& master) {
    const std::string port = master.url().substr(master.url().rfind(':') + 1);
    return "*2\r\n$9\r\n127.0.0.1\r\n$" + std::to_string(port.size()) + "\r\n" + port + "\r\n";
  }
  static std::string host_of(const StrangeServer& server) { return server.url().substr(8); }

  const SystemClock clock_;
};

TEST_F(Sentinels, AreSkippedWhenTheyNameAReplica) {
  const StrangeServer replica(in_turn({"*1\r\n$5\r\nslave\r\n+PONG\r\n", "+OK\r\n"}));
  const StrangeServer master(in_turn({"*1\r\n$6\r\nmaster\r\n+PONG\r\n", "+OK\r\n"}));
  const StrangeServer behind(in_turn({"+PONG\r\n", naming(replica)}));
  const StrangeServer knowing(in_turn({"+PONG\r\n", naming(master)}));
  const auto lost =
      client_of({.address = address_of("redis+sentinel://" + host_of(behind) + "/m")}, clock_);
  const auto reply = lost->call({"SET", "k", "v"});
  EXPECT_EQ(cure_of(reply), Cure::retry);
  EXPECT_TRUE(why(reply).contains("not a master")) << why(reply);
  const auto found = client_of({.address = address_of("redis+sentinel://" + host_of(behind) + "," +
                                                      host_of(knowing) + "/m")},
                               clock_);
  EXPECT_TRUE(found->call({"SET", "k", "v"}));
  EXPECT_EQ(found->server(), master.url());
}

TEST_F(Sentinels, UnresponsiveSentinelLeavesTimeForTheOthers) {
  StrangeServer deaf({}, 0);
  deaf.fill_up();
  const StrangeServer master(in_turn({"*1\r\n$6\r\nmaster\r\n+PONG\r\n", "+OK\r\n"}));
  const StrangeServer knowing(in_turn({"+PONG\r\n", naming(master)}));
  const auto client = client_of(
      {.address = address_of("redis+sentinel://" + host_of(deaf) + "," + host_of(knowing) + "/m"),
       .timeout = seconds(6)},  // part of it is spent on the silent one
      clock_);
  const auto reply = client->call({"SET", "k", "v"});
  EXPECT_TRUE(reply) << why(reply);
}

TEST_F(Sentinels, ReceiveThePasswordOnlyIfTheyRequireIt) {
  std::atomic<bool> was_told = false;
  const StrangeServer master(in_turn({"+OK\r\n*1\r\n$6\r\nmaster\r\n+PONG\r\n", "+OK\r\n"}));
  const StrangeServer knowing([&](int line) {
    std::array<char, 4096> block{};
    const ssize_t size = ::recv(line, block.data(), block.size(), 0);
    const std::string_view said(block.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    if (!said.contains("AUTH")) return says(line, "-NOAUTH Authentication required.\r\n");
    was_told = said.contains("hunter2");
    says(line, "+OK\r\n+PONG\r\n");
    in_turn({naming(master)})(line);
  });
  RedisAddress address = address_of("redis+sentinel://" + host_of(knowing) + "/m");
  address.password = HiddenText("hunter2");
  const auto client = client_of({.address = address}, clock_);
  const auto reply = client->call({"SET", "k", "v"});
  EXPECT_TRUE(reply) << why(reply);
  EXPECT_TRUE(was_told);
}

TEST(Waiting, BacksOffWithJitterUntilTheDeadline) {
  FakeClock clock;
  std::string url;
  {
    const StrangeServer gone;
    url = gone.url();
  }
  const auto client = client_of({.address = address_of(url), .seed = 7}, clock);
  const Instant until = clock.now() + seconds(60);
  std::vector<milliseconds> pauses;
  const auto done =
      client->connect_until(until, {}, [&](const Failure& failure, milliseconds pause) {
        EXPECT_EQ(failure.cure, Cure::retry);
        pauses.push_back(pause);
        clock.advance(pause);
      });
  EXPECT_EQ(cure_of(done), Cure::retry);
  EXPECT_LE(clock.now(), until);
  ASSERT_GT(pauses.size(), 8U);
  milliseconds ceiling(200);
  for (const milliseconds pause : pauses) {
    EXPECT_LE(pause, ceiling);
    ceiling = std::min(ceiling * 2, milliseconds(5'000));
  }
  EXPECT_GT(std::ranges::max(pauses), milliseconds(1'000));
  EXPECT_EQ(client->connections(), 0U);
}

TEST(Waiting, EndsOnAStopRequest) {
  const SystemClock clock;
  StrangeServer server({}, 0);
  server.fill_up();
  std::stop_source source;
  const auto client =
      client_of({.address = address_of(server.url()), .timeout = milliseconds(1)}, clock);
  const auto done =
      client->connect_until(clock.now() + std::chrono::hours(1), source.get_token(),
                            [&](const Failure&, milliseconds) { source.request_stop(); });
  EXPECT_EQ(cure_of(done), Cure::resume);
}

}  // namespace
}  // namespace tidemill::redis
