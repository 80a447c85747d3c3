#include "tidemill/io/http/gate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::http {
namespace {

using namespace std::chrono_literals;
using State = engine::Breaker::State;
using Outcome = RequestGate::Outcome;

constexpr Instant kStart{1000h};

GateOptions options_of(double per_minute) {
  return {.host = "docs.example",
          .breaker = {.failures_to_open = 3, .open_for = 10s},
          .per_minute = per_minute};
}

// rapidcheck starts with small values; here every case must be equally likely in every run.
template <class T>
T pick(T from, T to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, to));
}

int any_limit() {
  constexpr std::array<int, 5> kEnds = {10, 30, 150, 1'000, 20'000};
  return pick(1, kEnds.at(pick<std::size_t>(0, kEnds.size())));
}

std::chrono::milliseconds wait_of(const Result<RequestGate::Pass>& result) {
  return result ? 0ms : result.error().not_before;
}

bool enters(RequestGate& gate, std::string_view endpoint, Instant now) {
  return gate.enter(endpoint, now).has_value();
}

void fails(RequestGate& gate, int times, Instant now) {
  for (int i = 0; i < times; ++i) {
    const auto pass = gate.enter("fails", now);
    ASSERT_TRUE(pass) << text_of(pass.error());
    gate.leave(*pass, Outcome::failed, now);
  }
}

// The largest number of requests in any 60 seconds, both ends included.
std::size_t most_in_a_minute(const std::vector<Instant>& times) {
  std::size_t most = 0;
  for (std::size_t first = 0, end = 0; end < times.size(); ++end) {
    while (times[end] - times[first] > 60s) ++first;
    most = std::max(most, end - first + 1);
  }
  return most;
}

RC_GTEST_PROP(GateProperty, NeverExceedsTheLimitInAnyMinute, ()) {
  const int limit = any_limit();
  RequestGate gate(options_of(limit));
  const auto longest = std::chrono::nanoseconds(180s) / limit;  // three times the allowed interval
  std::vector<Instant> passed;
  Instant now = kStart;
  const int calls = std::min(4 * limit + 10, 3'000);
  const bool has_silence = pick(0, 2) == 1;
  for (int i = 0; i < calls; ++i) {
    now += std::chrono::nanoseconds(pick<std::int64_t>(0, longest.count() / (has_silence ? 4 : 1)));
    if (has_silence && i % 97 == 96) now += 90s;
    if (enters(gate, "x", now)) passed.push_back(now);
  }
  RC_ASSERT(most_in_a_minute(passed) <= static_cast<std::size_t>(limit));
}

// All requests come at once and come back at their given times: each passes the second time, and
// the full rate is used.
RC_GTEST_PROP(GateProperty, AdmitsCallersAtTheirGivenTimeAndUsesTheFullRate, ()) {
  const int limit = any_limit();
  RequestGate gate(options_of(limit));
  std::vector<Instant> back;
  const int callers = pick(2, 300);
  Instant now = kStart;
  for (int i = 0; i < callers; ++i) {
    if (const auto wait = wait_of(gate.enter("x", now)); wait > 0ms) back.push_back(now + wait);
    if (limit < 1'000) now += std::chrono::nanoseconds(pick(0, 1'000));
  }
  RC_ASSERT(back.size() + 1 == static_cast<std::size_t>(callers));
  RC_ASSERT(std::ranges::is_sorted(back));
  for (const Instant time : back) RC_ASSERT(enters(gate, "x", time));
  const double rate = limiter_of(limit).per_second;
  const double best = static_cast<double>(callers - 1) / rate;
  const double taken = std::chrono::duration<double>(back.back() - kStart).count();
  RC_ASSERT(taken <= best * 1.016 + 0.002);
}

TEST(RequestGate, TheBucketIsSmallerThanTheLimit) {
  for (const double limit : {2.0, 9.0, 10.0, 25.0, 60.0, 100.0, 1'000.0, 1e6}) {
    const auto limiter = limiter_of(limit);
    EXPECT_TRUE(limiter.check()) << limit;
    EXPECT_EQ(limiter.burst, std::max(1, static_cast<int>(limit / 10))) << limit;
    EXPECT_LE(limiter.burst + limiter.per_second * 60, limit - (limit >= 10 ? 1 : 0) + 1e-6);
  }
  EXPECT_EQ(limiter_of(1).burst, 1);
  EXPECT_LT(limiter_of(1).per_second * 60, 1);  // the next token comes after more than a minute
}

TEST(RequestGate, RestartedProcessDoesNotStartWithAFullBucket) {
  RequestGate gate(options_of(100));
  EXPECT_TRUE(enters(gate, "x", kStart));
  EXPECT_FALSE(enters(gate, "x", kStart));
  int count = 0;
  while (enters(gate, "x", kStart + 60s)) ++count;
  EXPECT_EQ(count, 10);  // later it fills up
}

TEST(RequestGate, NamedEndpointsHaveTheirOwnBucketsAndTheOthersShareOne) {
  GateOptions options = options_of(60);
  options.endpoints = {{"move", 60}, {"search", 60}};
  RequestGate gate(options);
  for (const char* endpoint : {"move", "search", "info"}) {
    EXPECT_TRUE(enters(gate, endpoint, kStart)) << endpoint;
    EXPECT_FALSE(enters(gate, endpoint, kStart)) << endpoint;
  }
  EXPECT_FALSE(enters(gate, "list", kStart));
  gate.pause("list", kStart + 100s);
  EXPECT_FALSE(enters(gate, "info", kStart + 99s));
  EXPECT_TRUE(enters(gate, "move", kStart + 99s));
}

TEST(RequestGate, FailureIsDeferredAndNamesTheEndpointAndTheWait) {
  RequestGate gate(options_of(6));
  EXPECT_TRUE(enters(gate, "comments.create", kStart));
  const auto late = gate.enter("comments.create", kStart + 1ns);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().cure, Cure::later);
  EXPECT_EQ(late.error().step, "gate");
  EXPECT_EQ(late.error().not_before, 12s);  // rounded up
  EXPECT_TRUE(late.error().reason.contains("docs.example")) << late.error().reason;
  EXPECT_TRUE(late.error().reason.contains("comments.create")) << late.error().reason;
}

TEST(RequestGate, ForgetsQueuedCallersThatDoNotReturn) {
  RequestGate gate(options_of(6));
  EXPECT_TRUE(enters(gate, "x", kStart));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(enters(gate, "x", kStart));  // none of them comes back
  EXPECT_TRUE(enters(gate, "x", kStart + 60s));
  EXPECT_LE(wait_of(gate.enter("x", kStart + 60s)), 12'001ms);
}

TEST(RequestGate, SpreadsCallersOutAfterAPause) {
  RequestGate gate(options_of(60));
  gate.pause("x", kStart + 30s);
  gate.pause("x", kStart + 20s);  // an earlier time does not shorten the pause
  const auto first = wait_of(gate.enter("x", kStart));
  const auto second = wait_of(gate.enter("x", kStart));
  EXPECT_EQ(first, 30s);
  EXPECT_GT(second, 31s);
  EXPECT_TRUE(enters(gate, "x", kStart + first));
  EXPECT_TRUE(enters(gate, "x", kStart + second));
  gate.pause("x", Instant::max());
  for (int i = 0; i < 3; ++i) EXPECT_GT(wait_of(gate.enter("x", kStart)), 24h);
}

TEST(RequestGate, StartedStepGetsTheNextTokenAheadOfTheQueue) {
  RequestGate gate(options_of(6));
  EXPECT_TRUE(enters(gate, "x", kStart));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(enters(gate, "x", kStart));  // a line of three
  const auto next = wait_of(gate.enter("x", kStart, RequestGate::Claim::step_in_progress));
  EXPECT_LE(next, 12'001ms);
  EXPECT_EQ(wait_of(gate.enter("x", kStart, RequestGate::Claim::step_in_progress)), next);
  EXPECT_TRUE(gate.enter("x", kStart + next, RequestGate::Claim::step_in_progress));
  EXPECT_FALSE(gate.enter("x", kStart + next, RequestGate::Claim::step_in_progress));
  gate.pause("x", kStart + 100s);
  EXPECT_EQ(wait_of(gate.enter("x", kStart + 99s, RequestGate::Claim::step_in_progress)), 1s);
}

TEST(RequestGate, TurnCostsOneTokenAndItsRequestCostsNone) {
  RequestGate gate(options_of(6));
  EXPECT_TRUE(gate.acquire("x", kStart));
  EXPECT_FALSE(enters(gate, "x", kStart));
  EXPECT_TRUE(gate.enter("x", kStart, RequestGate::Claim::acquired));
  const auto late = gate.acquire("x", kStart);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().cure, Cure::later);
  EXPECT_GT(late.error().not_before, 24s);  // after the previous one
  gate.pause("x", kStart + 50s);
  EXPECT_EQ(wait_of(gate.enter("x", kStart, RequestGate::Claim::acquired)), 50s);
}

TEST(RequestGate, TurnRespectsTheBreakerButIsNotAProbe) {
  RequestGate gate(options_of(1e6));
  Instant now = kStart;
  for (int i = 0; i < 3; ++i) fails(gate, 1, now += 1s);
  EXPECT_FALSE(gate.acquire("x", now + 9s));
  EXPECT_FALSE(gate.enter("x", now + 9s, RequestGate::Claim::acquired));
  EXPECT_TRUE(gate.acquire("x", now + 10s));
  EXPECT_EQ(gate.state(), State::open);
  EXPECT_TRUE(gate.enter("x", now + 10s, RequestGate::Claim::acquired));
  EXPECT_EQ(gate.state(), State::half_open);
  EXPECT_FALSE(gate.enter("x", now + 10s, RequestGate::Claim::acquired));
}

TEST(RequestGate, OpensAfterNFailuresAndThenAdmitsExactlyOneProbe) {
  GateOptions options = options_of(1e6);
  RequestGate gate(options);
  Instant now = kStart;
  for (int i = 0; i < 3; ++i) fails(gate, 1, now += 1s);
  EXPECT_EQ(gate.state(), State::open);
  for (auto after = 0ms; after < 10s; after += 100ms) {
    EXPECT_EQ(wait_of(gate.enter("x", now + after)), 10s - after);
  }
  const auto probe = gate.enter("x", now + 10s);
  ASSERT_TRUE(probe);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(wait_of(gate.enter("x", now + 10s)), engine::Breaker::kProbeWait);
  }
  gate.leave(*probe, Outcome::ok, now + 11s);
  EXPECT_EQ(gate.state(), State::closed);
  EXPECT_TRUE(enters(gate, "x", now + 11s));
  EXPECT_TRUE(enters(gate, "x", now + 11s));
}

TEST(RequestGate, AnOpenBreakerTakesNoToken) {
  GateOptions options = options_of(1'000);
  options.endpoints = {{"slow", 6}};
  RequestGate gate(options);
  Instant now = kStart;
  for (int i = 0; i < 3; ++i) fails(gate, 1, now += 1s);
  EXPECT_FALSE(enters(gate, "slow", now + 9s));
  EXPECT_TRUE(enters(gate, "slow", now + 10s));
}

TEST(RequestGate, DoesNotSpendTheProbeOnACallerWithoutAToken) {
  GateOptions options = options_of(1'000);
  options.endpoints = {{"slow", 6}};
  RequestGate gate(options);
  EXPECT_TRUE(enters(gate, "slow", kStart));
  fails(gate, 1, kStart + 100ms);
  fails(gate, 1, kStart + 200ms);
  fails(gate, 1, kStart + 300ms);
  const Instant over = kStart + 300ms + 10s;
  EXPECT_FALSE(enters(gate, "slow", over));  // its next token comes after 12 s
  EXPECT_EQ(gate.state(), State::open);
  EXPECT_TRUE(enters(gate, "fast", over));
}

TEST(RequestGate, StoppedProbeLeavesTheBreakerHalfOpen) {
  RequestGate gate(options_of(1e6));
  Instant now = kStart;
  for (int i = 0; i < 3; ++i) fails(gate, 1, now += 1s);
  const auto probe = gate.enter("x", now += 10s);
  ASSERT_TRUE(probe);
  gate.leave(*probe, Outcome::unknown, now);
  EXPECT_EQ(gate.state(), State::half_open);
  EXPECT_FALSE(enters(gate, "x", now + 9s));
  EXPECT_TRUE(enters(gate, "x", now + 10s));
}

TEST(RequestGate, NotifiesTheObserverOncePerChangeWithoutHoldingTheLock) {
  std::vector<std::string> heard;
  RequestGate* asked = nullptr;
  RequestGate gate(options_of(1e6), {.on_open =
                                         [&](Instant::duration time) {
                                           EXPECT_EQ(
                                               asked->state(),
                                               State::open);  // would deadlock if a lock were held
                                           heard.push_back("open " + std::to_string(time / 1s));
                                         },
                                     .on_close =
                                         [&] {
                                           EXPECT_EQ(asked->state(), State::closed);
                                           heard.emplace_back("closed");
                                         }});
  asked = &gate;
  Instant now = kStart;
  for (int i = 0; i < 3; ++i) fails(gate, 1, now += 1s);
  fails(gate, 1, now += 10s);
  const auto probe = gate.enter("x", now += 10s);
  ASSERT_TRUE(probe);
  gate.leave(*probe, Outcome::ok, now);
  const auto later = gate.enter("x", now += 1s);
  ASSERT_TRUE(later);
  gate.leave(*later, Outcome::ok, now);
  EXPECT_EQ(heard, (std::vector<std::string>{"open 10", "open 10", "closed"}));
}

TEST(RequestGate, CheckRejectsInvalidOptionsAndNamesTheEndpoint) {
  EXPECT_TRUE(options_of(1).check());
  EXPECT_TRUE(options_of(1e6).check());
  for (const double bad : {0.0, -1.0, 0.5, 2e6, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(options_of(bad).check()) << bad;
    GateOptions options = options_of(60);
    options.endpoints = {{"move", bad}};
    const auto result = options.check();
    ASSERT_FALSE(result) << bad;
    EXPECT_TRUE(result.error().reason.contains("move")) << result.error().reason;
  }
  GateOptions options = options_of(60);
  options.breaker.failures_to_open = 0;
  EXPECT_FALSE(options.check());
}

}  // namespace
}  // namespace tidemill::http
