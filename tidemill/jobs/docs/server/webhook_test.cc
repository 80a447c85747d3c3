#include "tidemill/jobs/docs/server/webhook.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/io/hash/hmac.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/raw_client.h"

namespace tidemill::docs {
namespace {

using std::chrono::milliseconds;
using testing::RawClient;

constexpr const char* kDelivery = "0b8f6a52-6a53-4f6e-9a5c-0d5b8f1f3c11";
constexpr const char* kDocument = "7d1c2a40-3f0e-4b56-8f4e-2a9d6c1b0e22";
constexpr milliseconds kTolerance{300'000};
constexpr std::int64_t kNow = 1'800'000'000'000;

http::Secret secret() { return http::Secret("ol_whs_abcdefghijklmnop"); }

WallTime wall_at(std::int64_t ms) { return WallTime(milliseconds(ms)); }

std::string body_of(const std::string& event, const std::string& delivery = kDelivery) {
  const std::string payload = event == "revisions.create"
                                  ? R"({"id":"r","model":{"documentId":")" + std::string(kDocument)
                                  : R"({"model":null,"id":")" + std::string(kDocument);
  return R"({"id":")" + delivery + R"(","event":")" + event + R"(","payload":)" + payload +
         (event == "revisions.create" ? "\"}}}" : "\"}}");
}

std::string signature_at(const std::string& time, const std::string& body) {
  return "t=" + time + ",s=" + hash::hmac_sha256(secret().reveal(), time + "." + body);
}

web::Incoming incoming(std::string header, std::string body) {
  web::Incoming made{.method = "POST", .path = "/", .body = std::move(body)};
  made.headers.emplace_back("outline-signature", std::move(header));
  return made;
}

web::Incoming signed_at(std::int64_t ms, const std::string& body) {
  return incoming(signature_at(std::to_string(ms), body), body);
}

Received read_now(const web::Incoming& one) {
  return read_event(one, secret(), wall_at(kNow), kTolerance);
}

TEST(ReadEvent, AcceptsSignedFreshDocumentEventsAndIgnoresOthers) {
  for (const char* name : {"documents.update", "documents.create", "revisions.create"}) {
    const auto read = read_now(signed_at(kNow, body_of(name)));
    ASSERT_EQ(read.reading, WebhookReading::accepted) << name;
    EXPECT_EQ(read.event.name, name);
    EXPECT_EQ(read.event.delivery, kDelivery);
    EXPECT_EQ(read.event.document, kDocument);
  }
  for (const char* name : {"comments.create", "users.signin", "documents.delete"}) {
    EXPECT_EQ(read_now(signed_at(kNow, body_of(name))).reading, WebhookReading::uninteresting)
        << name;
  }
}

TEST(ReadEvent, RequiresExactlyOneSignature) {
  const auto body = body_of("documents.update");
  const auto time = std::to_string(kNow);
  const auto code = hash::hmac_sha256(secret().reveal(), time + "." + body);
  const auto reading = [&](const std::string& header) {
    return read_now(incoming(header, body)).reading;
  };
  EXPECT_EQ(reading("s=" + code + ", v=2,t=" + time), WebhookReading::accepted);
  for (const std::string& header :
       {std::string(), "t=" + time, "s=" + code, "t=,s=" + code, "t=" + time + ",s=",
        "t=" + time + ",t=" + time + ",s=" + code, "t=" + time + ",s=" + code + ",s=" + code,
        "t=x,s=" + code, "t=-5,s=" + code, "t=+5,s=" + code, "t=5.0,s=" + code,
        "t=99999999999999999999,s=" + code, "T=" + time + ",S=" + code}) {
    EXPECT_EQ(reading(header), WebhookReading::not_signed) << header;
  }
  auto twice = signed_at(kNow, body);
  twice.headers.push_back(twice.headers.front());
  EXPECT_EQ(read_now(twice).reading, WebhookReading::not_signed);
  twice.headers.clear();
  EXPECT_EQ(read_now(twice).reading, WebhookReading::not_signed);
  const auto open = incoming("t=" + time + ",s=" + hash::hmac_sha256("", time + "." + body), body);
  EXPECT_EQ(read_event(open, {}, wall_at(kNow), kTolerance).reading, WebhookReading::not_signed);
}

TEST(ReadEvent, TakesAnEventWithinTheToleranceAndNotAMomentBeyond) {
  const auto reading = [](std::int64_t offset) {
    return read_now(signed_at(kNow + offset, body_of("documents.update"))).reading;
  };
  const auto most = kTolerance.count();
  EXPECT_EQ(reading(most), WebhookReading::accepted);
  EXPECT_EQ(reading(-most), WebhookReading::accepted);
  EXPECT_EQ(reading(most + 1), WebhookReading::stale);
  EXPECT_EQ(reading(-most - 1), WebhookReading::stale);
}

TEST(ReadEvent, RejectsASignedBodyThatIsNotAnEvent) {
  const std::string text = body_of("documents.update");
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("[]"), std::string(R"({"event":5})"),
        text.substr(0, text.size() - 1), body_of("documents.update", "no uuid"),
        std::string(R"({"id":")") + kDelivery + R"(","event":"documents.update","payload":{}})",
        std::string(100'000, '[')}) {
    EXPECT_EQ(read_now(signed_at(kNow, body)).reading, WebhookReading::garbled)
        << body.substr(0, 80);
  }
}

RC_GTEST_PROP(ReadEvent, RejectsAnyFlippedBit, ()) {
  const auto good = signed_at(kNow, body_of("documents.update"));
  RC_ASSERT(read_now(good).reading == WebhookReading::accepted);
  auto bad = good;
  std::string& where = *rc::gen::arbitrary<bool>() ? bad.body : bad.headers.front().second;
  const auto at = *rc::gen::inRange<std::size_t>(0, where.size());
  where[at] = static_cast<char>(where[at] ^ static_cast<char>(1 << *rc::gen::inRange(0, 8)));
  const auto reading = read_now(bad).reading;
  RC_ASSERT(reading == WebhookReading::forged || reading == WebhookReading::not_signed);
}

RC_GTEST_PROP(ReadEvent, RejectsArbitraryHeadersAndBodies,
              (const std::string& header, const std::string& body)) {
  const auto reading = read_now(incoming(header, body)).reading;
  RC_ASSERT(reading == WebhookReading::not_signed || reading == WebhookReading::forged);
}

// A webhook that records the events it stores, and a clock that does not advance.
class WebhookTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = Webhook::start({.address = "127.0.0.1:0", .secret = secret()}, clock_,
                                  [this](const WebhookEvent& event) { return keep(event); });
    ASSERT_TRUE(started) << text_of(started.error());
    webhook_ = *std::move(started);
  }

  Result<KeptDelivery> keep(const WebhookEvent& event) {
    if (is_full_) return fail(Cure::retry, "keep", "the disk is full");
    const bool is_new = kept_.lock()->insert(event.delivery).second;
    return is_new ? KeptDelivery::kept : KeptDelivery::known;
  }

  [[nodiscard]] std::int64_t now() const {
    return std::chrono::floor<milliseconds>(clock_.wall().time_since_epoch()).count();
  }

  static std::string request(const std::string& signature, const std::string& body) {
    return "POST /any/path HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
           "Outline-Signature: " +
           signature + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  [[nodiscard]] std::string event(const std::string& delivery) const {
    const auto body = body_of("documents.update", delivery);
    return request(signature_at(std::to_string(now()), body), body);
  }

  [[nodiscard]] int status_of(const std::string& bytes) const {
    RawClient client(webhook_->port());
    client.send(bytes);
    return client.status();
  }

  testing::FakeClock clock_;
  std::atomic<bool> is_full_ = false;
  Guarded<std::set<std::string>> kept_;
  std::unique_ptr<Webhook> webhook_;
};

TEST_F(WebhookTest, AnswersEachRequestWithTheRightStatus) {
  const auto good = body_of("documents.update");
  const auto time = std::to_string(now());
  EXPECT_EQ(status_of(request(signature_at(time, good + " "), good)), 401);
  EXPECT_EQ(status_of(request("", good)), 401);
  EXPECT_EQ(status_of(request(signature_at(std::to_string(now() - 300'001), good), good)), 401);
  EXPECT_EQ(status_of(request(signature_at(time, "{"), "{")), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n"), 413);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 405);
  const auto comment = body_of("comments.create");
  EXPECT_EQ(status_of(request(signature_at(time, comment), comment)), 200);
  EXPECT_TRUE(kept_.lock()->empty());
  EXPECT_EQ(status_of(event(kDelivery)), 200);
  EXPECT_EQ(status_of(event(kDelivery)), 200);
  EXPECT_EQ(kept_.lock()->size(), 1U);
  const auto counts = webhook_->counts();
  EXPECT_EQ(counts.accepted, 1U);
  EXPECT_EQ(counts.known, 1U);
  EXPECT_EQ(counts.refused, 4U);
  EXPECT_EQ(counts.failed, 0U);
}

TEST_F(WebhookTest, DoesNotAcknowledgeAnEventItCouldNotStore) {
  is_full_ = true;
  EXPECT_EQ(status_of(event(kDelivery)), 503);
  EXPECT_EQ(webhook_->counts().failed, 1U);
  is_full_ = false;
  EXPECT_EQ(status_of(event(kDelivery)), 200);
  EXPECT_EQ(webhook_->counts().accepted, 1U);
}

TEST_F(WebhookTest, StoresConcurrentDuplicateEventsOnce) {
  constexpr int kThreads = 8;
  constexpr int kEvents = 50;
  constexpr std::size_t kDifferent = 200;
  const auto delivery = [](int number) {
    std::string id = kDelivery;
    const auto digits = std::to_string(1000 + number);
    return id.replace(0, digits.size(), digits);
  };
  std::atomic<int> well = 0;
  {
    std::vector<std::jthread> senders;
    for (int i = 0; i < kThreads; ++i) {
      senders.emplace_back([&, i] {
        RawClient client(webhook_->port());
        for (int n = 0; n < kEvents; ++n) {  // two threads each send the same events
          client.send(event(delivery(kEvents * (i / 2) + n)));
          if (client.status() == 200) well += 1;
        }
      });
    }
  }
  EXPECT_EQ(well, kThreads * kEvents);
  EXPECT_EQ(kept_.lock()->size(), kDifferent);
  EXPECT_EQ(webhook_->counts().accepted, kDifferent);
  EXPECT_EQ(webhook_->counts().known, kDifferent);
}

TEST(Webhook, DoesNotStartWithoutASecret) {
  const testing::FakeClock clock;
  const auto started = Webhook::start(
      {.address = "127.0.0.1:0"}, clock,
      [](const WebhookEvent&) -> Result<KeptDelivery> { return KeptDelivery::kept; });
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().cure, Cure::give_up);
}

}  // namespace
}  // namespace tidemill::docs
