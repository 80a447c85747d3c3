// Gathers the facts for `tidemill doctor` and leaves nothing behind: the test files that it writes,
// to check permissions and the time of a sync, are removed at once (after kill -9 one named
// .tidemill-doctor-… may remain). Nothing fails here: missing information is a fact.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/app/doctor/facts.h"
#include "tidemill/base/clock.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/run/run_folder.h"

namespace tidemill::app {

// doctor/gather_disk.cc. Writing a file larger than `file_limit` (RLIMIT_FSIZE) cannot succeed, so
// tests that need a larger file are skipped.
[[nodiscard]] StateFacts gather_state(const run::StateFolder& state,
                                      std::optional<Bytes> file_limit, const Clock& clock);
[[nodiscard]] TemporaryFacts gather_temporary(std::optional<Bytes> file_limit);

// doctor/gather_limits.cc
[[nodiscard]] LimitFacts gather_limits();
[[nodiscard]] MemoryFacts gather_memory();

// The folders of a control group and its parents, from a text like /proc/self/cgroup: in the
// unified hierarchy of version 2 and in that of the controller in version 1.
[[nodiscard]] std::vector<std::string> group_folders(std::string_view membership,
                                                     std::string_view controller);

// doctor/gather.cc. gather_sandbox() starts a sandbox; call it before there is a second thread.
[[nodiscard]] SandboxFacts gather_sandbox();
[[nodiscard]] RunFacts gather_runs(const run::StateFolder& state, std::optional<Bytes> file_limit,
                                   const Clock& clock);
[[nodiscard]] RedisFacts gather_redis(redis::ClientOptions options, const Clock& clock,
                                      const std::stop_token& stop);

// doctor/gather_fleet.cc. Fills in what the server says. `client`: of a fleet (fleet_flags.h).
void gather_fleet(redis::ClientOptions client, const Clock& clock, const std::stop_token& stop,
                  FleetFacts& facts);
// A time between two readings of this machine's clock and the reply to TIME.
[[nodiscard]] std::optional<ClockLead> clock_lead(WallTime before, const redis::Reply& time,
                                                  WallTime after);

// The value of a field in lines of "name:value", such as the reply to INFO; empty: no such field.
[[nodiscard]] std::string field_of(std::string_view text, std::string_view name);

}  // namespace tidemill::app
