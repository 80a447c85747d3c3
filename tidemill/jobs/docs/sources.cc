#include "tidemill/jobs/docs/sources.h"

#include <utility>
#include <vector>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"

namespace tidemill::docs {
namespace {

// A second look finds what moved to the front of the list during the first.
constexpr int kLooks = 2;

}  // namespace

Sources::~Sources() {
  stop();
  join();
}

Result<void> Sources::start(const http::Secret& secret) {
  if (!around_.options.webhook.empty()) {
    LET(webhook_,
        Webhook::start({.address = around_.options.webhook, .secret = secret}, around_.clock,
                       [this](const Event& event) { return take(event); }));
  }
  LET(thread_, start_thread(
                   "the document search", [this] { search(); },
                   [this](const Failure& failure) {
                     around_.on_failure(failure);
                     have_ended_.store(true);
                     around_.tasks.sources_have_ended();
                   }));
  return {};
}

void Sources::stop() {
  has_stopped_.update([](bool& stopped) { stopped = true; });
}

void Sources::join() {
  if (thread_.joinable()) thread_.join();
  if (webhook_ == nullptr) return;
  last_counts_ = webhook_->counts();
  webhook_.reset();
}

void Sources::search() {
  auto searched = [&]() -> Result<void> {
    TRY(take_named());
    if (!around_.options.documents.empty()) return {};
    LET(const auto outline, connect_outline(around_.outline, around_.stop));
    return search_all(*outline);
  }();
  if (!searched && searched.error().cure != Cure::resume) around_.on_failure(searched.error());
  have_ended_.store(true);
  around_.tasks.sources_have_ended();
}

Result<void> Sources::search_all(Outline& outline) {
  const Options& options = around_.options;
  Sweep sweep(
      {.collections = options.collections, .retry = options.retry, .insists = options.watch},
      outline, [this](const Document& document) { return take(document); },
      [this](std::chrono::milliseconds wait) { return pause(wait); });
  for (int look = 1; options.watch || look <= kLooks; ++look) {
    auto swept = sweep.run();
    documents_.store(sweep.documents());
    TRY(std::move(swept));
    if (options.watch && !pause(options.every)) return {};
  }
  return {};
}

Result<void> Sources::take_named() {
  std::vector<engine::Found> found;
  for (const std::string& document : around_.options.documents) {
    DocumentSubject about;
    about.document = document;
    if (auto one = around_.tasks.reserve(about)) found.push_back(*std::move(one));
  }
  return keep(found);
}

Result<void> Sources::take(const Document& document) {
  auto commands = commands_in(document.text);
  if (commands.empty()) return {};
  Sight sight;
  sight.document = document.id;
  sight.revision = document.revision;
  sight.updated_at = document.updated_at;
  sight.commands = std::move(commands);
  return keep(around_.tasks.reserve(sight));
}

// Without patience: a webhook that cannot be kept now is answered so. Outline does not send it
// again, but the next sweep sees what it was about.
Result<Kept> Sources::take(const Event& event) {
  DocumentSubject about;
  about.document = event.document;
  about.delivery = event.delivery;
  const auto found = around_.tasks.reserve(about);
  if (!found) return Kept::known;
  if (auto kept = around_.journal.commit_one(*found); !kept) {
    around_.tasks.cancel({&*found, 1});
    return std::unexpected(std::move(kept).error());
  }
  around_.tasks.confirm({&*found, 1});
  return Kept::kept;
}

Result<void> Sources::keep(const std::vector<engine::Found>& found) {
  if (found.empty()) return {};
  const std::vector<engine::Entry> entries(found.begin(), found.end());
  auto kept = around_.patience.insist([&] { return around_.journal.commit(entries); });
  if (!kept) {
    around_.tasks.cancel(found);
    return kept;
  }
  around_.tasks.confirm(found);
  return {};
}

bool Sources::pause(std::chrono::milliseconds wait) {
  auto stopped = has_stopped_.lock();
  return !stopped.wait_until(around_.clock, around_.clock.now() + wait,
                             [](const bool& has) { return has; });
}

WebhookCounts Sources::webhooks() const { return webhook_ ? webhook_->counts() : last_counts_; }

std::optional<std::uint16_t> Sources::webhook_port() const {
  if (!webhook_) return std::nullopt;
  return webhook_->port();
}

}  // namespace tidemill::docs
