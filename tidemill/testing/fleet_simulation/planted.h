// Planted faults: wrappers that put a wrong piece between a process and the fleet.
#pragma once

#include <memory>

#include "tidemill/engine/fleet.h"
#include "tidemill/engine/journal.h"
#include "tidemill/testing/fleet_simulation.h"
#include "tidemill/testing/memory_fleet.h"

namespace tidemill::testing::simulation {

[[nodiscard]] BrokenPromises broken_promises_of(PlantedFault fault);

[[nodiscard]] std::unique_ptr<engine::Journal> make_journal(PlantedFault fault);

// The journal must outlive it.
[[nodiscard]] std::unique_ptr<engine::Fleet> with_fault(PlantedFault fault,
                                                        std::unique_ptr<engine::Fleet> fleet,
                                                        const engine::Journal& journal);

[[nodiscard]] std::unique_ptr<engine::FleetMember> with_fault(
    PlantedFault fault, std::unique_ptr<engine::FleetMember> member);

}  // namespace tidemill::testing::simulation
