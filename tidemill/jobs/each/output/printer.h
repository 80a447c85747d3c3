// Printer: puts the outputs of finished tasks where the user wants them: one whole output after the
// other, never mixed; with --keep-order in the order of the names; with --results into files.
//
//   worker ── keep: log, or --results ── outcome noted ──► print ──► sync ──► the journal's commit
//
// A task is done once its output is out, or is in a file from which the next process prints it. So
// keep() comes before the outcome is noted anywhere, and print() and sync() before it is committed.
// An output that waits for its turn longer than a batch is held in files (unprinted.h).
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
#include "tidemill/jobs/each/command/performer.h"
#include "tidemill/jobs/each/output/output_log.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::each {

// One thread, the sink's; only keep() by the workers.
class Printer {
 public:
  // `left`: what an earlier process did not print, by id.
  [[nodiscard]] static Result<std::unique_ptr<Printer>> make(const Options& options,
                                                             std::string spill_folder,
                                                             command::Console& console,
                                                             std::vector<TaskOutput> left);

  // Before the first task: prints what was left, unless it has a turn among those to come.
  [[nodiscard]] Result<void> start();

  // By that worker, before the outcome is noted anywhere: the output is in the log, or in files of
  // --results. `failure`: how the task failed, or null. A failure with Cure::retry may be tried
  // again.
  [[nodiscard]] Result<void> keep(std::size_t worker, Piece& piece, int attempts,
                                  const Failure* failure);

  // Before the task is marked done. A failure: what was not printed is left for the next process.
  [[nodiscard]] Result<void> print(EachPipeline::Item&& item);

  // What was kept or held is on the disk when it returns, and so is what was printed into a file:
  // once a batch, so that a done mark is never older than the output it stands for.
  [[nodiscard]] Result<void> sync();

  // No more will come: what still waits for its turn is printed.
  [[nodiscard]] Result<void> finish();

 private:
  Printer(const Options& options, std::string spill_folder, command::Console& console,
          std::vector<TaskOutput> left, std::unique_ptr<OutputLog> log)
      : options_(options),
        spill_folder_(std::move(spill_folder)),
        console_(console),
        left_(std::move(left)),
        log_(std::move(log)) {}

  // A task that has its output and waits for its turn.
  struct Waiting {
    TaskOutput output{};
    OutputLog::Record record{};
    bool is_held = false;
  };

  [[nodiscard]] bool has_turn(std::uint64_t sequence) const;
  [[nodiscard]] Result<void> print_first();
  [[nodiscard]] Result<void> print_left(engine::TaskId before);
  [[nodiscard]] Result<void> write(TaskOutput& output) const;

  const Options& options_;
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
