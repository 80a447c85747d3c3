// CommandSources: the sources of tasks during a run. A thread sweeps over the server, twice or,
// with --watch, repeatedly; webhooks arrive in between. New tasks are in the journal before they
// are handed out and before a webhook is answered.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/options.h"
#include "tidemill/jobs/docs/register.h"
#include "tidemill/jobs/docs/server/docs_server.h"
#include "tidemill/jobs/docs/server/webhook.h"
#include "tidemill/jobs/docs/sweep.h"
#include "tidemill/state/journal/disk_full_wait.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::docs {

// Thread-safe.
class CommandSources {
 public:
  struct Context {
    const DocsOptions& options;
    DocsServer& outline;
    Register& tasks;
    journal::SqliteJournal& journal;
    journal::DiskFullWait& patience;
    const Clock& clock;
    std::stop_token stop{};
    std::function<void(const Failure&)> on_failure{};  // the search cannot continue
  };

  explicit CommandSources(Context context) : context_(std::move(context)) {}
  CommandSources(const CommandSources&) = delete;
  CommandSources& operator=(const CommandSources&) = delete;
  ~CommandSources();

  // `secret` is for webhooks; used only with --webhook.
  [[nodiscard]] Result<void> start(const http::Secret& secret);
  void stop();
  void join();  // after stop(); also ends the webhook listener

  [[nodiscard]] bool have_ended() const { return have_ended_.load(); }
  [[nodiscard]] std::uint64_t documents() const { return documents_.load(); }
  [[nodiscard]] WebhookCounts webhooks() const;
  [[nodiscard]] std::optional<std::uint16_t> webhook_port() const;

 private:
  void search();
  [[nodiscard]] Result<void> search_all(Outline& outline);
  [[nodiscard]] Result<void> take_named();
  [[nodiscard]] Result<void> take(const OutlineDocument& document);
  [[nodiscard]] Result<KeptDelivery> take(const WebhookEvent& event);
  [[nodiscard]] Result<void> keep(const std::vector<engine::Found>& found);
  [[nodiscard]] bool pause(std::chrono::milliseconds wait);

  const Context context_;
  std::atomic<bool> have_ended_ = false;
  std::atomic<std::uint64_t> documents_ = 0;
  Guarded<bool> has_stopped_{false};
  std::unique_ptr<Webhook> webhook_;
  WebhookCounts last_counts_{};
  std::jthread thread_;  // last: it uses everything above
};

}  // namespace tidemill::docs
