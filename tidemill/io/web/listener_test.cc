#include "tidemill/io/web/listener.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "tidemill/base/guarded.h"
#include "tidemill/io/web/address_limit.h"
#include "tidemill/io/web/form.h"
#include "tidemill/io/web/request_reader.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/raw_client.h"

namespace tidemill::web {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using testing::RawClient;
using namespace std::string_literals;
using State = RequestReader::State;

std::string post(std::string_view body, std::string_view path = "/") {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: here\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

constexpr milliseconds kSilence{300};  // an accepted client is answered sooner

struct Seen {
  std::vector<std::string> requests{};
  State state = State::head;
  int refusal = 0;
  bool operator==(const Seen&) const = default;
};

// Feeds `cut` bytes at a time.
Seen read_in_pieces(std::string_view bytes, std::size_t cut) {
  RequestReader reader(kib(1));
  Seen seen;
  while (!bytes.empty()) {
    reader.feed(bytes.substr(0, cut));
    bytes.remove_prefix(std::min(cut, bytes.size()));
    while (reader.state() == State::whole) {
      const bool stays_open = reader.stays_open();
      const Incoming one = reader.take();
      std::string text =
          one.method + ' ' + one.path + '?' + one.query + (stays_open ? " stays" : " goes");
      for (const auto& [name, value] : one.headers) text += '|' + name + '=' + value;
      seen.requests.push_back(text + '|' + one.body);
    }
  }
  seen.state = reader.state();
  seen.refusal = reader.refusal();
  return seen;
}

TEST(RequestReader, ReadsRequestsOneAfterAnother) {
  const Seen seen = read_in_pieces(
      "\r\nPOST /hook?key=1 HTTP/1.1\r\nOutline-Signature:  t=1,s=2 \r\ncontent-length: "
      "3\r\n\r\nabc"
      "GET /?a?b HTTP/1.0\r\n\r\nHEAD /x HTTP/1.1\r\nConnection: x, Close\r\n\r\nGE",
      1);
  EXPECT_EQ(seen.requests,
            (std::vector{"POST /hook?key=1 stays|outline-signature=t=1,s=2|"
                         "content-length=3|abc"s,
                         "GET /?a?b goes|"s, "HEAD /x? goes|connection=x, Close|"s}));
  EXPECT_EQ(seen.state, State::head);
}

TEST(RequestReader, RejectsInvalidAndOversizedRequests) {
  const auto refusal = [](const std::string& bytes) { return read_in_pieces(bytes, 7).refusal; };
  const std::string first = "POST / HTTP/1.1\r\n";
  EXPECT_EQ(refusal("\x16\x03\x01\r\n\r\n"), 400);  // the start of a TLS handshake
  EXPECT_EQ(refusal("POST /\r\n\r\n"), 400);
  EXPECT_EQ(refusal("POST  / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refusal("POST / HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(refusal(first + "Host\r\n\r\n"), 400);
  EXPECT_EQ(refusal(first + "Host : here\r\n\r\n"), 400);
  EXPECT_EQ(refusal(first + "Host: here\r\n folded\r\n\r\n"), 400);
  EXPECT_EQ(refusal(first + "Host: a\nb: c\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET /a#b HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET /?a#b HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refusal(first + "Host: a\r\nhost: b\r\n\r\n"), 400);
  EXPECT_EQ(refusal(first + "Content-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(refusal(first + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
  EXPECT_EQ(refusal(first + "Content-Length: 1025\r\n\r\n"), 413);
  EXPECT_EQ(refusal(first + "Content-Length: 99999999999999999999999\r\n\r\n"), 413);
  EXPECT_EQ(refusal(first + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 411);
  EXPECT_EQ(refusal(first + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"), 400);
  EXPECT_EQ(refusal(first + "a: " + std::string(RequestReader::kMostHead, 'b')), 431);
  std::string many = first;
  for (std::size_t i = 0; i <= RequestReader::kMostHeaders; ++i) many += "a: b\r\n";
  EXPECT_EQ(refusal(many + "\r\n"), 431);
}

// The result does not depend on how the network splits the bytes.
RC_GTEST_PROP(RequestReader, ParsesTheSameHoweverTheBytesAreSplit, ()) {
  const auto fragment = rc::gen::oneOf(
      rc::gen::element("GET / HTTP/1.1\r\n"s, "POST /a?b HTTP/1.0\r\n"s, "\r\n"s, "\r"s, "\n"s,
                       "\r\n\r\n"s, "Content-Length: 3\r\n"s, "Content-Length: 2000\r\n"s,
                       "Connection: close\r\n"s, "Connection: keep-alive\r\n"s, "a:"s, " "s, "abc"s,
                       "Transfer-Encoding: chunked\r\n"s,
                       std::string(RequestReader::kMostHead, 'x')),
      rc::gen::arbitrary<std::string>());
  const auto fragments = *rc::gen::container<std::vector<std::string>>(fragment);
  std::string bytes;
  for (const auto& one : fragments) bytes += one;
  const auto cut = *rc::gen::inRange<std::size_t>(1, 40);
  RC_ASSERT(read_in_pieces(bytes, bytes.size() + 1) == read_in_pieces(bytes, cut));
}

std::unique_ptr<Listener> started(const ListenerOptions& options, Answer answer) {
  auto listener = Listener::start(options, std::move(answer));
  EXPECT_TRUE(listener) << text_of(listener.error());
  return listener ? *std::move(listener) : nullptr;
}

WebReply echo(const Incoming& incoming) {
  return {.status = 200, .body = incoming.method + incoming.path + incoming.body};
}

TEST(Listener, AnswersSeveralRequestsOverOneConnection) {
  const auto listener = started({}, echo);
  RawClient client(listener->port());
  client.send(post("one", "/a?b=c") + post("two") + "HEAD /h HTTP/1.1\r\nContent-Le");
  EXPECT_EQ(client.status(), 200);
  EXPECT_EQ(client.body(), "POST/aone");
  EXPECT_EQ(client.status(), 200);
  EXPECT_EQ(client.body(), "POST/two");
  client.send("ngth: 0\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return client.status() == 0; }));
}

TEST(Listener, AnswersHeadAsGetWithoutTheBody) {
  const auto listener = started({}, echo);
  RawClient client(listener->port());
  client.send("HEAD /h HTTP/1.1\r\n\r\n" + post("next"));
  EXPECT_EQ(client.head_status(), 200);
  EXPECT_NE(client.head().find("Content-Length: 5\r\n"), std::string::npos);  // of "GET/h"
  EXPECT_EQ(client.status(), 200);
  EXPECT_EQ(client.body(), "POST/next");
}

TEST(Listener, NeverSendsAHeaderThatTheAnswerSplit) {
  const auto listener = started({}, [](const Incoming& incoming) {
    return WebReply{.headers = {{"Location", *percent_decoded(incoming.query)}}};
  });
  RawClient client(listener->port());
  client.send("GET /?/a%0d%0aSet-Cookie:b=c HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.status(), 500);
  EXPECT_EQ(client.head().find("Cookie"), std::string::npos);
  client.send("GET /?/a%3Fb HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.status(), 200);
  EXPECT_NE(client.head().find("Location: /a?b\r\n"), std::string::npos);
}

TEST(Listener, RespondsWith413ToAClientThatKeepsSending) {
  const auto listener = started({.most_body = kib(1)}, echo);
  RawClient client(listener->port());
  EXPECT_TRUE(client.send(post(std::string(5'000'000, 'x'))));  // more than a socket holds
  EXPECT_EQ(client.status(), 413);
  EXPECT_TRUE(client.sees_end());
  RawClient exact(listener->port());
  exact.send(post(std::string(1024, 'x')));
  EXPECT_EQ(exact.status(), 200);
}

TEST(Listener, LimitsBodiesByMethodAndPath) {
  const auto listener =
      started({.most_body = {6},
               .most_body_of = [](std::string_view method, std::string_view path) -> Bytes {
                 if (method == "GET" || method == "HEAD") return {};
                 return path == "/small" ? Bytes{3} : mib(1);  // not above most_body
               }},
              echo);
  const auto status = [&](const std::string& request) {
    RawClient client(listener->port());
    client.send(request);
    return client.status();
  };
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), 200);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"), 200);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nContent-Length: 1\r\n\r\n"), 413);
  EXPECT_EQ(status("HEAD / HTTP/1.1\r\nContent-Length: 1\r\n\r\n"), 413);
  EXPECT_EQ(status(post("123", "/small?x")), 200);
  EXPECT_EQ(status(post("1234", "/small?x")), 413);
  EXPECT_EQ(status(post("123456", "/large")), 200);
  EXPECT_EQ(status(post("1234567", "/large")), 413);
}

TEST(Listener, Sends100ContinueToAClientThatExpectsIt) {
  const auto listener = started({}, echo);
  RawClient client(listener->port());
  client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.status(), 100);
  client.send("hi");
  EXPECT_EQ(client.status(), 200);
  EXPECT_EQ(client.body(), "POST/hi");
}

TEST(Listener, DoesNotBlockAThreadOnSilentOrSlowClients) {
  const auto listener = started({.threads = 1, .read_timeout = std::chrono::minutes(10)}, echo);
  std::vector<RawClient> slow;
  for (int i = 0; i < 50; ++i) {
    slow.emplace_back(listener->port());
    if (i % 2 == 0) slow.back().send("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab");
  }
  RawClient client(listener->port());
  client.send(post("now"));
  EXPECT_EQ(client.status(), 200);
  slow[0].send("cde");
  EXPECT_EQ(slow[0].status(), 200);
}

TEST(Listener, DisconnectsSlowClientsAndAcceptsOthersAgain) {
  const auto listener = started({.read_timeout = milliseconds(50), .connections = 2}, echo);
  RawClient silent(listener->port());
  RawClient half(listener->port());
  half.send("POST / HTTP/1.1\r\nContent-Le");
  EXPECT_TRUE(eventually([&] {  // on a busy machine the test itself may be too slow
    RawClient client(listener->port());
    client.send(post("x"));
    return client.status() == 200;
  }));
  EXPECT_TRUE(silent.sees_end());
  EXPECT_TRUE(half.sees_end());
}

TEST(Listener, ServesNoNewClientAtTheConnectionLimit) {
  const auto listener = started({.read_timeout = std::chrono::minutes(10), .connections = 2}, echo);
  RawClient first(listener->port());
  const RawClient second(listener->port());
  RawClient third(listener->port());
  third.send(post("x"));
  EXPECT_TRUE(third.hears_nothing(kSilence));
  first.leave();
  EXPECT_EQ(third.status(), 200);
}

TEST(Listener, StopsReadingAtTheMemoryLimit) {
  const auto listener = started({.most_body = mib(1),
                                 .read_timeout = std::chrono::minutes(10),
                                 .most_held = kib(1)},  // raised to most_body
                                echo);
  const std::string half = post(std::string(1 << 20U, 'x')).substr(0, 600'000);
  RawClient first(listener->port());
  RawClient second(listener->port());
  EXPECT_TRUE(first.send(half));
  EXPECT_TRUE(second.send(half));
  RawClient third(listener->port());
  EXPECT_TRUE(eventually([&] {  // until both have been read
    third = RawClient(listener->port());
    third.send(post("x"));
    return third.hears_nothing(kSilence);
  }));
  first.reset();  // an orderly close would queue behind the unread bytes
  EXPECT_EQ(third.status(), 200);
}

// Counts the threads in it and holds them until it is opened.
struct Gate {
  WebReply enter() {
    inside.update([](int& count) { count += 1; });
    open.lock().wait([](bool is_open) { return is_open; });
    return {};
  }
  bool has(int count) {
    return eventually([&] { return *inside.lock() == count; });
  }
  void let_through() {
    open.update([](bool& is_open) { is_open = true; });
  }
  Guarded<int> inside{0};
  Guarded<bool> open{false};
};

TEST(Listener, AnswersAsManyRequestsAtOnceAsItHasThreads) {
  Gate gate;
  const auto listener = started({.threads = 8}, [&](const Incoming&) { return gate.enter(); });
  std::vector<RawClient> clients;
  for (int i = 0; i < 9; ++i) clients.emplace_back(listener->port()).send(post("x"));
  EXPECT_TRUE(gate.has(8));
  gate.let_through();
  for (auto& client : clients) EXPECT_EQ(client.status(), 200);
}

TEST(Listener, AnswersRequestsInProgressBeforeShuttingDown) {
  Gate gate;
  auto listener = started({.threads = 1, .read_timeout = std::chrono::minutes(10)},
                          [&](const Incoming&) { return gate.enter(); });
  const auto port = listener->port();
  RawClient idle(port);
  RawClient client(port);
  client.send(post("x"));
  EXPECT_TRUE(gate.has(1));
  std::jthread end([&] { listener.reset(); });
  EXPECT_TRUE(idle.sees_end());  // the listener is stopping
  EXPECT_FALSE(RawClient(port).is_connected());
  gate.let_through();
  EXPECT_EQ(client.status(), 200);
  end.join();
}

// When a client gets "100 Continue", the polling thread has read it, and also everything that other
// clients sent before.
void wait_until_read(RawClient& last) {
  last.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(last.status(), 100);
}

TEST(Listener, ServesOtherClientsBetweenPipelinedRequests) {
  Gate gate;
  Guarded<std::string> order;
  const auto listener = started({.threads = 1}, [&](const Incoming& incoming) {
    order.update([&](std::string& text) { text += incoming.path; });
    return gate.enter();
  });
  RawClient greedy(listener->port());
  RawClient other(listener->port());
  RawClient last(listener->port());
  greedy.send(post("", "/g") + post("", "/g") + post("", "/g"));
  EXPECT_TRUE(gate.has(1));
  other.send(post("", "/other"));
  wait_until_read(last);
  gate.let_through();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(greedy.status(), 200);
  EXPECT_EQ(other.status(), 200);
  EXPECT_EQ(*order.lock(), "/g/other/g/g");
}

TEST(Listener, DoesNotBlockAThreadOnClientsThatDoNotRead) {
  Guarded<int> answers;
  const auto listener =
      started({.threads = 1, .read_timeout = std::chrono::minutes(10)}, [&](const Incoming&) {
        answers.update([](int& count) { count += 1; });
        return WebReply{.status = 200, .body = std::string(2'000, 'x')};
      });
  std::string many;
  for (int i = 0; i < 3'600; ++i) many += "GET / HTTP/1.1\r\n\r\n";  // read in one piece
  RawClient deaf(listener->port());
  EXPECT_TRUE(deaf.send(many));
  EXPECT_TRUE(eventually([&] { return *answers.lock() > 0; }));
  RawClient client(listener->port());
  client.send(post("now"));
  EXPECT_EQ(client.status(), 200);
}

TEST(Listener, LimitsConnectionsPerAddress) {
  const auto listener = started({.read_timeout = std::chrono::minutes(10), .per_address = 2}, echo);
  RawClient first(listener->port(), 2);
  const RawClient second(listener->port(), 2);
  RawClient third(listener->port(), 2);
  EXPECT_FALSE(third.hears_nothing(std::chrono::minutes(1)));
  EXPECT_TRUE(third.sees_end());
  RawClient stranger(listener->port(), 3);
  stranger.send(post("x"));
  EXPECT_EQ(stranger.status(), 200);
  first.leave();
  EXPECT_TRUE(eventually([&] {
    RawClient again(listener->port(), 2);
    again.send(post("x"));
    return again.status() == 200;
  }));
}

TEST(AddressLimit, CountsIpv6ClientsByPrefixAndIpv4ClientsByAddress) {
  const auto six = [](std::string_view text) {
    sockaddr_in6 name{};
    name.sin6_family = AF_INET6;
    EXPECT_EQ(inet_pton(AF_INET6, std::string(text).c_str(), &name.sin6_addr), 1);
    sockaddr_storage storage{};
    std::memcpy(&storage, &name, sizeof name);
    return storage;
  };
  AddressLimit limit(1);
  auto slot = limit.enter(six("2001:db8::1"));
  EXPECT_TRUE(slot);
  EXPECT_FALSE(limit.enter(six("2001:db8::ffff:2")));
  EXPECT_TRUE(limit.enter(six("2001:db8:0:1::1")));
  const auto four = limit.enter(six("::ffff:192.0.2.1"));
  EXPECT_TRUE(four);
  EXPECT_TRUE(limit.enter(six("::ffff:192.0.2.2")));
  EXPECT_FALSE(limit.enter(six("::ffff:192.0.2.1")));
  slot.reset();
  EXPECT_TRUE(limit.enter(six("2001:db8::1")));
}

TEST(Listener, SurvivesClientsThatDisconnectAndHandlersThatThrow) {
  Gate gate;
  const auto listener = started({.threads = 1}, [&](const Incoming& incoming) -> WebReply {
    if (incoming.path == "/throw") throw std::runtime_error("no");
    return gate.enter();
  });
  RawClient left(listener->port());
  left.send(post("x") + post("y"));  // the second answer would raise SIGPIPE
  EXPECT_TRUE(gate.has(1));
  left.leave();
  gate.let_through();
  RawClient cut(listener->port());
  cut.send(post("x") + post("y"));
  cut.reset();
  RawClient client(listener->port());
  client.send(post("", "/throw") + post(""));
  EXPECT_EQ(client.status(), 500);
  EXPECT_EQ(client.status(), 200);
}

TEST(Listener, RejectsAnAddressThatIsInUseOrInvalid) {
  const auto listener = started({}, echo);
  const auto taken =
      Listener::start({.address = "127.0.0.1:" + std::to_string(listener->port())}, echo);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().cure, Cure::give_up);
  EXPECT_EQ(taken.error().step, "listen");
  EXPECT_NE(taken.error().reason.find("in use"), std::string::npos) << taken.error().reason;
  for (const char* address : {"", "127.0.0.1", ":1", "::1:80", "127.0.0.1:x", "127.0.0.1:70000",
                              "127.0.0.1:-1", "[::1:80", "256.1.1.1:0"}) {
    EXPECT_FALSE(Listener::start({.address = address}, echo)) << address;
  }
}

TEST(Listener, ListensOnAnAddressInBrackets) {
  const auto listener = Listener::start({.address = "[::1]:0"}, echo);
  if (!listener) GTEST_SKIP() << "no IPv6 here: " << listener.error().reason;
  EXPECT_NE((*listener)->port(), 0);
}

}  // namespace
}  // namespace tidemill::web
