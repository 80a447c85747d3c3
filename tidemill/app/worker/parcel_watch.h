// ParcelWatch: waits for parcels on a thread and a connection of its own, so that the loop of the
// worker process can sleep until something happens: a task ends, or a parcel arrives.
//
//   loop ── want(runs) ──► watch: one blocking call ──► arrivals ──► loop
//
// It reads in the name of the process, so what it reads is held by this process at once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/fleet.h"
#include "tidemill/state/fleet/redis_fleet.h"

namespace tidemill::app {

// Thread-safe.
class ParcelWatch {
 public:
  using RunParcels = std::pair<std::string, std::vector<engine::FleetParcel>>;
  struct Arrivals {
    std::vector<RunParcels> parcels{};
    bool is_in_doubt = false;  // a call got no answer: parcels may have been delivered
  };

  // `wake` is called by the thread after each arrival.
  [[nodiscard]] static Result<std::unique_ptr<ParcelWatch>> start(redis::ClientOptions client,
                                                                  std::string consumer,
                                                                  const Clock& clock,
                                                                  std::function<void()> wake);
  ParcelWatch(const ParcelWatch&) = delete;
  ParcelWatch& operator=(const ParcelWatch&) = delete;
  ~ParcelWatch();  // waits for the end of a call, half a second at most

  // The runs to wait for from the next call on.
  void want(std::vector<fleet::FleetPlace> runs);
  // Whether parcels of this run may still come: from a call that is made now or was asked for, or
  // by the next take(). A call is not cut off, because the server would deliver to a connection
  // that nobody reads.
  [[nodiscard]] bool may_bring(const std::string& run);
  [[nodiscard]] Arrivals take() { return std::exchange(state_.lock()->arrivals, {}); }

 private:
  using Members = std::map<std::string, std::unique_ptr<fleet::RedisFleetMember>>;
  struct State {
    std::vector<fleet::FleetPlace> wanted{};
    std::vector<fleet::FleetPlace> asked{};  // by the call in progress
    Arrivals arrivals{};
    bool has_ended = false;
  };

  ParcelWatch(std::unique_ptr<redis::Client> client, std::chrono::milliseconds timeout,
              std::string consumer, const Clock& clock, std::function<void()> wake);
  void watch();
  void wait_for(const std::vector<fleet::FleetPlace>& wanted, Members& members);
  void pause();

  const std::unique_ptr<redis::Client> client_;  // used by the thread only
  const std::string consumer_;
  const Clock& clock_;
  const std::function<void()> wake_;
  fleet::FleetInbox inbox_;
  Guarded<State> state_;
  std::jthread thread_;
};

}  // namespace tidemill::app
