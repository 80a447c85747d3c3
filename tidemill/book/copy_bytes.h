// The bytes of one open file into another.
#pragma once

#include "tidemill/base/result.h"

namespace tidemill::book {

// From the beginning of one to the beginning of the other. What the other has behind them stays.
[[nodiscard]] Result<void> copy_bytes(int from, int to);

}  // namespace tidemill::book
