// FlowCounts: the progress of a run; FlowReport: how it ended. In a complete run every item is
// settled: found = done + skipped + failed.
#pragma once

#include <cstdint>
#include <optional>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"

namespace tidemill::engine {

struct FlowCounts {
  std::uint64_t found = 0;  // so far: a running source may find more
  std::uint64_t done = 0;
  std::uint64_t skipped = 0;  // examined, nothing to do
  std::uint64_t failed = 0;   // permanently
  Bytes found_bytes{};
  Bytes settled_bytes{};  // of those done, skipped or failed

  [[nodiscard]] std::uint64_t settled() const { return done + skipped + failed; }
  // Neither done, skipped nor failed: in flight while the run lasts, left over after a stop.
  [[nodiscard]] std::uint64_t left() const { return found - settled(); }
  [[nodiscard]] bool is_complete() const { return found == settled(); }

  bool operator==(const FlowCounts&) const = default;
};

// How a run ended.
struct FlowReport {
  FlowCounts counts{};
  bool was_stopped = false;                     // by a call of stop(), or because of `fatal`
  std::optional<Failure> fatal = std::nullopt;  // why the run itself failed

  // Every item is settled and nothing was fatal; individual items may have failed.
  [[nodiscard]] bool is_complete() const { return !fatal && counts.is_complete(); }
};

}  // namespace tidemill::engine
