// The Memory of a catalogue: reads what earlier scans recorded of a folder, on its own connection.
//
// Opening a snapshot costs more than reading a small folder, so one snapshot serves several
// folders. It may be older than the records of this scan, but never older than the last scan.
#pragma once

#include <memory>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::catalogue {

[[nodiscard]] Result<std::unique_ptr<Memory>> open_memory(const std::string& path);

}  // namespace tidemill::catalogue
