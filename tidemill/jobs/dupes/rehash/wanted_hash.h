// hash_wanted: hashes the files that another host has requested (the list of scan/foreign.h), and
// no others. A file must be in the catalogue and unchanged since: its hash is stored there, for the
// other host to read. Hashes are stored after every thousand files or gigabyte, and after a stop,
// so that the same list can be continued.
//
// A file that fails is added to the failures, and the others continue. Fails itself if the
// catalogue fails or the files cannot be read in parallel.
#pragma once

#include <span>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/rehash/wanted_orders.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/foreign.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::dupes {

[[nodiscard]] Result<WantedCounts> hash_wanted(std::span<const WantedFile> wanted,
                                               catalogue::Catalogue& catalogue, Failures& failures,
                                               const command::Context& context);

}  // namespace tidemill::dupes
