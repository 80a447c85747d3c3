// UndoBatch: steps that are undone together, so that one sync serves all of them (undo_step.h). A
// batch is not held for long: a process that waits to write to one file must not wait for other
// files.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/dupes/act/undo_step.h"

namespace tidemill::dupes {

// One thread.
class UndoBatch {
 public:
  static constexpr std::chrono::milliseconds kLongest{500};

  UndoBatch(const PairTools& tools, Undoer& undoer, const Clock& clock)
      : tools_(tools), undoer_(undoer), clock_(clock) {}

  void add(PlanStep step, engine::TaskId id);
  // The outcome of each step since the last call, in the order in which they were added. Undone
  // steps are on the disk.
  [[nodiscard]] std::vector<Tried<void>> finish();

 private:
  struct HeldStep {
    std::size_t at = 0;  // in outcomes_
    Undoing work{};
  };

  void clear();
  void sync_files();
  enum class Due : std::uint8_t { all, rest };
  void sync_folders(Due due);
  template <class Part>
  void each(Part part);
  [[nodiscard]] Tried<void>& outcome(const HeldStep& held) { return outcomes_[held.at]; }

  const PairTools& tools_;
  Undoer& undoer_;
  const Clock& clock_;
  Instant since_{};  // when the oldest step was added
  std::vector<HeldStep> held_;
  std::vector<Tried<void>> outcomes_;
};

}  // namespace tidemill::dupes
