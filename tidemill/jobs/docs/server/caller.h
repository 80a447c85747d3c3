// Caller: one worker's client for a server. It has what every call needs: the gate, the session,
// the counters, the judgement of the answer, and the guarantee that no failure shows the key.
//
//   gate.enter ─► exchange ─► gate.leave ─► 429: gate.pause ─► judge
//
// A call within a step that has begun waits here if the gate's delay is short: if it were deferred,
// the step would repeat all its calls.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/formats/jsonl/tree.h"
#include "tidemill/io/http/message.h"
#include "tidemill/io/http/session.h"
#include "tidemill/jobs/docs/server/docs_server.h"

namespace tidemill::docs {

// Thread-safe.
struct DocsServer::Counters {
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::atomic<std::uint64_t> limited = 0;
  std::atomic<std::uint64_t> conflicts = 0;
  std::atomic<std::uint64_t> deferred = 0;
};

// One thread.
class Caller {
 public:
  // `forbidden` is added to the hint of a 403: the usual cause with this server.
  [[nodiscard]] static Result<Caller> open(DocsServer& server, std::stop_token stop,
                                           std::string_view forbidden = {});

  // See Outline::begin(). An unused turn stays valid for the next step for a short time; later it
  // would exceed the rate limit of that minute.
  [[nodiscard]] Result<void> begin(std::string_view endpoint);

  // Posts JSON, or an empty body, to the server's url + path. `endpoint` is the name at the gate
  // and the step of every failure. Statuses 200–299 and those in `welcome` are returned; all others
  // are failures.
  [[nodiscard]] Result<http::HttpResponse> call(std::string_view endpoint, std::string_view path,
                                                std::string body,
                                                std::initializer_list<int> welcome = {});

  // Fails if the status of the answer is a failure.
  [[nodiscard]] Result<void> judge(std::string_view endpoint, const http::HttpResponse& response);
  void count_conflict() { ++server_->counters().conflicts; }

  // The Failure of an invalid answer.
  [[nodiscard]] std::unexpected<Failure> refuse(Cure cure, std::string_view endpoint,
                                                std::string reason) const;

  [[nodiscard]] const http::Secret& key() const { return server_->options().key; }

 private:
  Caller(DocsServer& server, std::stop_token stop, std::string_view forbidden,
         std::unique_ptr<http::Session> session);

  [[nodiscard]] http::HttpRequest request_of(std::string_view path, std::string body) const;
  [[nodiscard]] Result<http::HttpResponse> pass_gate(std::string_view endpoint,
                                                     const http::HttpRequest& request);
  [[nodiscard]] Result<http::RequestGate::Pass> enter(std::string_view endpoint);
  void drop_old_turns();
  void wait_here(std::chrono::milliseconds time) const;
  [[nodiscard]] Failure hidden(std::string_view endpoint, Failure failure) const;

  DocsServer* server_;
  std::stop_token stop_;
  std::string forbidden_;
  std::unique_ptr<http::Session> session_;
  struct Turn {
    std::string endpoint{};
    Instant taken{};
  };
  std::vector<Turn> turns_{};
  bool is_in_step_ = false;
};

}  // namespace tidemill::docs
