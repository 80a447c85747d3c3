// How `tidemill doctor` learns the facts. Looks and leaves nothing behind: the one file it writes,
// to see whether that works and how long a sync takes, is removed at once (after kill -9 one named
// .tidemill-doctor-… may stay). Nothing fails here: what cannot be learnt is a fact.
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

// doctor/gather_disk.cc. Below: whoever writes a file that is larger than `file_limit` is ended by
// a signal, so what needs one is not tried.
[[nodiscard]] StateFacts gather_state(const run::StateFolder& state,
                                      std::optional<Bytes> file_limit, const Clock& clock);
[[nodiscard]] TemporaryFacts gather_temporary(std::optional<Bytes> file_limit);

// doctor/gather_limits.cc
[[nodiscard]] LimitFacts gather_limits();
[[nodiscard]] MemoryFacts gather_memory();

// The folders of a control group, from it up to the root, in which a file of the name may be:
// what /proc/self/cgroup says, for the one hierarchy of version 2 and for a controller's own of
// version 1.
[[nodiscard]] std::vector<std::string> group_folders(std::string_view membership,
                                                     std::string_view controller);

// doctor/gather.cc. Cells: starts one; to be called before there is a second thread.
[[nodiscard]] CellFacts gather_cells();
[[nodiscard]] RunFacts gather_runs(const run::StateFolder& state, std::optional<Bytes> file_limit,
                                   const Clock& clock);
[[nodiscard]] RedisFacts gather_redis(redis::ClientOptions options, const Clock& clock,
                                      const std::stop_token& stop);

// The text of a reply to INFO: the value of a field, or nothing.
[[nodiscard]] std::string field_of(std::string_view text, std::string_view name);

}  // namespace tidemill::app
