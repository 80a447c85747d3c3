// FlowCounts: how far a run has come, and FlowReport: how it ended. What goes in must come out:
// found = done + skipped + failed.
#pragma once

#include <cstdint>
#include <optional>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"

namespace tidemill::engine {

struct FlowCounts {
  std::uint64_t found = 0;  // so far: a source that still runs may find more
  std::uint64_t done = 0;
  std::uint64_t skipped = 0;  // looked at, and nothing to do
  std::uint64_t failed = 0;   // for good
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
  bool was_stopped = false;                     // by somebody, or by the cause below
  std::optional<Failure> fatal = std::nullopt;  // why the run failed as a whole

  // Every item is settled and nothing was fatal; single items may have failed.
  [[nodiscard]] bool is_complete() const { return !fatal && counts.is_complete(); }
};

}  // namespace tidemill::engine
