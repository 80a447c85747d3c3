#include "tidemill/state/queue/lease.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"

namespace tidemill::queue {
namespace {

using std::chrono::milliseconds;

// KEYS lease; ARGV value, term in ms. 1: renewed. Otherwise the value of the holder; nil: free.
const redis::Script& renew_script() {
  static const redis::Script script(R"lua(
local now = redis.call('GET', KEYS[1])
if now == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return now
)lua");
  return script;
}

// KEYS lease; ARGV value. 1: released. 0: it was not ours.
const redis::Script& release_script() {
  static const redis::Script script(R"lua(
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
)lua");
  return script;
}

bool is_one(const redis::Reply& reply) {
  return reply.kind == redis::Reply::Kind::integer && reply.number == 1;
}

Failure lease_failure(std::string reason) {
  return Failure{
      .cure = Cure::retry, .kind = FailureKind::held, .step = "lease", .reason = std::move(reason)};
}

}  // namespace

LeaseTerm::LeaseTerm(Instant sent, milliseconds term)
    : term_(term), renew_at_(sent), ends_at_(sent) {
  renewed(sent);
}

milliseconds LeaseTerm::patience() const { return std::max(term_ / 6, milliseconds(1)); }

void LeaseTerm::renewed(Instant sent) {
  renew_at_ = sent + term_ / 3;
  ends_at_ = sent + term_ * 9 / 10;
}

void LeaseTerm::failed(Instant now) { renew_at_ = now + std::max(term_ / 15, milliseconds(1)); }

Result<std::unique_ptr<Lease>> Lease::keep(LeaseOptions options, Instant sent, const Clock& clock,
                                           Log& log) {
  options.term = std::max(options.term, milliseconds(1));
  const LeaseTerm term(sent, options.term);
  options.client.timeout = std::min(options.client.timeout, term.patience());
  LET(auto client, redis::Client::make(options.client, clock));
  std::unique_ptr<Lease> lease(new Lease(std::move(options), std::move(client), sent, clock, log));
  Lease* const kept = lease.get();
  LET(lease->thread_, start_thread(
                          "the lease", [kept](const std::stop_token& stop) { kept->serve(stop); },
                          [kept](Failure failure) { kept->lose(std::move(failure)); }));
  return lease;
}

Lease::Lease(LeaseOptions options, std::unique_ptr<redis::Client> client, Instant sent,
             const Clock& clock, Log& log)
    : options_(std::move(options)),
      client_(std::move(client)),
      clock_(clock),
      log_(log),
      state_(State{.term = LeaseTerm(sent, options_.term)}) {}

Lease::~Lease() = default;

bool Lease::is_held() {
  const auto state = state_.lock();
  return !state->is_ended && !state->term.has_ended(clock_.now());
}

std::optional<Failure> Lease::loss() {
  const auto state = state_.lock();
  if (state->loss) return state->loss;
  if (!state->is_ended && state->term.has_ended(clock_.now())) return end_of(*state);
  return std::nullopt;
}

void Lease::release() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  const bool is_ours =
      state_.update([](State& state) { return !std::exchange(state.is_ended, true); });
  if (!is_ours) return;
  const std::array<std::string_view, 1> keys{options_.key};
  const std::array<std::string_view, 1> arguments{options_.value};
  if (const auto answer = client_->eval(release_script(), keys, arguments); !answer) {
    log_.write(LogLevel::warning,
               "the lease could not be released and will expire: " + text_of(answer.error()));
  }
  client_->disconnect();
}

void Lease::serve(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { state_.update([](State&) {}); });
  const std::string term = std::to_string(options_.term.count());
  const std::array<std::string_view, 1> keys{options_.key};
  const std::array<std::string_view, 2> arguments{options_.value, term};
  while (true) {
    const Turn turn = wait_for_turn(stop);
    if (turn == Turn::stop) return;
    if (turn == Turn::end) return lose_by_time();
    const Instant sent = clock_.now();
    const auto answer = client_->eval(renew_script(), keys, arguments, stop);
    if (stop.stop_requested() || !settle(sent, answer)) return;
  }
}

Lease::Turn Lease::wait_for_turn(const std::stop_token& stop) {
  auto state = state_.lock();
  const Instant until = state->term.wakes_at();
  if (state.wait_until(clock_, until, [&](const State&) { return stop.stop_requested(); })) {
    return Turn::stop;
  }
  // The thread may oversleep: a stopped process, or a machine that swaps.
  return state->term.has_ended(clock_.now()) ? Turn::end : Turn::renew;
}

bool Lease::settle(Instant sent, const Result<redis::Reply>& answer) {
  if (answer && !is_one(*answer)) {
    lose(answer->is_nil() ? lease_failure("the server no longer has the lease " + options_.key)
                          : Failure{.cure = Cure::give_up,
                                    .kind = FailureKind::superseded,
                                    .step = "stale",
                                    .reason = options_.key + " was taken over by " + answer->text});
    return false;
  }
  std::string failure = answer ? std::string() : text_of(answer.error());
  const Instant now = clock_.now();
  const auto [is_over, before] = state_.update([&](State& state) {
    // A renewal after the end does not count: is_held() may have returned false already.
    const bool has_ended = state.term.has_ended(now);
    if (!has_ended && answer) state.term.renewed(sent);
    if (!has_ended && !answer) state.term.failed(now);
    return std::pair(has_ended, std::exchange(state.failure, failure));
  });
  if (is_over) {
    lose_by_time();
    return false;
  }
  if (!failure.empty() && before.empty()) {
    log_.write(LogLevel::warning, "the lease could not be renewed; retrying: " + failure);
  }
  if (failure.empty() && !before.empty()) log_.write(LogLevel::info, "the lease is renewed again");
  return true;
}

Failure Lease::end_of(const State& state) const {
  std::string reason = options_.key + " expired before it was renewed";
  if (!state.failure.empty()) reason += ": " + state.failure;
  return lease_failure(std::move(reason));
}

void Lease::lose_by_time() {
  Failure why = [this] { return end_of(*state_.lock()); }();  // the lock ends here
  lose(std::move(why));
}

void Lease::lose(Failure why) {
  log_.write(LogLevel::warning, "the lease is lost: " + why.reason);
  state_.update([&](State& state) {
    state.is_ended = true;
    state.loss = std::move(why);
  });
  lost_.request_stop();
}

Result<std::optional<LeaseHolder>> acquire_plain(redis::Client& client, const std::string& key,
                                                 const std::string& value, milliseconds term,
                                                 const std::stop_token& stop) {
  const std::string length = std::to_string(std::max(term, milliseconds(1)).count());
  const std::array<std::string_view, 1> keys{key};
  const std::array<std::string_view, 2> arguments{value, length};
  while (true) {
    LET(const auto set, client.call({"SET", key, value, "NX", "PX", length}, stop));
    if (!set.is_nil()) return std::nullopt;
    LET(const auto renewed, client.eval(renew_script(), keys, arguments, stop));
    if (is_one(renewed)) return std::nullopt;
    LET(const auto left, client.call({"PTTL", key}, stop));
    // Released or expired between two calls: it is free, so try again.
    if (renewed.is_nil() || left.number == -2) continue;
    return LeaseHolder{.value = renewed.text,
                       .left = milliseconds(std::max<std::int64_t>(left.number, 0))};
  }
}

}  // namespace tidemill::queue
