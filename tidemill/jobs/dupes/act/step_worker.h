// StepWorker: runs steps, and holds pairs between begin() and settle() so that one sync per folder
// serves many of them. It does not hold them for long: a process that waits to write to one file
// must not wait for other files.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::dupes {

// One thread.
class StepWorker {
 public:
  static constexpr std::chrono::milliseconds kLongest{500};

  // Without a console, single steps are not reported.
  StepWorker(const PairTools& tools, const Clock& clock, command::Console* console)
      : tools_(tools), clock_(clock), console_(console) {}

  // begin(); and settle() at once if the duplicate has no lease. A stop leaves the task pending.
  void work(engine::TaskId id, PlanStep step);
  // Settles all held pairs.
  void clear();

  // Entries for the journal since the last call.
  [[nodiscard]] std::vector<engine::Entry> take_entries();
  void record(engine::TaskId id, std::string duplicate, const Refusal& refusal);
  void record(engine::TaskId id, const PlanStep& step);
  // Call before record() for a task that had failed.
  void revive(engine::TaskId id);
  [[nodiscard]] std::uint64_t reclaimed() const { return reclaimed_; }
  // A folder could not be synced, and no more steps are done. The tasks of the held pairs stay
  // pending; if they were not settled yet, they were rolled back.
  [[nodiscard]] const std::optional<Failure>& sync_failure() const { return sync_failure_; }

 private:
  struct HeldPair {
    engine::TaskId id = 0;
    Displaced pair{};
  };

  [[nodiscard]] bool sync_all(const std::vector<HeldPair>& held);
  void put_all_back(std::vector<HeldPair>& held);

  const PairTools& tools_;
  const Clock& clock_;
  command::Console* const console_;
  Instant since_{};  // when the oldest held pair was added
  std::vector<HeldPair> held_;
  std::vector<engine::Entry> entries_;
  std::uint64_t reclaimed_ = 0;
  std::optional<Failure> sync_failure_;
};

}  // namespace tidemill::dupes
