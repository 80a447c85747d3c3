// CommandRunner: runs the command for one file. It is the stage of the pipeline.
//
//   in-flight log: running ── spawn, capture, wait ── judge ── in-flight log: finished ── result
//
// The halt rule (halt.h) is evaluated here, immediately after each failure: when it applies, no
// further command is started and on_halt is called.
//
// An outcome is noted only after the process was reaped. A command that was terminated because the
// run stops has no outcome, whatever its exit status: it will be run again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/pipeline.h"
#include "tidemill/engine/task_context.h"
#include "tidemill/io/proc/runner.h"
#include "tidemill/jobs/each/command/placeholders.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/jobs/each/output/output_log.h"
#include "tidemill/state/run/in_flight_log.h"

namespace tidemill::each {

inline constexpr std::string_view kTaskType = "command";

// One task in the pipeline. After the stage it also holds the result of its last attempt.
struct EachItem {
  engine::TaskId id = 0;
  std::string name{};
  std::uint64_t sequence = 0;  // in the order in which tasks are fed
  proc::Finished last{};
  std::string event{};         // with --jsonl: its line, once the task has ended
  OutputLog::Record record{};  // of its output, until it is printed
};

// The result of a task that is done: stored in the journal as "<milliseconds>".
struct EachResult {
  std::string result{};
};

using EachPipeline = engine::Pipeline<EachItem, EachResult>;

// The environment variable that identifies every child process of a run.
[[nodiscard]] std::string mark_entry(const std::string& mark);

// Thread-safe: many workers call perform(), each with its own proc::Runner.
class CommandRunner {
 public:
  struct Context {
    const EachOptions& options;
    const std::string& run_id;
    const std::string& mark;  // of the run, passed to its child processes
    const std::string& spill_folder;
    std::string folder{};  // where commands start; empty: in the current folder
    run::InFlightLog& in_flight;
    const Clock& clock;
    std::uint64_t letters_before = 0;
    std::function<void(HaltRule::Manner)> on_halt{};    // may be called more than once
    std::function<void(const Failure&)> on_shortage{};  // called once, for the first shortage
    // Stores the output before the outcome is noted. Called by the worker, with the failure of the
    // task or null.
    std::function<Result<void>(const engine::TaskContext&, EachItem&, const Failure*)> keep{};
  };

  [[nodiscard]] static Result<std::unique_ptr<CommandRunner>> make(const Context& context);
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;
  ~CommandRunner();

  [[nodiscard]] Result<engine::Verdict<EachResult>> perform(EachItem& item,
                                                            engine::TaskContext& task);

  // Stops every running command; no further command is started.
  void end_all(proc::StopUrge urge);
  // Stops the command of one task, if it is running.
  void end_task(engine::TaskId id, proc::StopUrge urge);

 private:
  struct Worker;  // what one worker reuses between tasks

  CommandRunner(const Context& context, std::string program);
  [[nodiscard]] static Result<std::string> program_of(const Context& context);
  static void note_running(Worker& worker, engine::TaskId task);
  [[nodiscard]] bool lasts_too_long();
  [[nodiscard]] Result<proc::Finished> run(Worker& worker, const EachItem& item,
                                           engine::TaskContext& task, bool& timed_out);
  [[nodiscard]] Result<engine::Verdict<EachResult>> conclude(EachItem& item,
                                                             engine::TaskContext& task,
                                                             bool timed_out);

  [[nodiscard]] bool is_final(const Failure& failure, const engine::TaskContext& task) const;
  void count(bool has_failed);

  const Context context_;
  const std::string program_;
  const Placeholders placeholders_;
  std::atomic<proc::StopUrge> urge_ = proc::StopUrge::none;
  std::atomic<bool> has_halted_ = false;
  std::atomic<bool> has_reported_shortage_ = false;
  Guarded<std::optional<Instant>> short_since_;  // since when no command could be started
  std::atomic<std::uint64_t> running_ = 0;       // commands running or being started
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> settled_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace tidemill::each
