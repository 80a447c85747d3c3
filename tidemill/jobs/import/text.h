// The outcome of an import as people read it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/outcome.h"

namespace tidemill::import {

// The tables, what widened, what was rejected, what failed, and what to type next.
[[nodiscard]] std::string text_of(const Outcome& outcome, const Options& options,
                                  std::optional<std::size_t> width);

}  // namespace tidemill::import
