// The outcome of an import as people read it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/outcome.h"

namespace tidemill::app {

// The tables, what widened, what was rejected, what failed, and what to type next.
[[nodiscard]] std::string text_of(const import::Outcome& outcome, const import::Options& options,
                                  std::optional<std::size_t> width);

}  // namespace tidemill::app
