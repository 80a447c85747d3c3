// Turns the facts of `tidemill doctor` into findings. Pure: the same facts give the same findings.
// The thresholds are at the top of the .cc files, each with its reason.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/app/doctor/facts.h"
#include "tidemill/app/doctor/finding.h"

namespace tidemill::app {

// All findings, in display order.
[[nodiscard]] std::vector<DoctorFinding> judge(const MachineFacts& facts);

// "48 us", "3.7 ms": for times usually below a second.
[[nodiscard]] std::string latency_text(std::chrono::nanoseconds time);

// doctor/judge_disk.cc
[[nodiscard]] DoctorFinding judge_state(const StateFacts& state);
[[nodiscard]] DoctorFinding judge_file_system(const StateFacts& state);
[[nodiscard]] DoctorFinding judge_syncs(const StateFacts& state);
[[nodiscard]] DoctorFinding judge_space(const StateFacts& state);
[[nodiscard]] DoctorFinding judge_temporary(const TemporaryFacts& temporary);

// doctor/judge_limits.cc
[[nodiscard]] DoctorFinding judge_open_files(const LimitFacts& limits);
[[nodiscard]] DoctorFinding judge_file_size(const LimitFacts& limits);
[[nodiscard]] DoctorFinding judge_processes(const LimitFacts& limits);
[[nodiscard]] DoctorFinding judge_memory(const MemoryFacts& memory, std::uint64_t cpus);

// doctor/judge.cc
[[nodiscard]] DoctorFinding judge_sandbox(const SandboxFacts& sandbox);
[[nodiscard]] DoctorFinding judge_terminal(const ScreenFacts& screen);
[[nodiscard]] DoctorFinding judge_locale(const ScreenFacts& screen);
[[nodiscard]] DoctorFinding judge_tokens(const PartFacts& parts);
[[nodiscard]] DoctorFinding judge_epubcheck(const PartFacts& parts);
[[nodiscard]] DoctorFinding judge_runs(const RunFacts& runs);
[[nodiscard]] DoctorFinding judge_config(const ConfigFacts& config);
// With `is_for_fleet`, only what matters to a fleet, which needs no persistence.
[[nodiscard]] std::vector<DoctorFinding> judge_redis(const RedisFacts& redis,
                                                     bool is_for_fleet = false);

// doctor/judge_fleet.cc
[[nodiscard]] std::vector<DoctorFinding> judge_fleet(const FleetFacts& fleet);
[[nodiscard]] DoctorFinding judge_rights(const std::string& user,
                                         const Result<FleetRights>& rights);
[[nodiscard]] DoctorFinding judge_clock(const Result<ClockLead>& clock);
[[nodiscard]] DoctorFinding judge_key(const FleetKeyFacts& key);

// "a, b, c, …": names of unknown origin, escaped.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

}  // namespace tidemill::app
