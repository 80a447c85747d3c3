// What all calls share, tested through the two servers: the gate, failures, stopping; and the
// assistant.
#include "tidemill/jobs/docs/server/caller.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/jobs/docs/server/docs_server_rig.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::docs {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::eventually;

const std::string kD = "11111111-1111-4111-8111-111111111111";
const std::string kC = "22222222-2222-4222-8222-222222222222";
const std::string kName = R"({"data":{"user":{"name":"Bot"}}})";

TEST(Caller, PausesARateLimitedEndpointForAllClients) {
  auto gate = outline_gate();
  WireRig rig({reply(429, "{}", "Retry-After: 30\r\n"), reply(200, R"({"data":[]})"),
               reply(200, R"({"data":{}})")},
              gate);
  const auto first = rig.outline();
  const auto second = rig.outline();
  const auto limited = failure_of(first->move(kD, kC));
  EXPECT_EQ(limited.cure, Cure::retry);
  EXPECT_EQ(limited.not_before, milliseconds(30'000));
  rig.clock.advance(seconds(29));
  const auto deferred = failure_of(second->move(kD, kC));
  EXPECT_EQ(deferred.cure, Cure::later);
  EXPECT_EQ(deferred.step, "documents.move");
  EXPECT_GT(deferred.not_before, milliseconds(0));
  EXPECT_TRUE(second->list({}).has_value());  // another endpoint is free
  EXPECT_EQ(rig.server.received().size(), 2U);
  rig.clock.advance(seconds(60));
  EXPECT_TRUE(second->move(kD, kC).has_value());
  const ServerCounts counts = rig.shared.counts();
  EXPECT_EQ(counts.limited, 1U);
  EXPECT_EQ(counts.deferred, 1U);
  EXPECT_EQ(counts.requests, 3U);
  EXPECT_EQ(counts.failed, 0U);
}

TEST(Caller, OpensTheBreakerAfterFiveFailuresAndThenProbes) {
  std::vector<std::string> replies(5, reply(503, "down"));
  replies.push_back(reply(200, kName));
  WireRig rig(replies);
  const auto outline = rig.outline();
  for (int i = 0; i < 5; ++i) {
    const auto failure = failure_of(outline->who());
    EXPECT_EQ(failure.cure, Cure::retry);
    EXPECT_TRUE(failure.reason.contains("503")) << failure.reason;
    EXPECT_TRUE(failure.reason.contains("down")) << failure.reason;
    rig.clock.advance(seconds(1));
  }
  EXPECT_EQ(failure_of(outline->who()).cure, Cure::later);
  EXPECT_EQ(rig.server.received().size(), 5U);
  EXPECT_EQ(rig.shared.counts().failed, 5U);
  rig.clock.advance(std::chrono::minutes(5));
  EXPECT_EQ(outline->who().value_or("none"), "Bot");
  EXPECT_EQ(rig.shared.gate().state(), engine::Breaker::State::closed);
}

TEST(Caller, DoesNotCountRefusalsAsServerFailures) {
  WireRig rig({reply(401, "{}")});
  const auto outline = rig.outline();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(failure_of(outline->who()).cure, Cure::give_up);
    rig.clock.advance(seconds(1));
  }
  EXPECT_EQ(rig.shared.counts().failed, 0U);
}

TEST(Caller, ReportsALostConnectionAsRetryable) {
  WireRig rig({"", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\":"});
  const auto outline = rig.outline();
  for (int i = 0; i < 2; ++i) {
    const auto failure = failure_of(outline->move(kD, kC));
    EXPECT_EQ(failure.cure, Cure::retry) << text_of(failure);
    EXPECT_EQ(failure.step, "documents.move");
    EXPECT_TRUE(failure.reason.starts_with("cut: ")) << failure.reason;
  }
  EXPECT_EQ(rig.shared.counts().failed, 2U);
}

TEST(Caller, AStopEndsAPendingRequest) {
  WireRig rig({""});
  // Accepts connections and never answers.
  const Descriptor silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(silent.number(), place, size), 0);
  ASSERT_EQ(::getsockname(silent.number(), place, &size), 0);
  ASSERT_EQ(::listen(silent.number(), 1), 0);
  DocsServer shared(
      WireRig::options("http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)), {}),
      rig.clock);
  std::stop_source source;
  const auto outline = connect_outline(shared, source.get_token());
  ASSERT_TRUE(outline.has_value());
  std::jthread stopper([&] {
    EXPECT_TRUE(eventually([&] { return shared.counts().requests == 1; }));
    source.request_stop();
  });
  const auto failure = failure_of((*outline)->who());
  EXPECT_EQ(failure.cure, Cure::resume) << text_of(failure);
  EXPECT_EQ(failure.step, "auth.info");
  EXPECT_EQ(shared.counts().failed, 0U);
}

TEST(AssistantHttp, AsksAndReadsTheFirstChoice) {
  const std::string answer = R"({"choices":[{"message":{"content":"yes\n)" + std::string(kRigKey) +
                             R"("}},{"message":{"content":"no"}}]})";
  WireRig rig({reply(200, answer)});
  const auto assistant = rig.assistant();
  EXPECT_EQ(assistant->answer({.system = "s", .user = "u\n\xff"}).value_or(""), "yes\n[secret]");
  EXPECT_TRUE(assistant->answer({.user = "u", .wants_json = true}).has_value());
  const auto received = rig.server.received();
  EXPECT_TRUE(received[0].head.starts_with("POST /chat/completions HTTP/1.1\r\n"));
  EXPECT_EQ(received[0].body, R"({"model":"small \"model\"","temperature":0.3,"messages":[)"
                              R"({"role":"system","content":"s"},{"role":"user","content":"u\n)"
                              "\xef\xbf\xbd\"}]}");
  EXPECT_TRUE(received[1].body.ends_with(R"("response_format":{"type":"json_object"}})"));
}

TEST(AssistantHttp, RetriesAResponseWithoutTextAndGivesUpOnInvalidJson) {
  for (const char* const body :
       {"{}", "[]", R"({"choices":[]})", R"({"choices":[{"message":{"content":null}}]})",
        R"({"choices":[{"message":{"content":""}}]})", R"({"choices":{"message":1}})"}) {
    WireRig rig({reply(200, body)});
    const auto failure = failure_of(rig.assistant()->answer({}));
    EXPECT_EQ(failure.cure, Cure::retry) << body;
    EXPECT_EQ(failure.step, "chat") << body;
  }
  WireRig rig({reply(200, "<html>")});
  const auto failure = failure_of(rig.assistant()->answer({}));
  EXPECT_EQ(failure.cure, Cure::give_up);
  EXPECT_EQ(failure.step, "chat");
}

}  // namespace
}  // namespace tidemill::docs
