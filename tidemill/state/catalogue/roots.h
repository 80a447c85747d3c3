// The roots of a catalogue: finds or creates them, locks them, and records the start and end of a
// scan.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/catalogue/root_locks.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::catalogue {

struct RootRow {
  std::int64_t id = 0;
  FolderKey folder = 0;
};

// Locks all roots in a fixed order, then records the start of the scan. After a failure the caller
// must destroy `locks`. The rows are in the order of `roots`.
[[nodiscard]] Result<std::vector<RootRow>> begin_roots(store::Db& db, RootLocks& locks,
                                                       std::span<const ScanRoot> roots,
                                                       WallTime now);

// Records how the scan ended. Only "complete" counts as having seen the files of the roots.
[[nodiscard]] Result<void> end_roots(store::Db& db, std::span<const RootRow> roots,
                                     std::string_view ending, WallTime now);

}  // namespace tidemill::catalogue
