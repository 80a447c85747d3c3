// PipelineCounts: the running sums of a pipeline, and the check that they come out even.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/flow.h"
#include "tidemill/engine/pool.h"

namespace tidemill::engine {

// How a run ended.
struct FlowReport {
  FlowCounts counts{};
  bool was_stopped = false;                     // by somebody, or by the cause below
  std::optional<Failure> fatal = std::nullopt;  // why the run failed as a whole

  // Every item is settled and nothing was fatal; single items may have failed.
  [[nodiscard]] bool is_complete() const { return !fatal && counts.is_complete(); }
};

// Thread-safe.
class PipelineCounts {
 public:
  void find(Bytes size);                   // an item goes in
  void skip(std::uint64_t items);          // found and skipped by the source itself
  void settle(const FlowCounts& settled);  // the sink has kept a batch
  void discard(std::uint64_t items);       // no row for it: the run stopped, or the sink is gone

  [[nodiscard]] FlowCounts now() const;

  // The end: every found item must be settled, dropped by the pool, or discarded.
  [[nodiscard]] FlowReport report(const PoolReport& pool, bool was_stopped,
                                  std::optional<Failure> fatal) const;

 private:
  std::atomic<std::uint64_t> found_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> found_bytes_ = 0;
  std::atomic<std::uint64_t> settled_bytes_ = 0;
  std::atomic<std::uint64_t> discarded_ = 0;
};

}  // namespace tidemill::engine
