// The two servers over HTTP: Outline and the assistant. All workers share gates and secrets; each
// worker has its own session.
//
// Every call: enter gate ─► session ─► report the outcome to the gate ─► judge the answer. A 429
// also pauses its endpoint for all workers. Failures name the endpoint, have the status and the
// beginning of the answer in their reason, and never contain a secret.
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

struct ServerCounts {  // of all workers
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;     // 5xx, timeouts, lost connections
  std::uint64_t limited = 0;    // 429
  std::uint64_t conflicts = 0;  // 409
  std::uint64_t deferred = 0;   // by the gate
};

// One server, for all workers. Thread-safe.
class DocsServer {
 public:
  struct Options {
    std::string url{};   // of Outline without /api; of the assistant with /v1
    http::Secret key{};  // empty: no key is sent
    http::SessionOptions session{};
    http::GateOptions gate{};
  };

  DocsServer(Options options, const Clock& clock, http::GateObserver observer = {});

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] http::RequestGate& gate() { return gate_; }
  [[nodiscard]] ServerCounts counts() const;

  // The abilities of Outline, once a worker has probed them. The on_abilities callback is called
  // once, by the first found_out().
  [[nodiscard]] std::optional<Abilities> abilities() { return *abilities_.lock(); }
  void found_out(const Abilities& can);
  void on_abilities(std::function<void(const Abilities&)> tell) { on_abilities_ = std::move(tell); }

  struct Counters;  // atomic
  [[nodiscard]] Counters& counters() { return *counters_; }
  ~DocsServer();

 private:
  const Options options_;
  const Clock& clock_;
  http::RequestGate gate_;
  std::unique_ptr<Counters> counters_;
  Guarded<std::optional<Abilities>> abilities_;
  std::function<void(const Abilities&)> on_abilities_{};
};

// Outline's own rate limits per minute: comments.create and documents.create 25; documents.list,
// documents.search and documents.move 100; everything else together 1,000.
[[nodiscard]] http::GateOptions outline_gate();

// `stop` ends a waiting call. The server must outlive the result.
[[nodiscard]] Result<std::unique_ptr<Outline>> connect_outline(DocsServer& server,
                                                               std::stop_token stop);
[[nodiscard]] Result<std::unique_ptr<Assistant>> connect_assistant(DocsServer& server,
                                                                   std::string model,
                                                                   std::stop_token stop);

}  // namespace tidemill::docs
