// Caller: one worker's way to a server. What every call has in common is here: the gate, the
// session, the counters, the verdict, and that no failure ever shows the key.
//
//   gate.enter ─► exchange ─► gate.leave ─► 429: gate.pause ─► judge
//
// A call of a step that has begun waits here when the gate asks for no more than a moment: sent
// back, the step would make all its calls again.
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
#include "tidemill/jobs/docs/server/wire.h"

namespace tidemill::docs {

// Thread-safe.
struct Server::Counters {
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> troubles = 0;
  std::atomic<std::uint64_t> limited = 0;
  std::atomic<std::uint64_t> conflicts = 0;
  std::atomic<std::uint64_t> put_off = 0;
};

// One thread.
class Caller {
 public:
  // `forbidden` is added to the hint of a 403: what it may mean with this server.
  [[nodiscard]] static Result<Caller> open(Server& server, std::stop_token stop,
                                           std::string_view forbidden = {});

  // See Outline::begin(). A turn that is not used stays for the next step, for a moment: later it
  // would be one request too many in that minute.
  [[nodiscard]] Result<void> begin(std::string_view endpoint);

  // Posts JSON, or nothing, to the server's url + path. `endpoint` is its name at the gate and the
  // step of every failure. Answers 200–299, and those in `welcome`, are answers; all others are
  // failures.
  [[nodiscard]] Result<http::Response> call(std::string_view endpoint, std::string_view path,
                                            std::string body,
                                            std::initializer_list<int> welcome = {});

  // The failure that an answer means, if it means one.
  [[nodiscard]] Result<void> judge(std::string_view endpoint, const http::Response& response);
  void count_conflict() { ++server_->counters().conflicts; }

  // For an answer that is not what it should be.
  [[nodiscard]] std::unexpected<Failure> refuse(Cure cure, std::string_view endpoint,
                                                std::string reason) const;

  [[nodiscard]] const http::Secret& key() const { return server_->options().key; }

 private:
  Caller(Server& server, std::stop_token stop, std::string_view forbidden,
         std::unique_ptr<http::Session> session);

  [[nodiscard]] http::Request request_of(std::string_view path, std::string body) const;
  [[nodiscard]] Result<http::Response> pass_gate(std::string_view endpoint,
                                                 const http::Request& request);
  [[nodiscard]] Result<http::Gate::Pass> enter(std::string_view endpoint);
  void drop_old_turns();
  void wait_here(std::chrono::milliseconds time) const;
  [[nodiscard]] Failure hidden(std::string_view endpoint, Failure failure) const;

  Server* server_;
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
