// SearchWatch: the input of the progress line, from the current stage of the search.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tidemill/base/guarded.h"
#include "tidemill/engine/progress.h"
#include "tidemill/jobs/dupes/scan/digester.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/scan_collector.h"

namespace tidemill::dupes {

// Thread-safe. The followed object is read under the lock, so it may be destroyed as soon as
// leave() has returned.
class SearchWatch {
 public:
  void follow(const ScanCollector& collector) { seen_.lock()->collector = &collector; }
  // `files` and `bytes` are the most that will be read. While more is expected (expect_more()), the
  // total is not known.
  void follow(const Digester& digester, std::uint64_t files, std::uint64_t bytes) {
    const auto seen = seen_.lock();
    seen->digester = &digester;
    seen->reads = true;
    seen->files += files;
    seen->bytes += bytes;
  }
  // Only this much remains to be read.
  void correct(std::uint64_t files, std::uint64_t bytes) {
    const auto seen = seen_.lock();
    const ReadCounts counts = seen->counts();
    seen->files = counts.files + files;
    seen->bytes = counts.read + bytes;
  }
  void expect_more(bool is_expected) { seen_.lock()->has_more = is_expected; }

  void leave() {
    const auto seen = seen_.lock();
    if (seen->collector != nullptr) seen->found = seen->collector->files();
    if (seen->digester != nullptr) seen->done = seen->counts();
    seen->collector = nullptr;
    seen->digester = nullptr;
  }

  [[nodiscard]] engine::ProgressInputs look(const Failures& failures) const {
    const auto seen = seen_.lock();
    const std::uint64_t failed = failures.count();
    engine::ProgressInputs inputs;
    if (!seen->reads) {
      inputs.counts.found = seen->collector != nullptr ? seen->collector->files() : seen->found;
      inputs.counts.failed = std::min(failed, inputs.counts.found);
      return inputs;
    }
    // A file that need not be read counts as done as soon as that is known.
    const ReadCounts counts = seen->counts();
    const std::uint64_t pending = seen->files - std::min(seen->files, counts.files);
    const std::uint64_t all = std::max(seen->found, pending);
    inputs.is_total_known = !seen->has_more;
    inputs.counts.found = all;
    inputs.counts.failed = std::min(failed, all - pending);
    inputs.counts.done = all - pending - inputs.counts.failed;
    if (seen->has_more) inputs.counts.done = std::min(inputs.counts.done, counts.files);
    inputs.counts.found_bytes = {std::max(seen->bytes, counts.read)};
    inputs.counts.settled_bytes = {counts.read};
    return inputs;
  }

 private:
  struct Seen {
    const ScanCollector* collector = nullptr;
    const Digester* digester = nullptr;
    std::uint64_t found = 0;  // by the collector
    std::uint64_t files = 0;  // reads of files, as far as is known
    std::uint64_t bytes = 0;
    ReadCounts done{};   // by the digesters before this one
    bool reads = false;  // the sweep is over
    bool has_more = false;

    [[nodiscard]] ReadCounts counts() const {
      if (digester == nullptr) return done;
      const ReadCounts now = digester->counts();
      return {.files = done.files + now.files,
              .read = done.read + now.read,
              .gone = done.gone + now.gone};
    }
  };
  mutable Guarded<Seen> seen_;
};

}  // namespace tidemill::dupes
