#include "tidemill/io/http/gate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::http {
namespace {

constexpr double kFewest = 1;
constexpr double kMost = 1e6;
constexpr Instant::duration kLongest = std::chrono::hours(24 * 365);  // now + this cannot wrap

using Milliseconds = std::chrono::milliseconds;

std::unexpected<Failure> deferred(std::string reason, Instant::duration wait) {
  return std::unexpected(
      Failure{.cure = Cure::later,
              .step = "gate",
              .reason = std::move(reason),
              .not_before = std::max(std::chrono::ceil<Milliseconds>(wait), Milliseconds(1))});
}

Result<void> check_rate(const std::string& endpoint, double per_minute) {
  if (per_minute >= kFewest && per_minute <= kMost) return {};  // false for NaN
  return fail(Cure::give_up, "gate",
              endpoint + ": a rate limit must be between 1 and 1,000,000 requests per minute");
}

// The interval between the times given to deferred requests. In a bucket of one token, a request
// that takes it late delays the next token, and the next request in the line, on time, would find
// none and go to the end. So the interval gets a small margin.
Instant::duration spacing_of(const engine::LimiterOptions& limiter) {
  const auto interval =
      std::chrono::ceil<Instant::duration>(std::chrono::duration<double>(1 / limiter.per_second));
  return limiter.burst > 1 ? interval : interval + interval / 64;
}

// One endpoint: its token bucket, the pause requested by the server, and the line of deferred
// requests.
class Lane {
 public:
  explicit Lane(double per_minute)
      : options_(limiter_of(per_minute)), spacing_(spacing_of(options_)) {}

  // Zero if a token was taken; otherwise the wait until the caller's place in the line.
  [[nodiscard]] Instant::duration take(Instant now) {
    if (now < paused_until_) return place_in_line(paused_until_, now);
    const auto wait = limiter(now).take(now);
    return wait == Instant::duration(0) ? wait : place_in_line(now + wait, now);
  }

  // The same without the line: the wait is until the next token.
  [[nodiscard]] Instant::duration take_next(Instant now) {
    return now < paused_until_ ? paused_until_ - now : limiter(now).take(now);
  }

  void pause(Instant until) { paused_until_ = std::max(paused_until_, until); }
  [[nodiscard]] bool is_paused(Instant now) const { return now < paused_until_; }

 private:
  // Created at the first use with only one token: the previous process may have used the others a
  // moment ago.
  engine::Limiter& limiter(Instant now) {
    if (!limiter_) {
      limiter_.emplace(options_);
      for (int i = 1; i < options_.burst; ++i) (void)limiter_->take(now);
    }
    return *limiter_;
  }

  // The line stores no requests, only the time of its last place; when that has passed, the line is
  // empty.
  [[nodiscard]] Instant::duration place_in_line(Instant ready, Instant now) {
    if (last_place_ >= now) ready = std::max(ready, last_place_ + spacing_);
    last_place_ = std::min(ready, now + kLongest);
    return last_place_ - now;
  }

  engine::LimiterOptions options_;
  Instant::duration spacing_;
  std::optional<engine::Limiter> limiter_;
  Instant paused_until_ = Instant::min();
  Instant last_place_ = Instant::min();
};

}  // namespace

struct RequestGate::Shared {
  explicit Shared(const GateOptions& options)
      : breaker(options.breaker), others(options.per_minute) {
    for (const auto& [endpoint, rate] : options.endpoints) lanes.emplace(endpoint, Lane(rate));
  }

  Lane& lane(std::string_view endpoint) {
    const auto named = lanes.find(endpoint);
    return named == lanes.end() ? others : named->second;
  }

  engine::Breaker breaker;
  std::map<std::string, Lane, std::less<>> lanes;
  Lane others;  // shared by all endpoints that are not named
};

Result<void> GateOptions::check() const {
  TRY(breaker.check());
  TRY(check_rate("all endpoints", per_minute));
  for (const auto& [endpoint, rate] : endpoints) TRY(check_rate(endpoint, rate));
  return {};
}

// A bucket gives out burst + rate × 60 s tokens in a minute. From a limit of 10 on, it gives one
// less, because requests may arrive closer together than they were sent. A limit below two leaves
// nothing for the rate, so its only token returns after slightly more than a minute.
engine::LimiterOptions limiter_of(double per_minute) {
  const double most = per_minute >= 10 ? per_minute - 1 : per_minute;
  const double burst = std::max(1.0, std::floor(per_minute / 10));
  constexpr double kMinute = 60;
  constexpr double kNotQuiteOne = 0.98;
  return {.per_second = std::max(most - burst, kNotQuiteOne) / kMinute,
          .burst = static_cast<int>(burst)};
}

RequestGate::RequestGate(GateOptions options, GateObserver observer)
    : options_(std::move(options)),
      observer_(std::move(observer)),
      shared_(std::make_unique<Shared>(options_)) {
  assert(options_.check());
}

RequestGate::~RequestGate() = default;

// The breaker is checked twice. First on a copy, so that an open breaker costs no token. Then, with
// a token, on the breaker itself: a probe that the limiter deferred would make all others wait for
// its result.
Result<RequestGate::Pass> RequestGate::enter(std::string_view endpoint, Instant now, Claim claim) {
  const auto held = shared_.lock();
  Shared& shared = **held;
  TRY(take_token(shared, endpoint, now, claim));
  return Pass{.permit = shared.breaker.ask(now)};
}

Result<void> RequestGate::acquire(std::string_view endpoint, Instant now) {
  const auto held = shared_.lock();
  return take_token(**held, endpoint, now, Claim::queued);
}

Result<void> RequestGate::take_token(Shared& shared, std::string_view endpoint, Instant now,
                                     Claim claim) const {
  const auto name = [&] { return options_.host + ": " + std::string(endpoint) + ": "; };
  Lane& lane = shared.lane(endpoint);
  const bool is_paused = lane.is_paused(now);
  engine::Breaker copy = shared.breaker;
  if (const auto permit = copy.ask(now); !is_paused && !permit.allowed()) {
    return deferred(name() + "the server keeps failing; requests are paused", permit.retry_after);
  }
  if (claim == Claim::acquired && !is_paused) return {};
  const auto wait = claim == Claim::queued ? lane.take(now) : lane.take_next(now);
  if (wait <= Instant::duration(0)) return {};
  return deferred(
      name() + (is_paused ? "the server asked for fewer requests" : "the rate limit is reached"),
      wait);
}

void RequestGate::leave(const Pass& pass, Outcome outcome, Instant now) {
  using State = engine::Breaker::State;
  // A probe that the client stopped says nothing about the server: the breaker considers it lost
  // after a while and allows another one.
  if (outcome == Outcome::unknown) return;
  State before{};
  State after{};
  {
    const auto shared = shared_.lock();
    engine::Breaker& breaker = (*shared)->breaker;
    before = breaker.state();
    if (outcome == Outcome::ok) {
      breaker.succeeded(pass.permit);
    } else {
      breaker.failed(pass.permit, now);
    }
    after = breaker.state();
  }
  if (before == after) return;
  if (after == State::open && observer_.on_open) observer_.on_open(options_.breaker.open_for);
  if (after == State::closed && observer_.on_close) observer_.on_close();
}

void RequestGate::pause(std::string_view endpoint, Instant until) {
  const auto shared = shared_.lock();
  (*shared)->lane(endpoint).pause(until);
}

engine::Breaker::State RequestGate::state() {
  const auto shared = shared_.lock();
  return (*shared)->breaker.state();
}

}  // namespace tidemill::http
