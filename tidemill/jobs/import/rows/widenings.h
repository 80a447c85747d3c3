// Widenings: the columns whose type was widened, where and why. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "tidemill/jobs/import/outcome.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

// In the order of the columns; a column that was widened twice is listed twice.
[[nodiscard]] std::vector<Widening> widenings_of(std::string_view table,
                                                 const RowTable::State& state);

}  // namespace tidemill::import
