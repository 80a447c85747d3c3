// Clients that attack the listener: with numbers, with slowness, with heads and paths that mean
// something else to somebody else.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tidemill/io/web/listener.h"
#include "tidemill/io/web/path.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/raw_client.h"

namespace tidemill::web {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::eventually;
using testing::RawClient;

constexpr std::uint8_t kAttacker = 7;  // 127.0.0.7
constexpr std::uint8_t kHonest = 8;

// What a router of pages does with a path.
WebReply routed(const Incoming& incoming) {
  const auto segments = segments_of(incoming.path);
  if (!segments) return {.status = 400, .body = segments.error().reason};
  if (segments->empty()) return {.body = "home"};
  if (segments->front() == "large") return {.body = std::string(std::size_t{1} << 20U, 'x')};
  return {.status = 404};
}

std::unique_ptr<Listener> attacked(ListenerOptions options) {
  options.read_timeout = minutes(10);
  options.send_timeout = minutes(10);
  auto listener = Listener::start(options, routed);
  EXPECT_TRUE(listener) << text_of(listener.error());
  return listener ? *std::move(listener) : nullptr;
}

int honest_status(const Listener& listener, std::string_view target = "/") {
  RawClient client(listener.port(), kHonest);
  client.send("GET " + std::string(target) + " HTTP/1.1\r\n\r\n");
  return client.status();
}

TEST(HostileClients, AThousandConnectionsLeavePlacesForOthers) {
  const auto listener = attacked({.threads = 1, .connections = 100, .per_address = 64});
  std::vector<RawClient> many;
  many.reserve(1000);
  for (int i = 0; i < 1000; ++i) {
    many.emplace_back(listener->port(), kAttacker).send("GET / HTTP/1.1\r\nHo");
    EXPECT_TRUE(i % 100 != 0 || honest_status(*listener) == 200);
  }
  EXPECT_EQ(honest_status(*listener), 200);
  EXPECT_TRUE(eventually([&] {
    return std::ranges::count_if(many, [](const RawClient& one) { return !one.is_reset(); }) == 64;
  }));
}

TEST(HostileClients, ThatReadNothingOfManyLargePagesLeaveMemoryForOthers) {
  const auto listener = attacked({.threads = 1, .most_unsent = mib(4)});
  std::vector<RawClient> deaf;
  for (int i = 0; i < 60; ++i) {
    deaf.emplace_back(listener->port(), kAttacker, 4096)
        .send("GET /large HTTP/1.1\r\n\r\nGET /large HTTP/1.1\r\n\r\n");
    EXPECT_EQ(honest_status(*listener), 200);
    EXPECT_EQ(honest_status(*listener, "/large"), 200);
  }
  EXPECT_TRUE(eventually([&] {  // at most three whole pages and their heads fit
    return std::ranges::count_if(deaf, [](const RawClient& one) { return !one.is_reset(); }) <= 3;
  }));
}

// Every byte of a request moves no deadline: only its first one does.
TEST(HostileClients, CannotStayByDrippingBytes) {
  auto listener = Listener::start({.threads = 1, .read_timeout = milliseconds(200)}, routed);
  ASSERT_TRUE(listener);
  RawClient dripping((*listener)->port(), kAttacker);
  EXPECT_TRUE(dripping.send("GET /"));
  constexpr int kMany = 1000;
  int dripped = 0;
  while (dripped < kMany && dripping.hears_nothing(milliseconds(1))) {
    dripped += dripping.send("a") ? 1 : 0;
  }
  EXPECT_LT(dripped, kMany);
  EXPECT_TRUE(dripping.is_reset() || dripping.sees_end());
}

TEST(HostileClients, WithAHugeHeadAreRefused) {
  const auto listener = attacked({.threads = 1});
  for (const std::string& head :
       {"GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nCookie: " + std::string(100'000, 'a') + "\r\n\r\n",
        "GET / HTTP/1.1\r\n" +
            [] {
              std::string lines;
              for (int i = 0; i < 1000; ++i) lines += "a: b\r\n";
              return lines;
            }() +
            "\r\n"}) {
    RawClient client(listener->port(), kAttacker);
    client.send(head);
    EXPECT_EQ(client.status(), 431);
    EXPECT_TRUE(client.sees_end());
  }
  EXPECT_EQ(honest_status(*listener), 200);
}

TEST(HostileClients, ReachNoPageByAnotherSpellingOfItsPath) {
  const auto listener = attacked({.threads = 1, .most_unsent = mib(4)});
  EXPECT_EQ(honest_status(*listener, "/"), 200);
  EXPECT_EQ(honest_status(*listener, "/large?a=/../b"), 200);
  for (const char* target : {"//",
                             "/.",
                             "/large/",
                             "/large/.",
                             "/large/..",
                             "/x/../large",
                             "/%2e%2e/large",
                             "/%2E/large",
                             "//large",
                             "/large%00",
                             "/large%2f",
                             "/large%5c",
                             "/large\\",
                             "http://here/large",
                             "http:///large",
                             "*",
                             "large",
                             "/large#",
                             "/large#?a",
                             "/l%61rge%",
                             "/large;%0d%0aa:b"}) {
    EXPECT_EQ(honest_status(*listener, target), 400) << target;
  }
}

// What smuggles a request past a proxy: two lengths, two hosts, a length and chunks, spaces, a line
// end that only one of the two accepts.
TEST(HostileClients, AreRefusedWhereAProxyMightSeeAnotherRequest) {
  const auto listener = attacked({.threads = 1});
  for (const char* rest :
       {"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5, 5\r\n",
        "Content-Length: +5\r\n", "Content-Length: 0x5\r\n", "Content-Length: 5 5\r\n",
        "Content-Length:\r\n", "Content-Length : 5\r\n", "Host: a\r\nHost: a\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "a: b\r c: d\r\n", "a: b\nc: d\r\n",
        " a: b\r\n", "a: b\r\n folded\r\n", ": b\r\n"}) {
    RawClient client(listener->port(), kAttacker);
    client.send("POST / HTTP/1.1\r\n" + std::string(rest) + "\r\nhello");
    EXPECT_EQ(client.status(), 400) << rest;
    EXPECT_TRUE(client.sees_end()) << rest;
  }
}

}  // namespace
}  // namespace tidemill::web
