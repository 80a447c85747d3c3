// Simulated fleets: 2,000 histories, and every planted fault must be found within as many.
//
//   TIDEMILL_FLEET_SEEDS=1000000          more histories
//   TIDEMILL_FLEET_SEEDS=500001-1000000   those, to use several cores
//   TIDEMILL_FLEET_SEED=42                one history, printed event by event
//   TIDEMILL_FLEET_FAULT=NAME             the same with a planted fault
#include "tidemill/testing/fleet_simulation.h"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::testing {
namespace {

constexpr std::uint64_t kSeeds = 2'000;

// NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it here
const char* from_environment(const char* name) { return std::getenv(name); }

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = kSeeds;
};

Seeds seeds() {
  const char* given = from_environment("TIDEMILL_FLEET_SEEDS");
  if (given == nullptr) return {};
  const std::string text = given;
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos) return {.last = std::stoull(text)};
  return {.first = std::stoull(text), .last = std::stoull(text.substr(dash + 1))};
}

PlantedFault fault_of(std::string_view name) {
  for (std::size_t i = 0; i < kPlantedFaults; ++i) {
    if (name_of(static_cast<PlantedFault>(i)) == name) return static_cast<PlantedFault>(i);
  }
  ADD_FAILURE() << "no such fault: " << name;
  return PlantedFault::none;
}

void print_history(std::uint64_t seed) {
  const char* name = from_environment("TIDEMILL_FLEET_FAULT");
  const auto planted = name != nullptr ? fault_of(name) : PlantedFault::none;
  const auto report =
      simulate_fleet(seed, planted, [](std::string_view line) { std::cout << line << '\n'; });
  EXPECT_EQ(report.violation, "");
}

TEST(FleetSimulation, KeepsItsPromisesInEveryHistory) {
  if (const char* seed = from_environment("TIDEMILL_FLEET_SEED")) {
    return print_history(std::stoull(seed));
  }
  const auto [first, last] = seeds();
  const std::uint64_t count = last - first + 1;
  SimulationReport sum;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const auto report = simulate_fleet(seed);
    EXPECT_EQ(report.violation, "") << "replay with TIDEMILL_FLEET_SEED=" << seed;
    sum.events += report.events;
    sum.faults += report.faults;
    sum.executions += report.executions;
    sum.repeated += report.repeated;
    sum.seconds += report.seconds;
    sum.dispatchers.parcels_adopted += report.dispatchers.parcels_adopted;
    sum.dispatchers.parcels_taken_back += report.dispatchers.parcels_taken_back;
    sum.dispatchers.parcels_missing += report.dispatchers.parcels_missing;
    if (HasFailure()) break;
  }
  std::cout << count << " histories of " << sum.seconds / 3600 << " hours: " << sum.events
            << " events, " << sum.faults << " faults, " << sum.executions << " tasks run, "
            << sum.repeated << " of them again; parcels: " << sum.dispatchers.parcels_adopted
            << " adopted, " << sum.dispatchers.parcels_taken_back << " taken back, "
            << sum.dispatchers.parcels_missing << " missing\n";
  // Otherwise the histories were too quiet to show anything.
  EXPECT_GT(sum.faults, count);
  EXPECT_GT(sum.dispatchers.parcels_adopted, 0U);
  EXPECT_GT(sum.dispatchers.parcels_taken_back, 0U);
  EXPECT_GT(sum.dispatchers.parcels_missing, 0U);
}

TEST(FleetSimulation, OneSeedIsOneHistory) {
  for (const std::uint64_t seed : {6U, 7U, 14U}) {
    std::vector<std::string> first;
    std::vector<std::string> second;
    const auto keep_in = [](std::vector<std::string>& lines) {
      return [&lines](std::string_view line) { lines.emplace_back(line); };
    };
    const auto report = simulate_fleet(seed, PlantedFault::none, keep_in(first));
    EXPECT_EQ(simulate_fleet(seed, PlantedFault::none, keep_in(second)), report);
    EXPECT_GT(first.size(), 50U);
    EXPECT_EQ(first, second);
  }
}

// A fault that is not found would not be found in the program either.
class FleetFaults : public ::testing::TestWithParam<int> {};

TEST_P(FleetFaults, IsFound) {
  const auto planted = static_cast<PlantedFault>(GetParam());
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto report = simulate_fleet(seed, planted);
    if (report.violation.empty()) continue;
    std::cout << name_of(planted) << ": seed " << seed << ": " << report.violation << '\n';
    return;
  }
  FAIL() << name_of(planted) << " was not found in " << kSeeds << " histories";
}

INSTANTIATE_TEST_SUITE_P(Planted, FleetFaults,
                         ::testing::Range(1, static_cast<int>(kPlantedFaults)),
                         [](const auto& info) {
                           return std::string(name_of(static_cast<PlantedFault>(info.param)));
                         });

}  // namespace
}  // namespace tidemill::testing
