// Where batches go: the outlet that the user asked for, made from the options.
#pragma once

#include <memory>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/jobs/batch/batch.h"
#include "tidemill/jobs/batch/cut/mill.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/state/queue/outlet.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::batch {

// `run` names this producer to others. Nothing is connected yet.
[[nodiscard]] Result<std::unique_ptr<queue::Outlet>> make_outlet(
    const Options& options, const Surroundings& around, const Recipe& recipe,
    const std::string& run, const Sent& sent, command::Context& context);

// What could lose batches on the other side is said at the start, once.
void tell_worries(const Options& options, const Surroundings& around, command::Context& context);

}  // namespace tidemill::batch
