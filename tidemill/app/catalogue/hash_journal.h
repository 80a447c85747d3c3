// HashJournal: what the dispatcher of a fleet needs of a journal, for `catalogue hash --fleet`. The
// journal is the catalogue: a file is settled when its hash is stored there, or when it has failed
// in this process. So a coordinator that starts again leaves out what has a hash, tries again what
// failed, and gets the epoch from the catalogue.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/fleet_dispatcher.h"
#include "tidemill/engine/flow.h"
#include "tidemill/jobs/dupes/fleet/hash_tasks.h"
#include "tidemill/jobs/dupes/rehash/wanted_orders.h"
#include "tidemill/state/catalogue/catalogue.h"

namespace tidemill::app {

// One thread, but counts() by any.
class HashJournal final : public engine::FleetJournal {
 public:
  // All must outlive it. Orders whose root is unreachable fail at once.
  HashJournal(catalogue::Catalogue& catalogue, dupes::WantedOrders& orders,
              const dupes::HashTasks& tasks);

  [[nodiscard]] Result<engine::FleetEpoch> epoch() override;
  [[nodiscard]] Result<void> record(engine::FleetEpoch epoch) override;
  [[nodiscard]] Result<std::optional<engine::TaskRecord>> task(engine::TaskId id) override;
  // In one transaction.
  [[nodiscard]] Result<void> commit(std::span<const engine::Entry> entries,
                                    std::span<const engine::TaskReport* const> reports) override;

  // Of all orders. As in the local command, what is gone or changed since the scan is skipped.
  [[nodiscard]] engine::FlowCounts counts() const;
  [[nodiscard]] std::uint64_t left() const { return counts().left(); }

 private:
  struct Standing {
    bool is_settled = false;
    int attempts = 0;
    int crashes = 0;
  };

  void finish(engine::TaskId id, const std::string& hash);
  void fail(std::size_t order, const Failure& failure);
  void count(std::size_t order, std::atomic<std::uint64_t>& as);

  catalogue::Catalogue& catalogue_;
  dupes::WantedOrders& orders_;
  const dupes::HashTasks& tasks_;
  std::vector<Standing> standings_;  // by the first order of a task
  const catalogue::KnownTotal total_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace tidemill::app
