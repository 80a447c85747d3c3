// Makes the outlet that batches are sent to, from the options.
#pragma once

#include <memory>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/jobs/batch/batch.h"
#include "tidemill/jobs/batch/cut/batch_pipeline.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/state/queue/outlet.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::batch {

// `run` identifies this producer to others. Does not connect.
[[nodiscard]] Result<std::unique_ptr<queue::Outlet>> make_outlet(
    const BatchOptions& options, const BatchContext& batch_context, const BatchRecipe& recipe,
    const std::string& run, const Sent& sent, command::Context& context);

// Warns about server settings that could lose batches. Called once, at the start.
void tell_worries(const BatchOptions& options, const BatchContext& batch_context,
                  command::Context& context);

}  // namespace tidemill::batch
