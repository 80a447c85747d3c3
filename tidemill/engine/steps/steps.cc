#include "tidemill/engine/steps.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::engine {
namespace {

bool fits(const std::vector<Step>& plan, const Checkpoint& kept) {
  if (kept.steps_done == 0) return true;
  return kept.steps_done <= plan.size() && plan[kept.steps_done - 1].name == kept.last_step;
}

}  // namespace

Result<Checkpoint> starting_point(const std::vector<Step>& plan, std::optional<Checkpoint> kept,
                                  std::string data) {
  if (!kept) return Checkpoint{.data = std::move(data)};
  if (fits(plan, *kept)) return *std::move(kept);
  return std::unexpected(Failure{
      .cure = Cure::give_up,
      .step = kept->last_step,
      .reason = "the checkpoint is at step " + std::to_string(kept->steps_done) + ", '" +
                kept->last_step + "', which does not match the " + std::to_string(plan.size()) +
                " steps of this program",
      .hint = "finish the task with the version that started it, or clear its checkpoint to "
              "start it from the beginning"});
}

Result<Checkpoint> settle_step(const Step& step, Checkpoint before, Result<std::string> outcome,
                               bool stop_asked, bool is_last_attempt) {
  Checkpoint after = std::move(before);
  if (outcome) {
    after.data = *std::move(outcome);
  } else {
    Failure failure = within(step.name, std::move(outcome).error());
    const bool keeps_steps = after.steps_done > 0;
    if (failure.cure == Cure::later) return std::unexpected(std::move(failure));
    if (step.critical) {
      if (failure.cure == Cure::retry && keeps_steps) failure.cure = Cure::resume;
      return std::unexpected(std::move(failure));
    }
    const bool is_retryable = failure.cure != Cure::give_up;
    if (stop_asked || (step.retries_until_last && is_retryable && !is_last_attempt)) {
      failure.cure = Cure::resume;
      return std::unexpected(std::move(failure));
    }
    after.warnings.push_back(step.name + ": " + failure.reason);
  }
  ++after.steps_done;
  after.last_step = step.name;
  return after;
}

Steps::Steps(std::vector<Step> plan) : plan_(std::move(plan)) {
  assert(std::ranges::all_of(plan_, [](const Step& step) { return step.run != nullptr; }));
}

Result<StepsReport> Steps::run(TaskId task, Checkpoints& checkpoints, const StopAsked& stop_asked,
                               std::string data, bool is_last_attempt) const {
  LET(auto kept, checkpoints.load(task));
  LET(Checkpoint at, starting_point(plan_, std::move(kept), std::move(data)));
  StepsReport report;
  while (at.steps_done < plan_.size()) {
    const Step& step = plan_[at.steps_done];
    if (stop_asked()) return fail(Cure::resume, step.name, "stopped before this step");
    auto outcome = step.run({.task = task, .data = at.data, .stop_asked = stop_asked});
    LET(at, settle_step(step, std::move(at), std::move(outcome), stop_asked(), is_last_attempt));
    ++report.steps_run;
    if (auto saved = checkpoints.save(task, at); !saved) {
      Failure failure = within(step.name, std::move(saved).error());
      failure.reason = "the step is done, but its checkpoint could not be saved: " + failure.reason;
      return std::unexpected(std::move(failure));
    }
  }
  report.warnings = std::move(at.warnings);
  report.data = std::move(at.data);
  return report;
}

Result<StepsReport> Steps::run(const TaskContext& context, Checkpoints& checkpoints,
                               std::string data, bool is_last_attempt) const {
  const StopAsked stop_asked = [&context] { return context.should_stop(); };
  return run(context.id(), checkpoints, stop_asked, std::move(data), is_last_attempt);
}

}  // namespace tidemill::engine
