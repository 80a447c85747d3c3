// LinesOutlet: batches as JSON lines on standard output. Nobody but us knows what was printed, so
// the standing is what the journal says: after a kill a line may be printed twice, with the same
// id.
#pragma once

#include <memory>

#include "tidemill/state/queue/outlet.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::batch {

[[nodiscard]] std::unique_ptr<queue::Outlet> make_lines_outlet(command::Console& console,
                                                               queue::Standing standing);

}  // namespace tidemill::batch
