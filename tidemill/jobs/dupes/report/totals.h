// ScanTotals: the counts of a scan for duplicates. A value.
#pragma once

#include <chrono>
#include <cstdint>

#include "tidemill/jobs/dupes/report/size_classes.h"

namespace tidemill::dupes {

struct ScanTotals {
  std::uint64_t files = 0;  // examined; each name counts
  std::uint64_t folders = 0;
  std::uint64_t bytes = 0;        // of all files
  std::uint64_t candidates = 0;   // files that have the size of another file
  std::uint64_t bytes_read = 0;   // of contents
  std::uint64_t remembered = 0;   // files that were not read: their hash was in the catalogue
  std::uint64_t failures = 0;     // files and folders that could not be read
  std::uint64_t gone = 0;         // files that vanished before they could be read
  std::uint64_t skipped = 0;      // filtered out, or not regular files
  std::uint64_t wanted = 0;       // files that other hosts must hash before they can be compared
  std::uint64_t groups = 0;       // all, including those that are not shown
  std::uint64_t redundant = 0;    // copies beyond the first of their group
  std::uint64_t reclaimable = 0;  // bytes
  SizeClasses by_size{};          // of the groups
  std::chrono::nanoseconds elapsed{0};

  [[nodiscard]] bool has_matched_nothing() const { return files == 0 && failures == 0; }
  bool operator==(const ScanTotals&) const = default;
};

}  // namespace tidemill::dupes
