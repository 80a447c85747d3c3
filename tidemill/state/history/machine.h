// What a report says of the machine that a run worked on.
#pragma once

#include "tidemill/state/history/history.h"

namespace tidemill::history {

// Host, system, cores and memory of a session; what cannot be found out stays empty.
[[nodiscard]] RunSession this_machine();

}  // namespace tidemill::history
