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
constexpr Instant::duration kLongest = std::chrono::hours(24 * 365);  // now + this does not wrap

using Milliseconds = std::chrono::milliseconds;

std::unexpected<Failure> put_off(std::string reason, Instant::duration wait) {
  return std::unexpected(
      Failure{.cure = Cure::later,
              .step = "gate",
              .reason = std::move(reason),
              .not_before = std::max(std::chrono::ceil<Milliseconds>(wait), Milliseconds(1))});
}

Result<void> check_rate(const std::string& endpoint, double per_minute) {
  if (per_minute >= kFewest && per_minute <= kMost) return {};  // NaN is not
  return fail(Cure::give_up, "gate",
              endpoint + ": a rate limit must be between 1 and 1,000,000 requests per minute");
}

// How far apart those who were turned away come back. A bucket that holds a single token has no
// patience: who takes it late moves the next one on, and the next in the line, on time, would find
// nothing and go to the end. So there is a little air between them.
Instant::duration spacing_of(const engine::LimiterOptions& limiter) {
  const auto interval =
      std::chrono::ceil<Instant::duration>(std::chrono::duration<double>(1 / limiter.per_second));
  return limiter.burst > 1 ? interval : interval + interval / 64;
}

// One endpoint: its bucket, the server's own word, and the line of those who were turned away.
class Lane {
 public:
  explicit Lane(double per_minute)
      : options_(limiter_of(per_minute)), spacing_(spacing_of(options_)) {}

  // Zero: a token was taken. Otherwise the caller's place in the line, from now.
  [[nodiscard]] Instant::duration take(Instant now) {
    if (now < paused_until_) return place_in_line(paused_until_, now);
    const auto wait = limiter(now).take(now);
    return wait == Instant::duration(0) ? wait : place_in_line(now + wait, now);
  }

  // The same without a place in the line: when the next token comes.
  [[nodiscard]] Instant::duration take_next(Instant now) {
    return now < paused_until_ ? paused_until_ - now : limiter(now).take(now);
  }

  void pause(Instant until) { paused_until_ = std::max(paused_until_, until); }
  [[nodiscard]] bool is_paused(Instant now) const { return now < paused_until_; }

 private:
  // Made at the first use, and all but one token are thrown away: the process before this one may
  // have used them a second ago.
  engine::Limiter& limiter(Instant now) {
    if (!limiter_) {
      limiter_.emplace(options_);
      for (int i = 1; i < options_.burst; ++i) (void)limiter_->take(now);
    }
    return *limiter_;
  }

  // Nobody is known by name here: a line is no more than the time of its last place, and one whose
  // last place is over is empty.
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

struct Gate::Inside {
  explicit Inside(const GateOptions& options)
      : breaker(options.breaker), others(options.per_minute) {
    for (const auto& [endpoint, rate] : options.endpoints) lanes.emplace(endpoint, Lane(rate));
  }

  Lane& lane(std::string_view endpoint) {
    const auto named = lanes.find(endpoint);
    return named == lanes.end() ? others : named->second;
  }

  engine::Breaker breaker;
  std::map<std::string, Lane, std::less<>> lanes;
  Lane others;  // of all that are not named
};

Result<void> GateOptions::check() const {
  TRY(breaker.check());
  TRY(check_rate("all endpoints", per_minute));
  for (const auto& [endpoint, rate] : endpoints) TRY(check_rate(endpoint, rate));
  return {};
}

// A bucket hands out burst + rate × 60 s in a minute. One less than the limit from 10 on: two
// requests may come closer to each other on their way. A limit below two leaves nothing for the
// rate, so its one token comes back a little later than after a minute.
engine::LimiterOptions limiter_of(double per_minute) {
  const double most = per_minute >= 10 ? per_minute - 1 : per_minute;
  const double burst = std::max(1.0, std::floor(per_minute / 10));
  constexpr double kMinute = 60;
  constexpr double kNotQuiteOne = 0.98;
  return {.per_second = std::max(most - burst, kNotQuiteOne) / kMinute,
          .burst = static_cast<int>(burst)};
}

Gate::Gate(GateOptions options, GateObserver observer)
    : options_(std::move(options)),
      observer_(std::move(observer)),
      inside_(std::make_unique<Inside>(options_)) {
  assert(options_.check());
}

Gate::~Gate() = default;

// The breaker is asked twice. The first time it is a copy: a closed door takes no token. The second
// time it is the real one, once there is a token: a probe that the limiter turned away would keep
// everybody waiting for its report.
Result<Gate::Pass> Gate::enter(std::string_view endpoint, Instant now, Claim claim) {
  const auto held = inside_.lock();
  Inside& inside = **held;
  TRY(take_token(inside, endpoint, now, claim));
  return Pass{.permit = inside.breaker.ask(now)};
}

Result<void> Gate::take_turn(std::string_view endpoint, Instant now) {
  const auto held = inside_.lock();
  return take_token(**held, endpoint, now, Claim::line);
}

Result<void> Gate::take_token(Inside& inside, std::string_view endpoint, Instant now,
                              Claim claim) const {
  const auto name = [&] { return options_.host + ": " + std::string(endpoint) + ": "; };
  Lane& lane = inside.lane(endpoint);
  const bool is_paused = lane.is_paused(now);
  engine::Breaker copy = inside.breaker;
  if (const auto permit = copy.ask(now); !is_paused && !permit.allowed()) {
    return put_off(name() + "the server keeps failing; requests are paused", permit.retry_after);
  }
  if (claim == Claim::turn && !is_paused) return {};
  const auto wait = claim == Claim::line ? lane.take(now) : lane.take_next(now);
  if (wait <= Instant::duration(0)) return {};
  return put_off(
      name() + (is_paused ? "the server asked for fewer requests" : "the rate limit is reached"),
      wait);
}

void Gate::leave(const Pass& pass, Outcome outcome, Instant now) {
  using State = engine::Breaker::State;
  // A probe that we stopped ourselves says nothing about the server: the breaker takes it for lost
  // after a while and lets another one go.
  if (outcome == Outcome::unknown) return;
  State before{};
  State after{};
  {
    const auto inside = inside_.lock();
    engine::Breaker& breaker = (*inside)->breaker;
    before = breaker.state();
    if (outcome == Outcome::well) {
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

void Gate::pause(std::string_view endpoint, Instant until) {
  const auto inside = inside_.lock();
  (*inside)->lane(endpoint).pause(until);
}

engine::Breaker::State Gate::state() {
  const auto inside = inside_.lock();
  return (*inside)->breaker.state();
}

}  // namespace tidemill::http
