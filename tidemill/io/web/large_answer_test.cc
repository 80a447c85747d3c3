// Answers that are larger than a socket's buffer, and clients that read them slowly or not at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/io/web/listener.h"
#include "tidemill/io/web/outgoing.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/raw_client.h"

namespace tidemill::web {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::eventually;
using testing::RawClient;

constexpr std::size_t kPage = std::size_t{1} << 20U;
constexpr int kSmallRoom = 4096;

// Every byte depends on where it is.
const std::string& page() {
  static const std::string text = [] {
    std::string made;
    for (std::size_t line = 0; made.size() < kPage; ++line) made += std::to_string(line) + '\n';
    made.resize(kPage);
    return made;
  }();
  return text;
}

WebReply page_or_small(const Incoming& incoming) {
  return {.body = incoming.path == "/page" ? page() : "small"};
}

ListenerOptions paged(Bytes most_unsent = mib(8)) {
  return {.threads = 1,
          .read_timeout = minutes(10),
          .most_unsent = most_unsent,
          .send_timeout = minutes(10)};
}

std::unique_ptr<Listener> serving(const ListenerOptions& options, Answer answer = page_or_small) {
  auto listener = Listener::start(options, std::move(answer));
  EXPECT_TRUE(listener) << text_of(listener.error());
  return listener ? *std::move(listener) : nullptr;
}

std::string get(std::string_view path) { return "GET " + std::string(path) + " HTTP/1.1\r\n\r\n"; }

// What is left of a connection, read in pieces of this size; until the server ends it.
std::string rest_of(RawClient& client, std::size_t piece) {
  std::string all;
  for (std::string some = client.some(piece); !some.empty(); some = client.some(piece)) all += some;
  return all;
}

bool is_served(const Listener& listener, std::uint8_t host = 1) {
  RawClient client(listener.port(), host);
  client.send(get("/"));
  return client.status() == 200 && client.body() == "small";
}

TEST(LargeAnswer, ReachesASlowReaderCompleteWhileOthersAreServed) {
  const auto listener = serving(paged());
  RawClient slow(listener->port(), 1, kSmallRoom);
  slow.send("GET /page HTTP/1.1\r\nConnection: close\r\n\r\n");
  std::string all;
  for (int i = 0; i < 20; ++i) {
    all += slow.some(1000);
    EXPECT_TRUE(is_served(*listener));  // by the only thread
  }
  all += rest_of(slow, 700);
  ASSERT_NE(all.find("\r\n\r\n"), all.npos);
  EXPECT_TRUE(all.substr(all.find("\r\n\r\n") + 4) == page());
}

TEST(LargeAnswer, IsFollowedByTheAnswersToFurtherRequests) {
  const auto listener = serving(paged());
  RawClient client(listener->port(), 1, kSmallRoom);
  client.send(get("/page") + get("/") + get("/page") + get("/nothing"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.status(), 200);
    EXPECT_TRUE(client.body() == page());
    EXPECT_EQ(client.status(), 200);
    EXPECT_EQ(client.body(), "small");
  }
  client.send(get("/page"));  // the connection stays open
  EXPECT_EQ(client.status(), 200);
}

// Unread input of the client, at the moment of closing, must not cost it the end of the answer.
TEST(LargeAnswer, IsCompleteBeforeAConnectionCloses) {
  const auto listener = serving(paged());
  RawClient client(listener->port(), 1, kSmallRoom);
  client.send("GET /page HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(client.some(1).empty());
  client.send("more that nobody reads");
  const std::string all = rest_of(client, 4096);
  EXPECT_TRUE(all.ends_with(std::string_view(page()).substr(kPage - 1000)));
}

TEST(LargeAnswer, IsCompleteForAClientThatSendsNothingMore) {
  const auto listener = serving(paged());
  RawClient client(listener->port(), 1, kSmallRoom);
  client.send("GET /page HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(client.some(1).empty());
  client.end_sending();
  const std::string all = rest_of(client, 4096);
  EXPECT_TRUE(all.ends_with(std::string_view(page()).substr(kPage - 1000)));
}

TEST(LargeAnswer, EndsTheConnectionAtItsDeadline) {
  ListenerOptions options = paged();
  options.send_timeout = milliseconds(50);
  const auto listener = serving(options);
  RawClient deaf(listener->port(), 1, kSmallRoom);
  deaf.send(get("/page"));
  EXPECT_TRUE(eventually([&] { return deaf.is_reset(); }));
  EXPECT_TRUE(is_served(*listener));
}

// A client that reads all the time, and always has more requests, has one deadline for all.
TEST(LargeAnswer, HasOneDeadlineForAllRequestsThatArrivedTogether) {
  ListenerOptions options = paged();
  options.send_timeout = milliseconds(100);
  const auto listener = serving(options);
  RawClient endless(listener->port(), 1, 1 << 15U);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += get("/page");
  endless.send(many);
  std::size_t size = 0;
  for (std::size_t some = 1; some > 0; size += some) some = endless.some(1U << 16U).size();
  EXPECT_LT(size, 1000 * kPage);
  EXPECT_TRUE(is_served(*listener));
}

TEST(LargeAnswer, EndsTheConnectionIfNothingMayBeHeld) {
  const auto listener = serving(paged({}));
  RawClient client(listener->port(), 1, kSmallRoom);
  client.send(get("/page"));
  EXPECT_TRUE(eventually([&] { return client.is_reset(); }));
  const auto little = serving(paged({kPage}));  // without room for the head
  RawClient second(little->port(), 1, kSmallRoom);
  second.send(get("/page"));
  EXPECT_TRUE(eventually([&] { return second.is_reset(); }));
  EXPECT_TRUE(is_served(*little));
}

TEST(LargeAnswer, AtTheMemoryLimitClosesThoseThatDoNotRead) {
  const auto listener = serving(paged(mib(4)));
  RawClient reader(listener->port(), 1, kSmallRoom);
  reader.send("GET /page HTTP/1.1\r\nConnection: close\r\n\r\n");
  std::string all = reader.some(100);
  std::vector<RawClient> deaf;
  for (int i = 0; i < 20; ++i) {
    deaf.emplace_back(listener->port(), 2, kSmallRoom).send(get("/page"));
    EXPECT_TRUE(is_served(*listener));
    // Enough for the socket of the server to take some of the answer.
    for (int pieces = 0; pieces < 64; ++pieces) all += reader.some(1000);
  }
  const auto closed = [&] {
    return std::ranges::count_if(deaf, [](const RawClient& one) { return one.is_reset(); });
  };
  EXPECT_TRUE(eventually([&] { return closed() >= 17; })) << closed();
  EXPECT_LE(closed(), 18);
  all += rest_of(reader, 4096);
  EXPECT_TRUE(all.ends_with(std::string_view(page()).substr(kPage - 1000)));
}

TEST(LargeAnswer, DoesNotDelayTheEndOfTheListener) {
  auto listener = serving(paged());
  RawClient deaf(listener->port(), 1, kSmallRoom);
  deaf.send(get("/page"));
  EXPECT_FALSE(deaf.some(1).empty());
  listener.reset();
  EXPECT_LT(rest_of(deaf, 4096).size(), kPage);
}

TEST(LargeAnswer, OfAClientThatLeftFreesItsPlace) {
  ListenerOptions options = paged();
  options.connections = 1;
  const auto listener = serving(options);
  for (const bool is_rude : {false, true}) {
    RawClient client(listener->port(), 1, kSmallRoom);
    client.send(get("/page"));
    EXPECT_FALSE(client.some(1).empty());
    if (is_rude) client.reset();
    if (!is_rude) client.leave();
    EXPECT_TRUE(is_served(*listener));
  }
}

}  // namespace
}  // namespace tidemill::web
