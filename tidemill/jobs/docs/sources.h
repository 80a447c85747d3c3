// Sources: where tasks come from while a run works. A thread of its own sweeps over the server,
// once or again and again; webhooks come in between. Everything new is in the journal before it is
// handed out, and before a webhook is answered.
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
#include "tidemill/jobs/docs/server/webhook.h"
#include "tidemill/jobs/docs/server/wire.h"
#include "tidemill/jobs/docs/sweep.h"
#include "tidemill/state/journal/patience.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::docs {

// Thread-safe.
class Sources {
 public:
  struct Surroundings {
    const Options& options;
    Server& outline;
    Register& tasks;
    journal::SqliteJournal& journal;
    journal::Patience& patience;
    const Clock& clock;
    std::stop_token stop{};
    std::function<void(const Failure&)> on_failure{};  // the search cannot go on
  };

  explicit Sources(Surroundings around) : around_(std::move(around)) {}
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;
  ~Sources();

  // `secret` is that of webhooks; used if there is an address for them.
  [[nodiscard]] Result<void> start(const http::Secret& secret);
  void stop();
  void join();  // after stop(); webhooks are no longer taken

  [[nodiscard]] bool have_ended() const { return have_ended_.load(); }
  [[nodiscard]] std::uint64_t documents() const { return documents_.load(); }
  [[nodiscard]] WebhookCounts webhooks() const;
  [[nodiscard]] std::optional<std::uint16_t> webhook_port() const;

 private:
  void search();
  [[nodiscard]] Result<void> search_all(Outline& outline);
  [[nodiscard]] Result<void> take_named();
  [[nodiscard]] Result<void> take(const Document& document);
  [[nodiscard]] Result<Kept> take(const Event& event);
  [[nodiscard]] Result<void> keep(const std::vector<engine::Found>& found);
  [[nodiscard]] bool pause(std::chrono::milliseconds wait);

  const Surroundings around_;
  std::atomic<bool> have_ended_ = false;
  std::atomic<std::uint64_t> documents_ = 0;
  Guarded<bool> has_stopped_{false};
  std::unique_ptr<Webhook> webhook_;
  WebhookCounts last_counts_{};
  std::jthread thread_;  // last: it uses everything above
};

}  // namespace tidemill::docs
