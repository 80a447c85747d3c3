// Feeder: feeds the pending tasks of the journal to the pipeline, in order. New and resumed runs
// work the same way: every pending task is fed, while the finder may still be adding more.
//
// A task that was running when an earlier process crashed is a suspect. Suspects run last, those
// with the fewest crashes first, and each runs alone: if it crashes the program again, no other
// task is affected, and the next process knows for certain which task it was.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/jobs/tasks/finder.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::jobs {

// One thread, that of the pipeline's source.
class Feeder {
 public:
  struct Plan {
    FileOrder order = FileOrder::found;
    std::vector<engine::TaskId> only{};  // only these and new tasks; empty: all pending
    engine::TaskId first_new = 1;        // the lowest id of a task that the finder adds
    std::string_view task_type{};        // tasks of other types belong to the finder
  };

  // The part of the pipeline that the source uses. `sequence` numbers the tasks in the order in
  // which they were offered. put() returns false when the run stops.
  struct Intake {
    std::function<bool(const engine::TaskRecord& task, std::uint64_t sequence)> put;
    std::function<bool()> is_stopped;
  };
  // Waits until `fed` tasks have left the pipeline; false: the run stops.
  using WaitSettled = std::function<bool(std::uint64_t fed)>;

  Feeder(Plan plan, const journal::SqliteJournal& journal, Finder& finder, WaitSettled settled)
      : plan_(std::move(plan)), journal_(journal), finder_(finder), settled_(std::move(settled)) {}

  [[nodiscard]] Result<void> feed(const Intake& intake);

 private:
  [[nodiscard]] Result<void> feed_as_found(const Intake& intake, engine::TaskId after);
  [[nodiscard]] Result<void> feed_ids(const Intake& intake, const std::vector<engine::TaskId>& ids);
  [[nodiscard]] Result<void> feed_suspects(const Intake& intake);
  [[nodiscard]] bool offer(const Intake& intake, const engine::TaskRecord& task);
  [[nodiscard]] bool put(const Intake& intake, const engine::TaskRecord& task,
                         std::uint64_t sequence);

  const Plan plan_;
  const journal::SqliteJournal& journal_;
  Finder& finder_;
  const WaitSettled settled_;
  // A suspect runs last, but with --keep-order its output is printed in the order of the names.
  struct Suspect {
    engine::TaskRecord task;
    std::uint64_t sequence = 0;
  };

  std::uint64_t fed_ = 0;
  std::uint64_t sequence_ = 0;
  std::vector<Suspect> suspects_;
};

}  // namespace tidemill::jobs
