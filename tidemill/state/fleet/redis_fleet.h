// RedisFleet: the fleet of one run in Redis (engine/fleet.h), with commands that Redis 6.2 and
// Valkey have.
//
//   send ──► stream q ── receive: XREADGROUP ──► pending list: who holds it, and since when
//                                                     │ give: one script
//                                                     ▼
//            drain ◄── commit ◄── reports ◄──────── stream out
//
// Fencing: an epoch is the first half of the ids in q, and open() sets the last id of q above all
// that earlier epochs can send. Ownership is the pending list of the group: a worker name belongs
// to one process. So a dispatcher or worker that was replaced is refused by the server, whatever
// the clocks say.
//
// In every script all that can fail comes before the first write, and of the writes the one that
// needs memory comes first: a server at its limit refuses a give() before it has had any effect.
// Reports can be drained there, and open() and confirm() succeed, because they need next to none.
//
// Parcels and reports without a valid signature are removed where they are found, and counted in
// Redis; a parcel of this run that was damaged is then missing, and is sent again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/fleet.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/fleet/fleet_key.h"
#include "tidemill/state/fleet/keys.h"

namespace tidemill::fleet {

// Names must not contain braces; check_name() says so.
struct FleetPlace {
  std::string fleet{};
  std::string run{};  // unique among all runs of all hosts
  FleetKey key{};
  std::chrono::milliseconds term{30'000};  // a worker is on the roster for so long
};

// A name of a fleet: letters, digits, dots, dashes and underscores, at most 64.
[[nodiscard]] Result<void> check_name(const std::string& fleet);

// The dispatcher's side. One thread.
class RedisFleet final : public engine::Fleet {
 public:
  // Does not connect yet. The clock must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<RedisFleet>> make(redis::ClientOptions client,
                                                                FleetPlace place,
                                                                const Clock& clock);
  ~RedisFleet() override;

  [[nodiscard]] Result<engine::FleetEpoch> open(engine::FleetEpoch known) override;
  [[nodiscard]] Result<void> send(std::span<const engine::FleetParcel> parcels) override;
  [[nodiscard]] Result<std::vector<engine::FleetParcel>> parcels() override;
  [[nodiscard]] Result<std::vector<engine::ParcelId>> missing(
      std::span<const engine::ParcelId> ids) override;
  [[nodiscard]] Result<std::vector<engine::ParcelReport>> reports(std::size_t limit) override;
  [[nodiscard]] Result<void> drain(std::span<const engine::ReportId> ids) override;
  [[nodiscard]] Result<std::vector<engine::TakenParcel>> take_back(
      std::chrono::milliseconds idle) override;
  [[nodiscard]] Result<std::vector<engine::ParcelId>> recall() override;
  [[nodiscard]] Result<std::vector<engine::WorkerCard>> roster() override;

  // Waits until there is a report, for `most` or longest_block(). False: there is none.
  [[nodiscard]] Result<bool> wait(std::chrono::milliseconds most, const std::stop_token& stop);

  // Removes all keys of this run, if this is still its newest epoch: it is over.
  [[nodiscard]] Result<void> remove();

  // Parcels and reports without a valid signature that this object has removed.
  [[nodiscard]] std::uint64_t forged() const;

 private:
  struct State;
  explicit RedisFleet(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A worker's side of one run. Several share a client. One thread.
class RedisFleetMember final : public engine::FleetMember {
 public:
  // `name`: of this process, never used again. The client must outlive it.
  RedisFleetMember(redis::Client& client, FleetPlace place, std::string name);
  ~RedisFleetMember() override;

  [[nodiscard]] Result<std::vector<engine::FleetParcel>> receive(std::size_t limit) override;
  [[nodiscard]] Result<std::vector<engine::FleetParcel>> held() override;
  [[nodiscard]] Result<bool> give(engine::ParcelId parcel,
                                  std::span<const engine::TaskReport> reports) override;
  [[nodiscard]] Result<std::vector<engine::ParcelId>> confirm(
      const engine::WorkerCard& card, std::span<const engine::ParcelId> ids) override;

  // Leaves the roster of the run. Parcels it still holds stay its own.
  [[nodiscard]] Result<void> leave();

  [[nodiscard]] std::uint64_t forged() const;  // parcels without a valid signature

 private:
  friend class FleetInbox;
  struct State;
  std::unique_ptr<State> state_;
};

// Waits for parcels of several runs in one call. One thread.
class FleetInbox {
 public:
  struct Delivery {
    RedisFleetMember* member = nullptr;
    std::vector<engine::FleetParcel> parcels{};
    bool is_forgotten = false;  // the server does not know this run
  };

  // The client must be that of the members, which all have the same name. `timeout`: of the calls
  // of the client, which a wait must not exceed.
  explicit FleetInbox(redis::Client& client,
                      std::chrono::milliseconds timeout = redis::ClientOptions{}.timeout)
      : client_(client), timeout_(timeout) {}

  // At most one parcel of each run, as soon as there is one; empty after `most`, or after
  // longest_block(). If it fails or is stopped, a delivery may be lost: held() finds it.
  [[nodiscard]] Result<std::vector<Delivery>> wait(std::span<RedisFleetMember* const> members,
                                                   std::chrono::milliseconds most,
                                                   const std::stop_token& stop);

 private:
  [[nodiscard]] Result<std::vector<Delivery>> ask_each(std::span<RedisFleetMember* const> members,
                                                       const std::stop_token& stop);
  [[nodiscard]] Result<void> take(std::span<RedisFleetMember* const> members,
                                  const redis::Reply& stream, std::vector<Delivery>& deliveries);

  redis::Client& client_;
  const std::chrono::milliseconds timeout_;
};

// How long a call may block at the server, so that it does not reach the timeout of its client. 0:
// a client with so short a timeout does not wait.
[[nodiscard]] std::chrono::milliseconds longest_block(std::chrono::milliseconds timeout);

}  // namespace tidemill::fleet
