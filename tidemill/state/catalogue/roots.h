// The roots of a catalogue: found or made, locked, and what is noted of a scan's beginning and end.
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

// Locks all or none, in an order that is the same for everybody; then notes that a scan has begun.
// The rows are in the order of `roots`.
[[nodiscard]] Result<std::vector<RootRow>> begin_roots(store::Db& db, RootLocks& locks,
                                                       std::span<const ScanRoot> roots,
                                                       WallTime now);

// "complete" makes the files of the roots seen; every other ending is only a note.
[[nodiscard]] Result<void> end_roots(store::Db& db, std::span<const RootRow> roots,
                                     std::string_view ending, WallTime now);

}  // namespace tidemill::catalogue
