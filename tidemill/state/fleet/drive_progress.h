// What a coordinator shows of its fleet while it works (drive.h).
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/pool_stats.h"
#include "tidemill/state/fleet/drive.h"
#include "tidemill/state/history/history_recorder.h"

namespace tidemill::fleet {

// A row per worker process.
[[nodiscard]] std::vector<engine::WorkerStats> rows_of(const FleetDrive::Seen& seen);

// The hosts of the roster, each once.
[[nodiscard]] std::vector<history::HostObservation> hosts_of(const FleetDrive::Seen& seen);

// Why nothing progresses, for people; empty: it does. `fleet`: "redis:photos".
[[nodiscard]] std::string waits_for(const FleetDrive::Seen& seen, const std::string& fleet);

// For FleetDrive's on_nobody.
[[nodiscard]] std::string nobody_text(const std::string& fleet, const std::string& host,
                                      const std::string& why);

// For its on_silence.
[[nodiscard]] std::string silence_text(const Failure* failure);

}  // namespace tidemill::fleet
