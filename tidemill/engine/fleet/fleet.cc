#include "tidemill/engine/fleet.h"

namespace tidemill::engine {

Bytes size_of(std::span<const FleetTask> tasks) {
  constexpr std::uint64_t kOfATask = 16;  // its id and numbers, packed
  Bytes sum{};
  for (const FleetTask& task : tasks) sum += Bytes{task.payload.size() + kOfATask};
  return sum;
}

}  // namespace tidemill::engine
