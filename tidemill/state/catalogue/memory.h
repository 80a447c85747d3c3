// The Memory of a catalogue: what earlier scans have left of a folder, by a connection of its own.
//
// A snapshot costs more to open than a small folder costs to read, so one is kept for some folders.
// It may be older than what this scan has recorded, never older than the last scan.
#pragma once

#include <memory>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::catalogue {

[[nodiscard]] Result<std::unique_ptr<Memory>> open_memory(const std::string& path);

}  // namespace tidemill::catalogue
