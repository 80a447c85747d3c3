// The two servers over HTTP: Outline and the assistant. Gates and secrets are shared by all
// workers, a session is one worker's own.
//
// Every call goes: gate ─► session ─► gate told how it went ─► judge. A 429 also pauses its
// endpoint for everybody. Failures name the endpoint, have the status and the beginning of the
// answer in their reason, and never a secret.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/io/http/gate.h"
#include "tidemill/io/http/secret.h"
#include "tidemill/io/http/session.h"
#include "tidemill/jobs/docs/server/assistant.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

struct WireCounts {  // of all workers
  std::uint64_t requests = 0;
  std::uint64_t troubles = 0;   // 5xx, timeouts, cut connections
  std::uint64_t limited = 0;    // 429
  std::uint64_t conflicts = 0;  // 409
  std::uint64_t put_off = 0;    // by the gate
};

// One server, for all workers. Thread-safe.
class Server {
 public:
  struct Options {
    std::string url{};   // of Outline without /api; of the assistant with /v1
    http::Secret key{};  // empty: none is sent
    http::SessionOptions session{};
    http::GateOptions gate{};
  };

  Server(Options options, const Clock& clock, http::GateObserver observer = {});

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] http::Gate& gate() { return gate_; }
  [[nodiscard]] WireCounts counts() const;

  // Of Outline, once somebody has asked for them; whoever hears of them first is told.
  [[nodiscard]] std::optional<Abilities> abilities() { return *abilities_.lock(); }
  void found_out(const Abilities& can);
  void on_abilities(std::function<void(const Abilities&)> tell) { tell_ = std::move(tell); }

  struct Counters;  // atomic
  [[nodiscard]] Counters& counters() { return *counters_; }
  ~Server();

 private:
  const Options options_;
  const Clock& clock_;
  http::Gate gate_;
  std::unique_ptr<Counters> counters_;
  Guarded<std::optional<Abilities>> abilities_;
  std::function<void(const Abilities&)> tell_{};
};

// The limits of Outline itself: comments.create and documents.create 25 a minute, documents.list,
// documents.search and documents.move 100, everything else together 1,000.
[[nodiscard]] http::GateOptions outline_gate();

// `stop` ends a call that waits. The server must outlive them.
[[nodiscard]] Result<std::unique_ptr<Outline>> connect_outline(Server& server,
                                                               std::stop_token stop);
[[nodiscard]] Result<std::unique_ptr<Assistant>> connect_assistant(Server& server,
                                                                   std::string model,
                                                                   std::stop_token stop);

}  // namespace tidemill::docs
