// RunSeal: parcels and reports as entries of the streams of one run, signed and verified.
//
// The signature of a parcel covers fleet, run, id and bytes; that of a report fleet, run, parcel,
// worker and bytes. So an entry that was copied to another run, or under another id, is not valid.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/engine/fleet.h"
#include "tidemill/io/redis/reply.h"
#include "tidemill/state/fleet/fleet_key.h"

namespace tidemill::fleet {

// "1763522376000-7"
[[nodiscard]] std::string entry_id_of(engine::ParcelId id);
[[nodiscard]] std::string entry_id_of(engine::ReportId id);
// nullopt: not as Redis writes it.
[[nodiscard]] std::optional<engine::ParcelId> parcel_id_of(std::string_view entry);

// The id of an entry in a reply to XRANGE; empty if it is not one.
[[nodiscard]] std::string_view entry_id_of(const redis::Reply& entry);

// Immutable.
class RunSeal {
 public:
  RunSeal(std::string_view fleet, std::string_view run, FleetKey key);

  [[nodiscard]] std::string sign(engine::ParcelId id, std::string_view tasks) const;
  [[nodiscard]] std::string sign(engine::ParcelId parcel, std::string_view worker,
                                 std::string_view reports) const;

  // nullopt: without a valid signature, or garbled.
  [[nodiscard]] std::optional<engine::FleetParcel> open_parcel(const redis::Reply& entry) const;
  [[nodiscard]] std::optional<engine::ParcelReport> open_report(const redis::Reply& entry) const;

 private:
  [[nodiscard]] std::string start_of(engine::ParcelId id) const;

  std::string place_;  // fleet and run
  FleetKey key_;
};

// The entries of a reply, opened one by one; those that are not valid by their ids.
template <class T>
struct OpenedEntries {
  std::vector<T> valid{};
  std::vector<std::string> invalid{};
};

[[nodiscard]] OpenedEntries<engine::FleetParcel> open_parcels(const RunSeal& seal,
                                                              const redis::Reply& entries);

}  // namespace tidemill::fleet
