#include "tidemill/jobs/docs/server/caller.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"
#include "tidemill/io/http/response_check.h"
#include "tidemill/jobs/docs/server/planted_outline.h"

namespace tidemill::docs {
namespace {

using Claim = http::RequestGate::Claim;
using Outcome = http::RequestGate::Outcome;

// How long a worker waits at the gate within a step, and how long a turn is valid.
constexpr std::chrono::seconds kMoment{2};

constexpr int kForbidden = 403;
constexpr int kTooMany = 429;
// Far more than a reason shows, so a key that is cut in two at this point is not shown.
constexpr std::size_t kMostShown = 64U << 10U;

Outcome outcome_of(const Result<http::HttpResponse>& response) {
  if (response) return http::is_server_error(*response) ? Outcome::failed : Outcome::ok;
  if (response.error().kind == FailureKind::shortage) {
    return Outcome::unknown;  // a local failure
  }
  return response.error().cure == Cure::retry ? Outcome::failed : Outcome::unknown;
}

}  // namespace

Caller::Caller(DocsServer& server, std::stop_token stop, std::string_view forbidden,
               std::unique_ptr<http::Session> session)
    : server_(&server),
      stop_(std::move(stop)),
      forbidden_(forbidden),
      session_(std::move(session)) {}

Result<Caller> Caller::open(DocsServer& server, std::stop_token stop, std::string_view forbidden) {
  LET(auto session, http::Session::open(server.options().session));
  return Caller(server, std::move(stop), forbidden, std::move(session));
}

Result<void> Caller::begin(std::string_view endpoint) {
  is_in_step_ = true;
  drop_old_turns();
  if (std::ranges::find(turns_, endpoint, &Turn::endpoint) != turns_.end()) return {};
  const Instant now = server_->clock().now();
  auto taken = server_->gate().acquire(endpoint, now);
#ifdef TIDEMILL_PLANT
  if (is_planted("no-gate")) return {};
  if (is_planted("waiting-workers") && !taken && !stop_.stop_requested()) {
    wait_here(taken.error().not_before);
    return begin(endpoint);
  }
#endif
  if (!taken) {
    ++server_->counters().deferred;
    return std::unexpected(hidden(endpoint, std::move(taken).error()));
  }
  turns_.push_back({.endpoint = std::string(endpoint), .taken = now});
  return {};
}

void Caller::drop_old_turns() {
  const Instant oldest = server_->clock().now() - kMoment;
  std::erase_if(turns_, [&](const Turn& turn) { return turn.taken < oldest; });
}

Result<http::HttpResponse> Caller::call(std::string_view endpoint, std::string_view path,
                                        std::string body, std::initializer_list<int> welcome) {
  auto response = pass_gate(endpoint, request_of(path, std::move(body)));
  if (!response) return std::unexpected(hidden(endpoint, std::move(response).error()));
  if (std::ranges::find(welcome, response->status) == welcome.end()) {
    TRY(judge(endpoint, *response));
  }
  return response;
}

std::unexpected<Failure> Caller::refuse(Cure cure, std::string_view endpoint,
                                        std::string reason) const {
  return std::unexpected(hidden(endpoint, Failure{.cure = cure, .reason = std::move(reason)}));
}

http::HttpRequest Caller::request_of(std::string_view path, std::string body) const {
  http::HttpRequest request;
  request.url = server_->options().url + std::string(path);
  if (!key().is_empty()) request.headers.emplace_back("Authorization", "Bearer " + key().reveal());
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.headers.emplace_back("Accept", "application/json");
  request.body = std::move(body);
  return request;
}

Result<http::HttpResponse> Caller::pass_gate(std::string_view endpoint,
                                             const http::HttpRequest& request) {
  DocsServer::Counters& counters = server_->counters();
  auto pass = enter(endpoint);
  if (!pass) {
    ++counters.deferred;
    return std::unexpected(std::move(pass).error());
  }
  ++counters.requests;
  auto response = session_->exchange(request, stop_);
  const Outcome outcome = outcome_of(response);
  server_->gate().leave(*pass, outcome, server_->clock().now());
  if (outcome == Outcome::failed) ++counters.failed;
  return response;
}

Result<http::RequestGate::Pass> Caller::enter(std::string_view endpoint) {
#ifdef TIDEMILL_PLANT
  if (is_planted("no-gate")) return http::RequestGate::Pass{};
#endif
  const Instant until = server_->clock().now() + kMoment;
  drop_old_turns();
  const auto turn = std::ranges::find(turns_, endpoint, &Turn::endpoint);
  const auto claim = turn != turns_.end() ? Claim::acquired
                     : is_in_step_        ? Claim::step_in_progress
                                          : Claim::queued;
  while (true) {
    const Instant now = server_->clock().now();
    auto pass = server_->gate().enter(endpoint, now, claim);
    if (pass && claim == Claim::acquired) turns_.erase(turn);
    if (pass || claim != Claim::step_in_progress) return pass;
    if (now + pass.error().not_before > until || stop_.stop_requested()) return pass;
    wait_here(pass.error().not_before);
  }
}

void Caller::wait_here(std::chrono::milliseconds time) const {
  Guarded<bool> has_stopped{false};
  const std::stop_callback at_stop(
      stop_, [&] { has_stopped.update([](bool& stopped) { stopped = true; }); });
  const Instant until = server_->clock().now() + time;
  auto stopped = has_stopped.lock();
  (void)stopped.wait_until(server_->clock(), until, [](const bool& has) { return has; });
}

Result<void> Caller::judge(std::string_view endpoint, const http::HttpResponse& response) {
  // Redact the key before judging: a reason contains the beginning of the body, and a key that is
  // cut in two there could not be found any more.
  http::HttpResponse shown{.status = response.status,
                           .headers = response.headers,
                           .body = key().hide(response.body.substr(0, kMostShown))};
  for (auto& [name, value] : shown.headers) value = key().hide(std::move(value));
  auto verdict = http::judge(shown, server_->clock().wall());
  if (verdict) return {};
  verdict.error().step.clear();  // "status": redundant, the reason has it
  Failure failure = hidden(endpoint, std::move(verdict).error());
  if (response.status == kForbidden && !forbidden_.empty()) {
    failure.hint += (failure.hint.empty() ? "" : "; ") + forbidden_;
  }
  if (response.status == kTooMany) {
    ++server_->counters().limited;
    server_->gate().pause(endpoint, server_->clock().now() + failure.not_before);
  }
  return std::unexpected(std::move(failure));
}

Failure Caller::hidden(std::string_view endpoint, Failure failure) const {
  failure = within(endpoint, std::move(failure));  // keeps "connect" and "timeout"
  failure.reason = key().hide(std::move(failure.reason));
  failure.hint = key().hide(std::move(failure.hint));
  return failure;
}

}  // namespace tidemill::docs
