// FleetRunJournal: what a dispatcher needs of the journal of a run (engine/fleet_dispatcher.h). The
// epoch is a note of the journal. A job derives from it to do something with the results of its
// tasks before they are committed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "tidemill/base/result.h"
#include "tidemill/engine/fleet_dispatcher.h"
#include "tidemill/engine/flow.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::fleet {

// One thread, but counts() by any thread.
class FleetRunJournal : public engine::FleetJournal {
 public:
  // The journal must outlive it.
  explicit FleetRunJournal(journal::SqliteJournal& journal) : journal_(journal) {}

  [[nodiscard]] Result<engine::FleetEpoch> epoch() final;
  [[nodiscard]] Result<void> record(engine::FleetEpoch epoch) final;
  [[nodiscard]] Result<std::optional<engine::TaskRecord>> task(engine::TaskId id) final;
  [[nodiscard]] Result<void> commit(std::span<const engine::Entry> entries,
                                    std::span<const engine::TaskReport* const> reports) final;

  // What was committed through this object.
  [[nodiscard]] engine::FlowCounts counts() const;

 protected:
  // Commits the entries, or others that say the same with smaller results.
  [[nodiscard]] virtual Result<void> store(std::span<const engine::Entry> entries,
                                           std::span<const engine::TaskReport* const> reports) = 0;

  [[nodiscard]] journal::SqliteJournal& journal() { return journal_; }

 private:
  journal::SqliteJournal& journal_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
};

}  // namespace tidemill::fleet
