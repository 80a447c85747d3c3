#include "tidemill/jobs/docs/server/docs_server.h"

#include <utility>

#include "tidemill/jobs/docs/server/caller.h"

namespace tidemill::docs {
namespace {

DocsServer::Options tidied(DocsServer::Options options) {
  while (options.url.ends_with('/')) options.url.pop_back();
  return options;
}

}  // namespace

DocsServer::DocsServer(Options options, const Clock& clock, http::GateObserver observer)
    : options_(tidied(std::move(options))),
      clock_(clock),
      gate_(options_.gate, std::move(observer)),
      counters_(std::make_unique<Counters>()) {}

DocsServer::~DocsServer() = default;

ServerCounts DocsServer::counts() const {
  return {.requests = counters_->requests.load(),
          .failed = counters_->failed.load(),
          .limited = counters_->limited.load(),
          .conflicts = counters_->conflicts.load(),
          .deferred = counters_->deferred.load()};
}

void DocsServer::found_out(const Abilities& can) {
  const bool is_first = abilities_.update(
      [&](std::optional<Abilities>& known) { return !std::exchange(known, can); });
  if (is_first && on_abilities_) on_abilities_(can);
}

http::GateOptions outline_gate() {
  http::GateOptions options;
  options.host = "Outline";
  options.per_minute = 1'000;
  options.endpoints = {{"comments.create", 25},
                       {"documents.create", 25},
                       {"documents.list", 100},
                       {"documents.search", 100},
                       {"documents.move", 100}};
  return options;
}

}  // namespace tidemill::docs
