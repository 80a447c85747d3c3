// Widenings: which columns did not stay what they were at first, where it happened, and why. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "tidemill/jobs/import/outcome.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

// In the order of the columns; a column that widened twice is there twice.
[[nodiscard]] std::vector<Widening> widenings_of(std::string_view table, const Table::State& state);

}  // namespace tidemill::import
