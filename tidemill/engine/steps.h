// Steps: a task made of several steps, which goes on where the last attempt stopped.
//
//   load checkpoint ─► stop asked? ─► run the step ─► save the checkpoint ─► next step …
//
// The checkpoint is saved before the next step begins, so a step whose checkpoint was saved never
// runs again. One that ran and was not saved (the process died, the save failed) does: a step must
// be idempotent, and must do the same with the same data.
//
// When a step fails:
//   critical       the task fails with the step's name; Cure::retry becomes Cure::resume when
//                  earlier steps are kept, every other cure stays
//   not critical   a warning is kept, the step counts as done and is not tried again, its data are
//                  those it was given. One that insists is tried again first, as long as the task
//                  has attempts left and there is hope (Cure::retry). While a stop is asked for,
//                  the failure may be nothing but the stop: then it is Cure::resume, and the step
//                  runs again
// Cure::later is no failure of either: the task is put off and comes back to this step.
// A save that fails is a failure of the task with the cure of the save. A stop is looked at before
// each step and is Cure::resume. A checkpoint that does not fit the plan (the program changed
// between two attempts) is Cure::give_up. A step that throws is not caught here but by the pool.
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

// Usually asks the task's context; must answer quickly.
using StopAsked = std::function<bool()>;

struct StepContext {
  TaskId task = 0;
  const std::string& data;  // what the step before handed on
  const StopAsked& stop_asked;
};

struct Step {
  std::string name{};    // unique in its plan
  bool critical = true;  // false: the task is worth having without it
  bool insists = false;  // not critical, and yet worth the attempts that the task has left
  std::function<Result<std::string>(const StepContext&)> run{};  // hands on the data for the next
};

struct StepsReport {
  std::size_t steps_run = 0;            // in this call; steps done by earlier attempts do not count
  std::vector<std::string> warnings{};  // of all attempts
  std::string data{};                   // of the last step
};

// Where a task goes on: its checkpoint, or a new one that carries `data` to the first step.
[[nodiscard]] Result<Checkpoint> starting_point(const std::vector<Step>& plan,
                                                std::optional<Checkpoint> kept, std::string data);

// What the outcome of `step` means: the checkpoint to save, or the failure of the task.
[[nodiscard]] Result<Checkpoint> settle_step(const Step& step, Checkpoint before,
                                             Result<std::string> outcome, bool stop_asked,
                                             bool is_last_attempt = true);

// Immutable: one plan may serve many tasks at once, if its steps may.
class Steps final {
 public:
  explicit Steps(std::vector<Step> plan);

  // `data` goes to the first step. The checkpoint of the last step stays: it is removed together
  // with the task's own end, or a crash between the two would start the task anew.
  [[nodiscard]] Result<StepsReport> run(TaskId task, Checkpoints& checkpoints,
                                        const StopAsked& stop_asked, std::string data = {},
                                        bool is_last_attempt = true) const;
  // The same for a task of a pool: its id, and its stop or deadline.
  [[nodiscard]] Result<StepsReport> run(const TaskContext& context, Checkpoints& checkpoints,
                                        std::string data = {}, bool is_last_attempt = true) const;

 private:
  std::vector<Step> plan_;
};

}  // namespace tidemill::engine
