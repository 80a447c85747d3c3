// decide(): makes the Decision for a command and its document. Reads and queries, but changes
// nothing.
//
//   /ai-file        taxonomy, advice; confident enough: terms, move, comment with the reason;
//                   otherwise the mark becomes ?ai-file and the comment names the alternatives
//   /ai             search (the question's words, top 5), answer, comment with answer and sources
//   /summarize      a summary of at most 5 sentences
//   /enhance-title  a title of at most 100 bytes; the comment names the old one. If the server does
//                   not check revisions, the title stays and the comment suggests the new one: a
//                   change by a user between our read and our update would be lost
//   /related        search (the title), comment with a list of links; uses no assistant
//
// The document's text is truncated for the assistant (kMostText). The assistant's text is quoted()
// for documents and tamed() for comments (blocks.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/command/advice.h"
#include "tidemill/jobs/docs/command/commands.h"
#include "tidemill/jobs/docs/command/decision.h"
#include "tidemill/jobs/docs/server/assistant.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

inline constexpr std::size_t kMostText = std::size_t{48} * 1024;  // of a document, for an assistant

// The taxonomy of a server, cached for a time. Thread-safe: shared by all workers. The worker that
// finds it expired reads it again; meanwhile the others use the old one or, if there is none, are
// deferred. A failed read does not count as an attempt of the task, up to ten failures in a row.
class TaxonomyCache {
 public:
  TaxonomyCache(const Clock& clock, std::chrono::milliseconds lasts)
      : clock_(clock), lasts_(lasts) {}

  // collections.list, then the newest 5 titles of each.
  [[nodiscard]] Result<Taxonomy> get(Outline& outline);

 private:
  struct State {
    Taxonomy taxonomy{};
    Taxonomy begun{};  // what failed reads have got so far: the next one continues from there
    Instant read{};
    bool is_there = false;
    bool is_being_read = false;
    int failures = 0;  // in a row
  };

  const Clock& clock_;
  const std::chrono::milliseconds lasts_;
  Guarded<State> kept_;
};

struct DecideContext {
  Outline& outline;
  Assistant& assistant;
  TaxonomyCache& taxonomy;
  double threshold = 0.7;
};

// The document must be freshly read and contain the command. The title, the collection and the
// had_* fields of the decision are taken from it.
[[nodiscard]] Result<Decision> decide(const Command& command, const OutlineDocument& document,
                                      const DecideContext& context);

}  // namespace tidemill::docs
