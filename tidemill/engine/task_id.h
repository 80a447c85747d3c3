// TaskId: the number of a task, unique in its run.
#pragma once

#include <cstdint>

namespace tidemill::engine {

using TaskId = std::uint64_t;

}  // namespace tidemill::engine
