// EachFleetSink: prints the outputs of finished tasks, then commits their outcomes, as the sink of
// the pipeline does on one machine:
//
//   reports ── outputs stored ── noted in the in-flight log ── printed or held ── synced ── commit
//
// With --keep-order the order is that in which the feeder offered the tasks. A task of an earlier
// coordinator may end before it is offered again; its output then waits for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/each/halt.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/jobs/each/output/printer.h"
#include "tidemill/state/fleet/run_journal.h"
#include "tidemill/state/history/attempt_times.h"
#include "tidemill/state/journal/disk_full_wait.h"
#include "tidemill/state/run/in_flight_log.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::each {

// One thread, but offer() and counts() by any.
class EachFleetSink final : public fleet::FleetRunJournal {
 public:
  struct Parts {
    const EachOptions& options;
    journal::SqliteJournal& journal;
    journal::DiskFullWait& disk_full;
    Printer& printer;
    run::InFlightLog& in_flight;
    command::Console& console;
    const Clock& clock;
    history::AttemptTimes& times;
    std::uint64_t letters_before = 0;
    std::function<void(HaltRule::Manner)> on_halt{};
  };

  explicit EachFleetSink(const Parts& parts) : FleetRunJournal(parts.journal), parts_(parts) {}

  // Call it before the task is fed.
  void offer(engine::TaskId id, std::string name, std::uint64_t sequence);
  // Call it after the last task.
  [[nodiscard]] Result<void> finish();

 private:
  struct Offered {
    std::string name{};
    std::uint64_t sequence = 0;
  };
  using Item = EachPipeline::Item;

  [[nodiscard]] Result<void> store(std::span<const engine::Entry> entries,
                                   std::span<const engine::TaskReport* const> reports) override;
  [[nodiscard]] Result<void> settle(Item item, std::vector<engine::Entry>& entries);
  [[nodiscard]] Result<Item> item_of(const engine::TaskReport& report, int attempts);
  void note_time(const engine::TaskReport& report, std::string name);
  [[nodiscard]] Result<void> tell_of(const engine::Attempted& attempt);
  [[nodiscard]] Result<void> print(Item&& item);
  [[nodiscard]] Result<void> print_offered();
  void count(bool has_failed);

  const Parts parts_;
  Guarded<std::map<engine::TaskId, Offered>> offered_;
  std::map<engine::TaskId, Item> early_;  // ended, and not offered yet; with --keep-order only
  std::uint64_t failed_ = 0;
  std::uint64_t settled_ = 0;
};

}  // namespace tidemill::each
