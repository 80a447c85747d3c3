// Clerk: writes down how tasks ended and what follows from it, in one commit. The sink of the
// pipeline.
//
//   command   done, skipped, or a letter and with it a notice for the document
//   document  done, and with it a task for each command in it that is new
//
// What a task leads to is in the journal with its own end, or neither is: nothing is lost between.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/performer.h"
#include "tidemill/jobs/docs/register.h"
#include "tidemill/state/journal/patience.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::docs {

// One thread: the sink's.
class Clerk {
 public:
  using OnSettled = std::function<Result<void>(const DocsPipeline::Item&)>;

  Clerk(journal::SqliteJournal& journal, journal::Patience& patience, Register& tasks,
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
  void tell_register(const DocsPipeline::Item& item);

  journal::SqliteJournal& journal_;
  journal::Patience& patience_;
  Register& tasks_;
  const std::string run_id_;
  const Clock& clock_;
  const OnSettled on_settled_;
};

}  // namespace tidemill::docs
