#include "tidemill/engine/breaker.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
using State = Breaker::State;

constexpr BreakerOptions kOptions{.failures_to_open = 3, .open_for = 10s};
constexpr Instant kStart{1000h};

void fail_times(Breaker& breaker, int times, Instant now) {
  for (int i = 0; i < times; ++i) breaker.failed(breaker.ask(now), now);
}

Breaker opened_at(Instant now) {
  Breaker breaker(kOptions);
  fail_times(breaker, kOptions.failures_to_open, now);
  return breaker;
}

TEST(Breaker, OpensAfterNConsecutiveFailures) {
  Breaker breaker(kOptions);
  fail_times(breaker, 2, kStart);
  EXPECT_EQ(breaker.state(), State::closed);
  fail_times(breaker, 1, kStart);
  EXPECT_EQ(breaker.state(), State::open);
}

TEST(Breaker, ASuccessResetsTheCount) {
  Breaker breaker(kOptions);
  fail_times(breaker, 2, kStart);
  breaker.succeeded(breaker.ask(kStart));
  fail_times(breaker, 2, kStart);
  EXPECT_EQ(breaker.state(), State::closed);
  EXPECT_TRUE(breaker.ask(kStart).allowed());
}

TEST(Breaker, WhileOpenReportsWhenToRetry) {
  Breaker breaker = opened_at(kStart);
  const auto permit = breaker.ask(kStart + 4s);
  EXPECT_FALSE(permit.allowed());
  EXPECT_EQ(permit.retry_after, 6s);
  EXPECT_TRUE(breaker.ask(kStart + 4s + permit.retry_after).allowed());
}

TEST(Breaker, HalfOpenAllowsExactlyOneProbe) {
  Breaker breaker = opened_at(kStart);
  EXPECT_TRUE(breaker.ask(kStart + 10s).allowed());
  EXPECT_EQ(breaker.state(), State::half_open);
  const auto second = breaker.ask(kStart + 10s);
  EXPECT_FALSE(second.allowed());
  EXPECT_EQ(second.retry_after, Breaker::kProbeWait);
}

TEST(Breaker, ASuccessfulProbeClosesItAndResetsTheCount) {
  Breaker breaker = opened_at(kStart);
  breaker.succeeded(breaker.ask(kStart + 10s));
  EXPECT_EQ(breaker.state(), State::closed);
  fail_times(breaker, 2, kStart + 10s);
  EXPECT_EQ(breaker.state(), State::closed);
  fail_times(breaker, 1, kStart + 10s);
  EXPECT_EQ(breaker.state(), State::open);
}

TEST(Breaker, AFailedProbeReopensItForTheFullDuration) {
  Breaker breaker = opened_at(kStart);
  const auto probe = breaker.ask(kStart + 10s);
  breaker.failed(probe, kStart + 12s);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_EQ(breaker.ask(kStart + 12s).retry_after, 10s);
}

TEST(Breaker, AllowsAnotherProbeWhenTheFirstNeverReports) {
  Breaker breaker = opened_at(kStart);
  ASSERT_TRUE(breaker.ask(kStart + 10s).allowed());
  EXPECT_EQ(breaker.ask(kStart + 20s - 1ns).retry_after, 1ns);
  EXPECT_TRUE(breaker.ask(kStart + 20s).allowed());
  EXPECT_FALSE(breaker.ask(kStart + 20s).allowed());
}

TEST(Breaker, IgnoresALostProbeOnceAnotherIsAllowed) {
  Breaker breaker = opened_at(kStart);
  const auto lost = breaker.ask(kStart + 10s);
  const auto probe = breaker.ask(kStart + 20s);
  breaker.succeeded(lost);
  EXPECT_EQ(breaker.state(), State::half_open);
  breaker.failed(lost, kStart + 21s);
  EXPECT_EQ(breaker.state(), State::half_open);
  breaker.succeeded(probe);
  EXPECT_EQ(breaker.state(), State::closed);
}

TEST(Breaker, AnOverdueProbeStillCountsUntilAnotherIsAllowed) {
  Breaker breaker = opened_at(kStart);
  const auto probe = breaker.ask(kStart + 10s);
  breaker.failed(probe, kStart + 25s);
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_EQ(breaker.ask(kStart + 25s).retry_after, 10s);
}

TEST(Breaker, ALateSuccessFromBeforeOpeningDoesNotCloseIt) {
  Breaker breaker(kOptions);
  const auto slow = breaker.ask(kStart);
  fail_times(breaker, 3, kStart);
  breaker.succeeded(slow);
  EXPECT_EQ(breaker.state(), State::open);
  ASSERT_TRUE(breaker.ask(kStart + 10s).allowed());
  breaker.succeeded(slow);
  EXPECT_EQ(breaker.state(), State::half_open);
}

TEST(Breaker, ALateFailureFromBeforeOpeningDoesNotKeepItOpenLonger) {
  Breaker breaker(kOptions);
  const auto slow = breaker.ask(kStart);
  fail_times(breaker, 3, kStart);
  breaker.failed(slow, kStart + 9s);
  EXPECT_EQ(breaker.ask(kStart + 9s).retry_after, 1s);
  ASSERT_TRUE(breaker.ask(kStart + 10s).allowed());
  breaker.failed(slow, kStart + 10s);
  EXPECT_EQ(breaker.state(), State::half_open);
}

TEST(Breaker, ALateFailureFromBeforeOpeningDoesNotCountAfterRecovery) {
  Breaker breaker(kOptions);
  std::vector<Breaker::Permit> slow;
  for (int i = 0; i < 3; ++i) slow.push_back(breaker.ask(kStart));
  fail_times(breaker, 3, kStart);
  breaker.succeeded(breaker.ask(kStart + 10s));
  for (const auto& permit : slow) breaker.failed(permit, kStart + 11s);
  EXPECT_EQ(breaker.state(), State::closed);
}

TEST(Breaker, AReportOnADeniedPermitIsIgnored) {
  Breaker breaker = opened_at(kStart);
  const auto denied = breaker.ask(kStart + 1s);
  breaker.succeeded(denied);
  breaker.failed(denied, kStart + 5s);
  EXPECT_EQ(breaker.ask(kStart + 5s).retry_after, 5s);
}

TEST(Breaker, IgnoresASecondReportFromAProbe) {
  Breaker breaker = opened_at(kStart);
  const auto probe = breaker.ask(kStart + 10s);
  breaker.succeeded(probe);
  for (int i = 0; i < 3; ++i) breaker.failed(probe, kStart + 11s);
  EXPECT_EQ(breaker.state(), State::closed);
}

TEST(Breaker, CheckNamesTheInvalidField) {
  EXPECT_TRUE(BreakerOptions{}.check());
  const auto reason = [](const BreakerOptions& options) {
    const auto result = options.check();
    return result ? std::string("fine") : result.error().reason;
  };
  EXPECT_TRUE(reason({.failures_to_open = 0}).contains("failures_to_open"));
  EXPECT_TRUE(reason({.open_for = 0s}).contains("open_for"));
  EXPECT_TRUE(reason({.open_for = Instant::duration::max()}).contains("open_for"));
}

// rapidcheck starts with small values; an event must be as likely in the first case as in the last.
template <class T>
T pick(T from, T to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, to));
}

// A model without generations: it records every call in flight, and a change of state invalidates
// them all.
struct Model {
  struct Call {
    Breaker::Permit permit;
    Instant since;
    bool is_probe = false;
    bool is_void = false;
  };

  State state = State::closed;
  int failures = 0;
  Instant opened{};
  std::vector<Call> calls;

  [[nodiscard]] bool has_live_probe(Instant now) const {
    return std::ranges::any_of(calls, [&](const Call& call) {
      return call.is_probe && !call.is_void && now - call.since < kOptions.open_for;
    });
  }

  void change(State to, Instant now) {
    for (auto& call : calls) call.is_void = true;
    state = to;
    failures = 0;
    if (to == State::open) opened = now;
  }

  [[nodiscard]] bool ask(Instant now) {
    if (state == State::closed) return true;
    if (state == State::open && now - opened < kOptions.open_for) return false;
    if (state == State::half_open && has_live_probe(now)) return false;
    change(State::half_open, now);
    return true;
  }

  void report(std::size_t index, bool success, Instant now) {
    const Call call = calls[index];
    calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(index));
    if (call.is_void) return;
    if (success) {
      failures = 0;
      if (call.is_probe) change(State::closed, now);
    } else if (call.is_probe || ++failures == kOptions.failures_to_open) {
      change(State::open, now);
    }
  }
};

void ask_both(Breaker& breaker, Model& model, Instant now) {
  const bool had_probe = model.state == State::half_open && model.has_live_probe(now);
  const auto permit = breaker.ask(now);
  RC_ASSERT(permit.allowed() == model.ask(now));
  if (!permit.allowed()) {
    RC_ASSERT(permit.retry_after > 0s);
    RC_ASSERT(permit.retry_after <= kOptions.open_for);
    return;
  }
  RC_ASSERT(!had_probe);
  RC_ASSERT(permit.retry_after == 0s);
  model.calls.push_back({permit, now, model.state == State::half_open});
}

RC_GTEST_PROP(Breaker, BehavesLikeTheModelInAnyOrderOfEvents, ()) {
  Breaker breaker(kOptions);
  Model model;
  Instant now = kStart;
  const int steps = *rc::gen::inRange(1, 400);
  for (int i = 0; i < steps; ++i) {
    const int event = pick(0, 10);
    if (event < 4 || model.calls.empty()) {
      ask_both(breaker, model, now);
    } else if (event < 8) {
      const auto index = pick<std::size_t>(0, model.calls.size());
      const bool success = pick(0, 4) == 0;
      const auto permit = model.calls[index].permit;
      model.report(index, success, now);
      success ? breaker.succeeded(permit) : breaker.failed(permit, now);
    } else {
      now += std::chrono::milliseconds(pick(0, 15'000));
    }
    RC_ASSERT(breaker.state() == model.state);
    RC_ASSERT(std::ranges::count_if(model.calls, [](const Model::Call& call) {
                return call.is_probe && !call.is_void;
              }) <= 1);
  }
}

}  // namespace
}  // namespace tidemill::engine
