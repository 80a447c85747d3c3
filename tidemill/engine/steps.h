// Steps: a task of several steps that resumes where the last attempt stopped.
//
//   load checkpoint ─► stop asked? ─► run the step ─► save the checkpoint ─► next step …
//
// The checkpoint is saved before the next step begins, so a step whose checkpoint was saved never
// runs again. A step that ran but was not saved (the process died, the save failed) does run again:
// it must be idempotent, and do the same with the same data.
//
// When a step fails:
//   critical       the task fails with the step's name; Cure::retry becomes Cure::resume when
//                  earlier steps have checkpoints; every other cure stays
//   not critical   a warning is stored, the step counts as done and is not retried, and the next
//                  step gets the data that this one got. With retries_until_last it is retried
//                  first, while the task has attempts left and the cure is not give_up. During a
//                  stop the failure may be a consequence of the stop: it becomes Cure::resume, and
//                  the step runs again
// Cure::later is not a failure for either: the task is deferred and resumes at this step.
// If a save fails, the task fails with the cure of the save. A stop is checked before each step and
// gives Cure::resume. A checkpoint that does not match the plan (the program changed between two
// attempts) gives Cure::give_up. An exception from a step is caught by the pool, not here.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/checkpoints.h"
#include "tidemill/engine/task.h"
#include "tidemill/engine/task_context.h"

namespace tidemill::engine {

// Whether a stop was requested. Usually reads the task's context; must be fast.
using StopAsked = std::function<bool()>;

struct StepContext {
  TaskId task = 0;
  const std::string& data;  // what the previous step returned
  const StopAsked& stop_asked;
};

struct Step {
  std::string name{};               // unique in its plan
  bool critical = true;             // false: the task can succeed without it
  bool retries_until_last = false;  // not critical, but uses the attempts that the task has left
  std::function<Result<std::string>(const StepContext&)> run{};  // returns the data for the next
};

struct StepsReport {
  std::size_t steps_run = 0;            // in this call; steps done by earlier attempts do not count
  std::vector<std::string> warnings{};  // of all attempts
  std::string data{};                   // of the last step
};

// Where a task resumes: its checkpoint, or a new one with `data` for the first step.
[[nodiscard]] Result<Checkpoint> starting_point(const std::vector<Step>& plan,
                                                std::optional<Checkpoint> kept, std::string data);

// Maps the outcome of `step` to the checkpoint to save, or to the failure of the task.
[[nodiscard]] Result<Checkpoint> settle_step(const Step& step, Checkpoint before,
                                             Result<std::string> outcome, bool stop_asked,
                                             bool is_last_attempt = true);

// Immutable: many tasks may use one plan at once, if its steps are thread-safe.
class Steps final {
 public:
  explicit Steps(std::vector<Step> plan);

  // `data` goes to the first step. The checkpoint of the last step stays: it is removed in the
  // commit that ends the task. Otherwise a crash between the two would restart the task from the
  // beginning.
  [[nodiscard]] Result<StepsReport> run(TaskId task, Checkpoints& checkpoints,
                                        const StopAsked& stop_asked, std::string data = {},
                                        bool is_last_attempt = true) const;
  // The same for a task of a pool: uses its id, and its stop or deadline.
  [[nodiscard]] Result<StepsReport> run(const TaskContext& context, Checkpoints& checkpoints,
                                        std::string data = {}, bool is_last_attempt = true) const;

 private:
  std::vector<Step> plan_;
};

}  // namespace tidemill::engine
