// Sweep: lists the documents of a server page by page, the most recently changed first. The first
// sweep visits all documents; a later one ends where the previous one began.
//
//   list ─► commands in the text ─► register: reserve ─► commit ─► register: confirm
//
// Documents change their position in the list while we read it. Pages overlap, so that a deleted
// document does not hide its neighbour. A document that moves to the front while we are further
// back is found by the next sweep.
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

  using OnDocument = std::function<Result<void>(const OutlineDocument&)>;
  // Waits; returns false if stopped meanwhile.
  using Pause = std::function<bool(std::chrono::milliseconds)>;

  struct Options {
    std::vector<std::string> collections{};  // empty: all
    engine::RetryPolicy retry{};
    bool retries_until_last = false;  // retry transient failures without limit
  };

  Sweep(Options options, Outline& outline, OnDocument on_document, Pause pause);

  // Visits every document that has changed since the last call began. Fails with Cure::resume when
  // it was stopped.
  [[nodiscard]] Result<void> run();

  [[nodiscard]] std::uint64_t documents() const { return documents_; }  // visited by all sweeps

 private:
  [[nodiscard]] Result<std::vector<OutlineDocument>> page_of(const OutlineListing& listing);

  const Options options_;
  Outline& outline_;
  const OnDocument on_document_;
  const Pause pause_;
  std::vector<std::string> seen_until_;  // by collection: the newest change of the last sweep
  std::uint64_t documents_ = 0;
};

}  // namespace tidemill::docs
