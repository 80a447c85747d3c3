// FleetDrive: the loop of a coordinator. It feeds the tasks of a run to a dispatcher, keeps the run
// on the board of the fleet, and ends when every task is settled, or when it is told to stop.
//
//   feed ──► channel ──► FleetDispatcher::step() ──► RedisFleet ──► workers
//   thread   bounded     the thread of run()             │
//                              └──── FleetJournal ◄──────┘ outcomes
//
// Ending early: stop_sending() sends nothing more and lets the workers finish what they hold;
// withdraw() takes the run off the board, so that workers stop its tasks and return them; leave()
// ends the loop whatever the workers do. Reports that arrive later wait in Redis for the next
// coordinator, and its parcels are taken back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/channel.h"
#include "tidemill/engine/fleet_dispatcher.h"
#include "tidemill/engine/flow.h"
#include "tidemill/state/fleet/board.h"
#include "tidemill/state/fleet/redis_fleet.h"

namespace tidemill::fleet {

// Thread-safe: run() once, by one thread; everything else by any thread.
class FleetDrive {
 public:
  struct Options {
    PublishedRun run{};
    engine::DispatcherOptions dispatcher{};
    std::optional<double> rate{};  // of tasks that may be sent, per second
  };
  struct Parts {
    RedisFleet& fleet;
    FleetBoard& board;
    engine::FleetJournal& journal;
    std::function<engine::FlowCounts()> counts{};  // what was committed by this process
    const Clock& clock;
    // Called when the run ends, whatever the reason: the source must return soon.
    std::function<void()> stop_feed{};
    // Nobody works on the run: a host and why it refuses, or two empty texts: there is no worker.
    std::function<void(const std::string& host, const std::string& why)> on_nobody{};
    // The server has not answered for a while, or (null) answers again.
    std::function<void(const Failure*)> on_silence{};
  };

  // The source's interface. One thread.
  class Intake {
   public:
    // Waits for room. False: the run stops, and the source should return.
    [[nodiscard]] bool put(engine::TaskRecord task, std::string payload);
    [[nodiscard]] bool is_stopped();

   private:
    friend FleetDrive;
    explicit Intake(FleetDrive& drive) : drive_(drive) {}
    FleetDrive& drive_;
  };
  using Feed = std::function<Result<void>(Intake&)>;  // called on a thread of its own

  FleetDrive(Options options, Parts parts);
  FleetDrive(const FleetDrive&) = delete;
  FleetDrive& operator=(const FleetDrive&) = delete;

  [[nodiscard]] engine::FlowReport run(const Feed& feed);

  void stop_sending();
  void withdraw();
  void leave();

  // After run(): nothing of the run is left in Redis.
  [[nodiscard]] bool has_cleaned_up() const { return has_cleaned_up_; }

  // What the last round saw.
  struct Seen {
    std::vector<engine::WorkerCard> roster{};
    engine::DispatcherCounts counts{};
    bool is_silent = false;  // the server does not answer
  };
  [[nodiscard]] Seen seen() { return state_.lock()->seen; }

 private:
  enum class Urge : std::uint8_t { none, stop_sending, withdraw, leave };
  struct State {
    Urge urge = Urge::none;
    bool has_fed = false;  // the source has ended, and everything it put is in the channel
    Seen seen{};
  };
  struct FedTask {
    engine::TaskRecord record{};
    std::string payload{};
  };
  class Loop;

  void urge(Urge to);

  const Options options_;
  const Parts parts_;
  bool has_cleaned_up_ = false;
  engine::Channel<FedTask> channel_{{.items = 4'096, .bytes = mib(16)}};
  Guarded<State> state_;
};

}  // namespace tidemill::fleet
