// UndoBatch: steps that are undone together, so that a sync serves them all (undo_step.h). They do
// not wait long for each other: who wants to write to a file must not wait for others' files.
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

  void add(Step step, engine::TaskId id);
  // What became of each step since the last call, in the order in which they were added. What is
  // undone is on the disk.
  [[nodiscard]] std::vector<Tried<void>> finish();

 private:
  struct Lying {
    std::size_t at = 0;  // in outcomes_
    Undoing work{};
  };

  void clear();
  void sync_files();
  enum class Due : std::uint8_t { all, rest };
  void sync_folders(Due due);
  template <class Part>
  void each(Part part);
  [[nodiscard]] Tried<void>& outcome(const Lying& lying) { return outcomes_[lying.at]; }

  const PairTools& tools_;
  Undoer& undoer_;
  const Clock& clock_;
  Instant since_{};  // of the oldest
  std::vector<Lying> lying_;
  std::vector<Tried<void>> outcomes_;
};

}  // namespace tidemill::dupes
