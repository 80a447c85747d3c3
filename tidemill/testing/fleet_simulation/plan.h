// The plan of a simulated run: everything that a seed decides before the run starts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/dice.h"
#include "tidemill/engine/task.h"

namespace tidemill::testing::simulation {

using std::chrono::milliseconds;

inline constexpr milliseconds kTerm{3'000};
inline constexpr std::size_t kWindow = 16;  // parcels
inline constexpr milliseconds kParcelWork{750};
inline constexpr std::size_t kParcelTasks = 8;
inline constexpr int kMostAttempts = 3;
inline constexpr int kMostCrashes = 3;
inline constexpr milliseconds kFaultTime{30'000};  // then everything heals

// Randomness with the words that a simulation needs. One thread.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : dice_(seed) {}

  [[nodiscard]] bool happens(double probability) { return dice_.draw() < probability; }
  // From `low` to `high`, both included.
  [[nodiscard]] std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + dice_.next() % (high - low + 1);
  }
  [[nodiscard]] milliseconds between(milliseconds low, milliseconds high) {
    return milliseconds(
        between(static_cast<std::uint64_t>(low.count()), static_cast<std::uint64_t>(high.count())));
  }
  [[nodiscard]] SeededDice& dice() { return dice_; }

 private:
  SeededDice dice_;
};

enum class Behaviour : std::uint8_t {
  succeeds,
  succeeds_later,  // after one or two failed attempts
  always_fails,
  fails_for_good,
  is_skipped,
  puts_off,  // its first execution says: later
  crashes,   // the process that runs it
};

struct PlannedTask {
  engine::TaskId id = 0;
  Behaviour behaviour = Behaviour::succeeds;
  int failures = 0;  // before it succeeds
  milliseconds takes{0};
};

struct PlannedHost {
  std::uint32_t places = 1;
};

// How often something happens: probabilities for calls, mean times between two for events; zero:
// never.
struct Rates {
  double request_lost = 0;
  double reply_lost = 0;
  double repeated = 0;
  double delayed = 0;
  milliseconds dispatcher_crash{0};
  milliseconds dispatcher_stop{0};   // in order: recalls, waits, resumes later
  milliseconds dispatcher_pause{0};  // another one takes over; then the first wakes up
  milliseconds worker_kill{0};
  milliseconds worker_pause{0};
  milliseconds worker_stop{0};  // in order: hands back
  milliseconds host_reboot{0};
  milliseconds host_loss{0};  // for ever; one host stays
  milliseconds partition{0};
  milliseconds outage{0};  // of the server, which keeps its memory
  milliseconds forget{0};
  milliseconds roll_back{0};
};

struct Plan {
  std::string_view profile{};
  std::vector<PlannedTask> tasks{};
  std::vector<PlannedHost> hosts{};
  Rates rates{};

  // What must hold in addition, where the faults of the plan cannot cause it.
  bool repeats_nothing = false;
  bool repeats_are_bounded = false;
  bool keeps_not_before = false;
  bool takes_nothing_back = false;
  bool keeps_window = false;
  // A drain that comes after a failover may meet another report with the id: its parcel is missing
  // then, and is sent again.
  bool drains_what_it_read = false;
  // Elsewhere an old copy of a parcel may run that was sent before the crash was known.
  bool keeps_suspects_alone = false;
};

[[nodiscard]] inline std::string payload_of(engine::TaskId id) {
  return "payload of " + std::to_string(id);
}

[[nodiscard]] Plan plan_of(std::uint64_t seed, Chance& chance);

}  // namespace tidemill::testing::simulation
