// FlowCounts: how far a run has come. What goes in must come out: found = done + skipped + failed.
#pragma once

#include <cstdint>

#include "tidemill/base/bytes.h"

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

}  // namespace tidemill::engine
