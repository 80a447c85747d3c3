// The bytes of one open file into another, and whether two have the same.
#pragma once

#include "tidemill/base/result.h"

namespace tidemill::files {

// From the beginning of one to the beginning of the other. What the other has behind them stays.
[[nodiscard]] Result<void> copy_bytes(int from, int to);

[[nodiscard]] Result<bool> have_same_bytes(int one, int other);

}  // namespace tidemill::files
