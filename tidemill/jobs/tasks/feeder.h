// Feeder: hands the pending tasks of the journal to the pipeline, in order. A new run and a resumed
// one are the same to it: what is pending is fed, while the finder may still be adding to it.
//
// A task in whose hands an earlier process died is a suspect. Suspects come last, the least
// suspicious first, and each runs alone: if it kills the program again, nothing else is hurt, and
// the next process knows for certain which one it was.
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

// One thread: the pipeline's source.
class Feeder {
 public:
  struct Plan {
    Order order = Order::found;
    std::vector<engine::TaskId> only{};  // these, and what is new; empty: all pending
    engine::TaskId first_new = 1;        // the finder's tasks begin here
    std::string_view task_type{};        // others are the finder's
  };

  // The pipeline, as far as its source sees it. `sequence` numbers the tasks in the order in which
  // they were offered. False: the run stops.
  struct Intake {
    std::function<bool(const engine::TaskRecord& task, std::uint64_t sequence)> put;
    std::function<bool()> is_stopped;
  };
  // `settled` waits until so many tasks have left the pipeline; false: the run stops.
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
  // A suspect runs last; with --keep-order its output still has the place of its name.
  struct Suspect {
    engine::TaskRecord task;
    std::uint64_t sequence = 0;
  };

  std::uint64_t fed_ = 0;
  std::uint64_t sequence_ = 0;
  std::vector<Suspect> suspects_;
};

}  // namespace tidemill::jobs
