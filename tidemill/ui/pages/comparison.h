// Comparison: what differs between two runs of a job: failures, durations, slow tasks. Tasks are
// the same if their names are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/html/html.h"
#include "tidemill/ui/pages/run_view.h"

namespace tidemill::pages {

struct Comparison {
  static constexpr std::size_t kMostNames = 100;         // kept of each kind
  static constexpr std::size_t kMostFailures = 500'000;  // read of each run

  struct Failing {
    std::string name{};
    std::string reason{};
  };
  struct Slower {
    std::string name{};
    std::chrono::nanoseconds now{0};
    std::chrono::nanoseconds before{0};
  };

  RunView other;
  std::vector<Failing> newly_failing{};  // failed here and not there
  std::uint64_t newly_failing_count = 0;
  std::vector<Failing> mended{};  // failed there and not here, with the reason there
  std::uint64_t mended_count = 0;
  bool is_cut = false;  // a run has more failures than were read
  std::size_t most_failures = kMostFailures;
  std::vector<Slower> slower{};  // among the slowest of both runs, by how much longer they took
};

// Reads at most `most_failures` of each run.
[[nodiscard]] Result<Comparison> compare(const RunView& run, RunView other,
                                         std::size_t most_failures = Comparison::kMostFailures);

// The section of the page.
[[nodiscard]] html::SafeHtml comparison_part(const RunView& run, const Comparison& comparison);

}  // namespace tidemill::pages
