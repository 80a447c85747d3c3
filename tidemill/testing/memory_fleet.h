// MemoryFleet: a Fleet in memory, for tests. It behaves like a server that can lose its memory,
// behind networks that can lose, repeat and delay every call.
//
//   dispatcher ── FleetNetwork ──┐
//   worker ────── FleetNetwork ──┼──► MemoryFleet: parcels, reports, cards, one epoch
//   worker ────── FleetNetwork ──┘         │
//                                          └──► FleetObserver sees each effect, when it happens
//
// No thread and no randomness of its own: the networks decide, the clock is passed in. So the same
// decisions make the same history.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/fleet.h"

namespace tidemill::testing {

// What happens to one call.
enum class CallFate : std::uint8_t {
  delivered,
  request_lost,  // no effect, no answer
  reply_lost,    // the effect, but no answer
  repeated,      // the effect twice; the first answer arrives
  delayed,       // no answer, and the effect comes later
};

// The way from one process to the fleet. Decides the fate of each call.
class FleetNetwork {
 public:
  virtual ~FleetNetwork() = default;
  [[nodiscard]] virtual CallFate next() = 0;
  [[nodiscard]] virtual std::chrono::milliseconds delay() = 0;  // of a delayed call
};

class PerfectNetwork final : public FleetNetwork {
 public:
  [[nodiscard]] CallFate next() override { return CallFate::delivered; }
  [[nodiscard]] std::chrono::milliseconds delay() override { return {}; }
};

// Sees what really happened at the server, whatever the callers were told.
class FleetObserver {
 public:
  virtual ~FleetObserver() = default;
  virtual void opened(engine::FleetEpoch epoch) = 0;
  virtual void rolled_back(engine::FleetEpoch epoch) = 0;
  virtual void sent(const engine::FleetParcel& parcel) = 0;
  virtual void taken_back(engine::FleetEpoch by, const engine::FleetParcel& parcel) = 0;
  virtual void recalled(engine::FleetEpoch by, const engine::FleetParcel& parcel) = 0;
  virtual void drained(engine::FleetEpoch by, const engine::ParcelReport& report) = 0;
  virtual void given(const engine::FleetParcel& parcel, const engine::ParcelReport& report) = 0;
  virtual void confirmed(const engine::WorkerCard& card) = 0;
};

// Promises that a broken server would not keep: for planted faults.
struct BrokenPromises {
  bool stale_may_send = false;
  bool stale_may_take_back = false;
  bool stale_may_drain = false;
  bool anyone_may_give = false;
  bool forgets_known_epoch = false;  // open() goes by its own memory and clock
  bool recalls_held = false;
  bool loses_reports = false;     // give() removes the parcel and forgets every fifth report
  bool confirms_for_all = false;  // confirm() keeps parcels of other workers alive, too
};

// One thread.
class MemoryFleet {
 public:
  explicit MemoryFleet(const Clock& clock, BrokenPromises broken = {});
  MemoryFleet(const MemoryFleet&) = delete;
  MemoryFleet& operator=(const MemoryFleet&) = delete;
  ~MemoryFleet();

  // The networks, the observer and this fleet must outlive the connections.
  [[nodiscard]] std::unique_ptr<engine::Fleet> connect(FleetNetwork& network);
  [[nodiscard]] std::unique_ptr<engine::FleetMember> join(std::string name, FleetNetwork& network);
  void observe(FleetObserver& observer) { observer_ = &observer; }

  // The faults of a server.
  void forget();                                       // everything, as after FLUSHALL
  void turn_clock_back(std::chrono::milliseconds by);  // its own wall clock
  struct Memory;
  [[nodiscard]] std::shared_ptr<const Memory> remember() const;
  void roll_back(const Memory& memory);  // as after a failover to a replica that was behind

  struct Sizes {
    std::size_t parcels = 0;  // waiting or held
    std::size_t reports = 0;
    std::size_t tasks = 0;  // in both
  };
  [[nodiscard]] Sizes sizes() const;

 private:
  class Side;
  class DispatcherSide;
  class WorkerSide;

  void run_delayed();
  void delay(std::chrono::milliseconds by, std::function<void()> effect);
  [[nodiscard]] std::uint64_t server_time() const;

  // The effects, as the server executes them.
  [[nodiscard]] Result<engine::FleetEpoch> open(engine::FleetEpoch known);
  [[nodiscard]] Result<void> send(engine::FleetEpoch by,
                                  const std::vector<engine::FleetParcel>& parcels);
  [[nodiscard]] Result<std::vector<engine::FleetParcel>> parcels() const;
  [[nodiscard]] Result<std::vector<engine::ParcelId>> missing(
      const std::vector<engine::ParcelId>& ids) const;
  [[nodiscard]] Result<std::vector<engine::ParcelReport>> reports(std::size_t limit) const;
  [[nodiscard]] Result<void> drain(engine::FleetEpoch by, const std::vector<engine::ReportId>& ids);
  [[nodiscard]] Result<std::vector<engine::TakenParcel>> take_back(engine::FleetEpoch by,
                                                                   std::chrono::milliseconds idle);
  [[nodiscard]] Result<std::vector<engine::ParcelId>> recall(engine::FleetEpoch by);
  [[nodiscard]] Result<std::vector<engine::WorkerCard>> roster(engine::FleetEpoch by) const;
  [[nodiscard]] Result<std::vector<engine::FleetParcel>> receive(const std::string& name,
                                                                 std::size_t limit);
  [[nodiscard]] Result<std::vector<engine::FleetParcel>> held(const std::string& name) const;
  [[nodiscard]] Result<bool> give(const std::string& name, engine::ParcelId id,
                                  const std::vector<engine::TaskReport>& tasks);
  [[nodiscard]] Result<std::vector<engine::ParcelId>> confirm(
      const std::string& name, const engine::WorkerCard& card,
      const std::vector<engine::ParcelId>& ids);
  [[nodiscard]] std::optional<Failure> refusal_of(engine::FleetEpoch by, bool is_checked) const;

  const Clock& clock_;
  const BrokenPromises broken_;
  FleetObserver* observer_ = nullptr;
  std::unique_ptr<Memory> memory_;
  std::chrono::milliseconds clock_offset_{0};
  std::uint64_t gives_ = 0;
  std::uint64_t delayed_count_ = 0;
  std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> delayed_;
};

}  // namespace tidemill::testing
