// decide: from a command and its document to a Decision. Reads, asks, and changes nothing.
//
//   /ai-file        taxonomy, advice; confident enough: terms, move, comment with the reason;
//                   otherwise the mark becomes ?ai-file and the comment names the alternatives
//   /ai             search (the question's words, top 5), answer, comment with answer and sources
//   /summarize      a summary of at most 5 sentences
//   /enhance-title  a title of at most 100 bytes; the comment names the old one. Where the server
//                   does not guard revisions the title stays, and the comment proposes the new one:
//                   who changed it in the moment between our look and our change would lose theirs
//   /related        search (the title), comment with a list of links; no assistant is asked
//
// The document's text is cut for the assistant (kMostText). What an assistant wrote is quoted for
// documents and tamed for comments (blocks.h).
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

// The taxonomy of a server, read again when it is old. Thread-safe: one for all workers; whoever
// finds it old reads it; the others go on with the old one or, if there is none, come back later.
// A reading that fails is nobody's attempt, unless it has failed ten times in a row.
class TaxonomyCache {
 public:
  TaxonomyCache(const Clock& clock, std::chrono::milliseconds lasts)
      : clock_(clock), lasts_(lasts) {}

  // collections.list, then the newest 5 titles of each.
  [[nodiscard]] Result<Taxonomy> get(Outline& outline);

 private:
  struct Kept {
    Taxonomy taxonomy{};
    Taxonomy begun{};  // by readings that failed on the way: the next goes on from there
    Instant read{};
    bool is_there = false;
    bool is_being_read = false;
    int failures = 0;  // in a row
  };

  const Clock& clock_;
  const std::chrono::milliseconds lasts_;
  Guarded<Kept> kept_;
};

struct DecideParts {
  Outline& outline;
  Assistant& assistant;
  TaxonomyCache& taxonomy;
  double threshold = 0.7;
};

// The document has just been read and holds the command. The title, the collection and the had_*
// fields of the decision are taken from it.
[[nodiscard]] Result<Decision> decide(const Command& command, const Document& document,
                                      const DecideParts& parts);

}  // namespace tidemill::docs
