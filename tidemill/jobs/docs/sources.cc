#include "tidemill/jobs/docs/sources.h"

#include <utility>
#include <vector>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"

namespace tidemill::docs {
namespace {

// The second sweep finds documents that moved to the front of the list during the first.
constexpr int kLooks = 2;

}  // namespace

CommandSources::~CommandSources() {
  stop();
  join();
}

Result<void> CommandSources::start(const http::Secret& secret) {
  if (!context_.options.webhook.empty()) {
    LET(webhook_,
        Webhook::start({.address = context_.options.webhook, .secret = secret}, context_.clock,
                       [this](const WebhookEvent& event) { return take(event); }));
  }
  LET(thread_, start_thread(
                   "the document search", [this] { search(); },
                   [this](const Failure& failure) {
                     context_.on_failure(failure);
                     have_ended_.store(true);
                     context_.tasks.sources_have_ended();
                   }));
  return {};
}

void CommandSources::stop() {
  has_stopped_.update([](bool& stopped) { stopped = true; });
}

void CommandSources::join() {
  if (thread_.joinable()) thread_.join();
  if (webhook_ == nullptr) return;
  last_counts_ = webhook_->counts();
  webhook_.reset();
}

void CommandSources::search() {
  auto searched = [&]() -> Result<void> {
    TRY(take_named());
    if (!context_.options.documents.empty()) return {};
    LET(const auto outline, connect_outline(context_.outline, context_.stop));
    return search_all(*outline);
  }();
  if (!searched && searched.error().cure != Cure::resume) context_.on_failure(searched.error());
  have_ended_.store(true);
  context_.tasks.sources_have_ended();
}

Result<void> CommandSources::search_all(Outline& outline) {
  const DocsOptions& options = context_.options;
  Sweep sweep(
      {.collections = options.collections,
       .retry = options.retry,
       .retries_until_last = options.watch},
      outline, [this](const OutlineDocument& document) { return take(document); },
      [this](std::chrono::milliseconds wait) { return pause(wait); });
  for (int look = 1; options.watch || look <= kLooks; ++look) {
    auto swept = sweep.run();
    documents_.store(sweep.documents());
    TRY(std::move(swept));
    if (options.watch && !pause(options.every)) return {};
  }
  return {};
}

Result<void> CommandSources::take_named() {
  std::vector<engine::Found> found;
  for (const std::string& document : context_.options.documents) {
    DocumentSubject about;
    about.document = document;
    if (auto one = context_.tasks.reserve(about)) found.push_back(*std::move(one));
  }
  return keep(found);
}

Result<void> CommandSources::take(const OutlineDocument& document) {
  auto commands = commands_in(document.text);
  if (commands.empty()) return {};
  DocumentSighting sight;
  sight.document = document.id;
  sight.revision = document.revision;
  sight.updated_at = document.updated_at;
  sight.commands = std::move(commands);
  return keep(context_.tasks.reserve(sight));
}

// Does not wait for a full disk: an event that cannot be stored now is answered 503. Outline does
// not send it again, but the next sweep finds the change.
Result<KeptDelivery> CommandSources::take(const WebhookEvent& event) {
  DocumentSubject about;
  about.document = event.document;
  about.delivery = event.delivery;
  const auto found = context_.tasks.reserve(about);
  if (!found) return KeptDelivery::known;
  if (auto kept = context_.journal.commit_one(*found); !kept) {
    context_.tasks.cancel({&*found, 1});
    return std::unexpected(std::move(kept).error());
  }
  context_.tasks.confirm({&*found, 1});
  return KeptDelivery::kept;
}

Result<void> CommandSources::keep(const std::vector<engine::Found>& found) {
  if (found.empty()) return {};
  const std::vector<engine::Entry> entries(found.begin(), found.end());
  auto kept =
      context_.patience.retry_until_written([&] { return context_.journal.commit(entries); });
  if (!kept) {
    context_.tasks.cancel(found);
    return kept;
  }
  context_.tasks.confirm(found);
  return {};
}

bool CommandSources::pause(std::chrono::milliseconds wait) {
  auto stopped = has_stopped_.lock();
  return !stopped.wait_until(context_.clock, context_.clock.now() + wait,
                             [](const bool& has) { return has; });
}

WebhookCounts CommandSources::webhooks() const {
  return webhook_ ? webhook_->counts() : last_counts_;
}

std::optional<std::uint16_t> CommandSources::webhook_port() const {
  if (!webhook_) return std::nullopt;
  return webhook_->port();
}

}  // namespace tidemill::docs
