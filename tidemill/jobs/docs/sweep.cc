#include "tidemill/jobs/docs/sweep.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::docs {
namespace {

std::unexpected<Failure> stopped() {
  return fail(Cure::resume, "documents.list", "stopped while looking for commands");
}

}  // namespace

Sweep::Sweep(Options options, Outline& outline, OnDocument on_document, Pause pause)
    : options_(std::move(options)),
      outline_(outline),
      on_document_(std::move(on_document)),
      pause_(std::move(pause)),
      seen_until_(std::max<std::size_t>(1, options_.collections.size())) {}

Result<void> Sweep::run() {
  for (std::size_t i = 0; i < seen_until_.size(); ++i) {
    const std::string collection = options_.collections.empty() ? "" : options_.collections[i];
    std::string newest;
    std::size_t offset = 0;
    bool is_over = false;
    while (!is_over) {
      LET(const auto page, page_of({.collection = collection, .offset = offset, .limit = kPage}));
      is_over = page.size() < kPage;
      for (const OutlineDocument& document : page) {
        newest = std::max(newest, document.updated_at);
        // Documents with an equal time are visited again: a second may have several changes.
        if (document.updated_at < seen_until_[i]) {
          is_over = true;
          break;
        }
        ++documents_;
        // Servers before August 2026 ignore unknown filters, so check here, too.
        const bool is_wanted = collection.empty() || document.collection == collection;
        if (is_wanted && !document.is_gone) TRY(on_document_(document));
      }
      offset += kPage - kOverlap;
    }
    seen_until_[i] = std::max(seen_until_[i], newest);
  }
  return {};
}

// Retries transient failures here: there is no task yet that could be deferred.
Result<std::vector<OutlineDocument>> Sweep::page_of(const OutlineListing& listing) {
  for (int attempt = 1;;) {
    auto page = outline_.list(listing);
    if (page) return page;
    const Failure& failure = page.error();
    if (failure.cure == Cure::resume) return stopped();
    auto wait = options_.retry.after(failure, attempt, 1.0);
    if (!wait && options_.retries_until_last && failure.cure != Cure::give_up) {
      wait = std::max(options_.retry.ceiling(attempt), failure.not_before);
    }
    if (!wait) return page;
    if (!pause_(*wait)) return stopped();
    if (failure.cure != Cure::later) ++attempt;
  }
}

}  // namespace tidemill::docs
