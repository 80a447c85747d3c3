// ResultWriter: writes the results of tasks, and the tasks that follow from them, in one commit.
// The sink of the pipeline.
//
//   command   done, skipped, or a dead letter together with a notice for the document
//   document  done, together with a task for each new command in it
//
// A task's end and its follow-up tasks are committed together or not at all, so nothing is lost in
// between.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/command_executor.h"
#include "tidemill/jobs/docs/register.h"
#include "tidemill/state/journal/disk_full_wait.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::docs {

// One thread: the pipeline's sink.
class ResultWriter {
 public:
  using OnSettled = std::function<Result<void>(const DocsPipeline::Item&)>;

  ResultWriter(journal::SqliteJournal& journal, journal::DiskFullWait& patience, Register& tasks,
               std::string run_id, const Clock& clock, OnSettled on_settled)
      : journal_(journal),
        patience_(patience),
        tasks_(tasks),
        run_id_(std::move(run_id)),
        clock_(clock),
        on_settled_(std::move(on_settled)) {}

  [[nodiscard]] Result<void> settle(std::span<DocsPipeline::Item> batch);

 private:
  struct Page {
    std::vector<engine::Entry> entries{};
    std::vector<engine::Found> found{};
  };

  void write(const DocsPipeline::Item& item, Page& page);
  void write_failure(const DocsPipeline::Item& item, const Failure& failure, Page& page);
  void update_register(const DocsPipeline::Item& item);

  journal::SqliteJournal& journal_;
  journal::DiskFullWait& patience_;
  Register& tasks_;
  const std::string run_id_;
  const Clock& clock_;
  const OnSettled on_settled_;
};

}  // namespace tidemill::docs
