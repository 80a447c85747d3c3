#include "tidemill/engine/pipeline.h"

#include <string>
#include <utility>

namespace tidemill::engine {

void PipelineCounts::find(Bytes size) {
  found_ += 1;
  found_bytes_ += size.count;
}

void PipelineCounts::skip(std::uint64_t items) {
  found_ += items;
  skipped_ += items;
}

void PipelineCounts::settle(const FlowCounts& settled) {
  done_ += settled.done;
  skipped_ += settled.skipped;
  failed_ += settled.failed;
  settled_bytes_ += settled.settled_bytes.count;
}

void PipelineCounts::discard(std::uint64_t items) { discarded_ += items; }

// Outcomes are read before `found`: the counts never show more settled than found.
FlowCounts PipelineCounts::now() const {
  FlowCounts counts;
  counts.done = done_;
  counts.skipped = skipped_;
  counts.failed = failed_;
  counts.settled_bytes = {settled_bytes_};
  counts.found_bytes = {found_bytes_};
  counts.found = found_;
  return counts;
}

FlowReport PipelineCounts::report(const PoolReport& pool, bool was_stopped,
                                  std::optional<Failure> fatal) const {
  FlowReport report{.counts = now(), .was_stopped = was_stopped, .fatal = std::move(fatal)};
  const std::uint64_t explained = report.counts.settled() + pool.dropped + discarded_;
  if (explained != report.counts.found && !report.fatal) {
    report.fatal =
        Failure{.cure = Cure::give_up,
                .step = "balance",
                .reason = std::to_string(report.counts.found) + " items were found, but " +
                          std::to_string(explained) + " are accounted for",
                .hint = "report this: it is a bug in the engine"};
  }
  return report;
}

}  // namespace tidemill::engine
