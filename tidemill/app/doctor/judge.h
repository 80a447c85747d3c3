// What `tidemill doctor` makes of the facts. Pure: the same facts, the same findings. The bounds
// that decide stand at the top of the .cc files, each with its reason.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/app/doctor/facts.h"
#include "tidemill/app/doctor/finding.h"

namespace tidemill::app {

// All of them, in the order in which they are shown.
[[nodiscard]] std::vector<Finding> judge(const Facts& facts);

// "48 us", "3.7 ms": for times that are mostly below a second.
[[nodiscard]] std::string latency_text(std::chrono::nanoseconds time);

// doctor/judge_disk.cc
[[nodiscard]] Finding judge_state(const StateFacts& state);
[[nodiscard]] Finding judge_file_system(const StateFacts& state);
[[nodiscard]] Finding judge_syncs(const StateFacts& state);
[[nodiscard]] Finding judge_space(const StateFacts& state);
[[nodiscard]] Finding judge_temporary(const TemporaryFacts& temporary);

// doctor/judge_limits.cc
[[nodiscard]] Finding judge_open_files(const LimitFacts& limits);
[[nodiscard]] Finding judge_file_size(const LimitFacts& limits);
[[nodiscard]] Finding judge_processes(const LimitFacts& limits);
[[nodiscard]] Finding judge_memory(const MemoryFacts& memory, std::uint64_t cpus);

// doctor/judge.cc
[[nodiscard]] Finding judge_cells(const CellFacts& cells);
[[nodiscard]] Finding judge_terminal(const ScreenFacts& screen);
[[nodiscard]] Finding judge_locale(const ScreenFacts& screen);
[[nodiscard]] Finding judge_tokens(const PartFacts& parts);
[[nodiscard]] Finding judge_epubcheck(const PartFacts& parts);
[[nodiscard]] Finding judge_runs(const RunFacts& runs);
[[nodiscard]] Finding judge_config(const ConfigFacts& config);
[[nodiscard]] std::vector<Finding> judge_redis(const RedisFacts& redis);

}  // namespace tidemill::app
