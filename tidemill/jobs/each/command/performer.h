// Performer: runs the command for one file. The stage of the pipeline.
//
//   slate: in hand ── spawn, capture, wait ── verdict ── slate: finished ── answer
//
// The rule about failures (halt.h) is asked here, at once: when it says so, no further command is
// started, and whoever made the performer is told.
//
// An exit status counts when the process was reaped, and only then is it noted. A command that was
// told to end because the run stops has no outcome, whatever its status: it will be run again.
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
#include "tidemill/state/run/slate.h"

namespace tidemill::each {

inline constexpr std::string_view kTaskType = "command";

// One task on its way through the pipeline; after the stage with what its last attempt left.
struct Piece {
  engine::TaskId id = 0;
  std::string name{};
  std::uint64_t sequence = 0;  // in the order of feeding
  proc::Finished last{};
  std::string event{};         // with --jsonl: the line about it, once it has ended
  OutputLog::Record record{};  // of its output, until that is printed
};

// The result of a task that is done: kept in the journal as "<milliseconds>".
struct Ran {
  std::string result{};
};

using EachPipeline = engine::Pipeline<Piece, Ran>;

// The entry in the environment of every child of a run by which it is recognised.
[[nodiscard]] std::string mark_entry(const std::string& mark);

// Thread-safe: perform() by many workers, each with its own runner.
class Performer {
 public:
  struct Surroundings {
    const Options& options;
    const std::string& run_id;
    const std::string& mark;  // of the run, for its children
    const std::string& spill_folder;
    run::Slate& slate;
    const Clock& clock;
    std::uint64_t letters_before = 0;
    std::function<void(HaltRule::Manner)> on_halt{};    // may be called more than once
    std::function<void(const Failure&)> on_shortage{};  // the first time
    // The output, before the outcome is noted: by the worker, with how the task failed or null.
    std::function<Result<void>(const engine::TaskContext&, Piece&, const Failure*)> keep{};
  };

  [[nodiscard]] static Result<std::unique_ptr<Performer>> make(const Surroundings& around);
  Performer(const Performer&) = delete;
  Performer& operator=(const Performer&) = delete;
  ~Performer();

  [[nodiscard]] Result<engine::Verdict<Ran>> perform(Piece& piece, engine::TaskContext& context);

  // Every command that runs now is told to end; none is started any more.
  void end_all(proc::Urge urge);

 private:
  struct Hand;  // what one worker keeps between tasks

  Performer(const Surroundings& around, std::string program);
  [[nodiscard]] bool lasts_too_long();
  [[nodiscard]] Result<proc::Finished> run(Hand& hand, const Piece& piece,
                                           engine::TaskContext& context, bool& timed_out);
  [[nodiscard]] Result<engine::Verdict<Ran>> conclude(Piece& piece, engine::TaskContext& context,
                                                      bool timed_out);

  [[nodiscard]] bool is_final(const Failure& failure, const engine::TaskContext& context) const;
  void count(bool has_failed);

  const Surroundings around_;
  const std::string program_;
  const Placeholders placeholders_;
  std::atomic<proc::Urge> urge_ = proc::Urge::none;
  std::atomic<bool> has_halted_ = false;
  std::atomic<bool> has_told_of_shortage_ = false;
  Guarded<std::optional<Instant>> short_since_;  // no command could start since then
  std::atomic<std::uint64_t> running_ = 0;       // commands under way, or just being started
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> settled_ = 0;
  std::vector<std::unique_ptr<Hand>> hands_;
};

}  // namespace tidemill::each
