// Printer: writes the outputs of finished tasks to where the user wants them: one complete output
// after another, never interleaved; with --keep-order in the order of the names; with --results
// into files.
//
//   worker ── keep: log, or --results ── outcome noted ──► print ──► sync ──► the journal's commit
//
// A task is done once its output is printed, or is in a file from which the next process prints it.
// So keep() must come before the outcome is noted anywhere, and print() and sync() before it is
// committed. An output that waits for its turn longer than a batch is held in files (unprinted.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/files/held_folder.h"
#include "tidemill/jobs/each/command/command_runner.h"
#include "tidemill/jobs/each/output/output_log.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::each {

// One thread, that of the sink; only keep() is called by the workers.
class Printer {
 public:
  // `left`: the outputs that an earlier process did not print, ordered by id.
  [[nodiscard]] static Result<std::unique_ptr<Printer>> make(const EachOptions& options,
                                                             std::string spill_folder,
                                                             command::Console& console,
                                                             std::vector<TaskOutput> left);

  // Call it before the first task: prints the outputs left by an earlier process, unless they have
  // a place in the order of this one.
  [[nodiscard]] Result<void> start();

  // Stores the output in the log, or in files of --results. Called by that worker, before the
  // outcome is noted anywhere. `failure`: how the task failed, or null. After a failure with
  // Cure::retry the call may be repeated.
  [[nodiscard]] Result<void> keep(std::size_t worker, EachItem& item, int attempts,
                                  const Failure* failure);

  // Call it before the task is marked as done. After a failure, unprinted output is left for the
  // next process.
  [[nodiscard]] Result<void> print(EachPipeline::Item&& item);

  // Holds the outputs that still wait for their turn in files, and syncs these, the files of
  // --results and output that was printed to a file. Called once per batch, so that no task is
  // committed as done before its output is durable.
  [[nodiscard]] Result<void> sync();

  // Call it after the last task: prints the outputs that still wait for their turn.
  [[nodiscard]] Result<void> finish();

 private:
  Printer(const EachOptions& options, std::string spill_folder, command::Console& console,
          std::vector<TaskOutput> left, std::unique_ptr<OutputLog> log)
      : options_(options),
        spill_folder_(std::move(spill_folder)),
        console_(console),
        left_(std::move(left)),
        log_(std::move(log)) {}

  // The output of a task that waits for its turn.
  struct Waiting {
    TaskOutput output{};
    OutputLog::Record record{};
    bool is_held = false;
  };

  [[nodiscard]] bool has_turn(std::uint64_t sequence) const;
  [[nodiscard]] Result<void> print_first();
  [[nodiscard]] Result<void> print_left(engine::TaskId before);
  [[nodiscard]] Result<void> write(TaskOutput& output) const;

  const EachOptions& options_;
  const std::string spill_folder_;
  command::Console& console_;
  std::optional<files::HeldFolder> results_{};  // of --results
  std::vector<TaskOutput> left_;
  std::size_t left_printed_ = 0;
  const std::unique_ptr<OutputLog> log_;
  std::uint64_t next_ = 0;  // the sequence whose turn it is
  std::map<std::uint64_t, Waiting> waiting_;
};

}  // namespace tidemill::each
