// Workbench: where pairs lie between their halves, until one sync of each folder has served them
// all. They do not lie long: a waiting writer must not wait for others' files.
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
class Workbench {
 public:
  static constexpr std::chrono::milliseconds kLongest{500};

  // Without a console nobody is told of single steps.
  Workbench(const PairTools& tools, const Clock& clock, command::Console* console)
      : tools_(tools), clock_(clock), console_(console) {}

  // The first half, and the second when it must not wait. A stop leaves the task pending.
  void work(engine::TaskId id, Step step);
  // The second half of everything.
  void clear();

  // News for the journal since the last call.
  [[nodiscard]] std::vector<engine::Entry> take_news();
  void tell(engine::TaskId id, std::string duplicate, const Refusal& refusal);
  void tell(engine::TaskId id, const Step& step);
  // Before news of a task that had failed.
  void revive(engine::TaskId id);
  [[nodiscard]] std::uint64_t won() const { return won_; }
  // A folder could not be synced. What lay on the bench went back and is pending.
  [[nodiscard]] const std::optional<Failure>& trouble() const { return trouble_; }

 private:
  struct Lying {
    engine::TaskId id = 0;
    Displaced pair{};
  };

  [[nodiscard]] bool sync_all(const std::vector<Lying>& lying);
  void put_all_back(std::vector<Lying>& lying);

  const PairTools& tools_;
  const Clock& clock_;
  command::Console* const console_;
  Instant since_{};  // of the oldest
  std::vector<Lying> lying_;
  std::vector<engine::Entry> news_;
  std::uint64_t won_ = 0;
  std::optional<Failure> trouble_;
};

}  // namespace tidemill::dupes
