// Sweep: looks through the documents of a server for commands, page by page, those changed last
// first. The first sweep looks at everything; a later one ends where the one before began.
//
//   list ─► commands in the text ─► register: new? ─► commit ─► register: to be done
//
// Documents change their place in the list while we read it. Pages overlap, so that one which is
// deleted does not hide its neighbour; and what moves to the front while we are further back is
// found by the next sweep, which follows at once when something has changed.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/retry_policy.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

// One thread.
class Sweep {
 public:
  static constexpr std::size_t kPage = 100;
  static constexpr std::size_t kOverlap = 10;

  using OnDocument = std::function<Result<void>(const Document&)>;
  // Waits so long, unless it is to stop: then false.
  using Pause = std::function<bool(std::chrono::milliseconds)>;

  struct Options {
    std::vector<std::string> collections{};  // empty: all
    engine::RetryPolicy retry{};
    bool insists = false;  // a server in trouble is waited for, however long
  };

  Sweep(Options options, Outline& outline, OnDocument on_document, Pause pause);

  // Looks at everything that has changed since the last call began. Cure::resume: it was stopped.
  [[nodiscard]] Result<void> run();

  [[nodiscard]] std::uint64_t documents() const { return documents_; }  // looked at, in sum

 private:
  [[nodiscard]] Result<std::vector<Document>> page_of(const Listing& listing);

  const Options options_;
  Outline& outline_;
  const OnDocument on_document_;
  const Pause pause_;
  std::vector<std::string> seen_until_;  // by collection: the newest change that the last one saw
  std::uint64_t documents_ = 0;
};

}  // namespace tidemill::docs
