#include "tidemill/jobs/dupes/act/act.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/jobs/dupes/act/act_recover.h"
#include "tidemill/jobs/dupes/act/made_folders.h"
#include "tidemill/jobs/dupes/act/plan.h"
#include "tidemill/jobs/dupes/act/step_worker.h"

namespace tidemill::dupes {
namespace {

using engine::Checkpointed;
using engine::Entry;
using engine::Found;
using engine::Skipped;
using engine::TaskId;
using engine::TaskRecord;
using engine::TaskState;

constexpr std::size_t kPlanBatch = 1'024;  // entries in one commit

// A planted fault that the fault-injection sweep must find: failed steps are not recovered.
#ifdef TIDEMILL_PLANT
constexpr bool kSeesFailed = false;
#else
constexpr bool kSeesFailed = true;
#endif

Checkpointed checkpoint_of(TaskId id, const PlanStep& step) {
  return {.id = id,
          .checkpoint = {.steps_done = step.is_begun ? 1U : 0U,
                         .last_step = step.is_begun ? "prepare" : "",
                         .data = packed(step)}};
}

Result<void> commit(run::Run& run, std::vector<Entry>& entries) {
  if (entries.empty()) return {};
  TRY(run.journal().commit(entries));
  entries.clear();
  return {};
}

// Records every step of every group as a task.
Result<void> write_plan(Groups& groups, const DupesOptions& options, run::Run& run,
                        const command::Context& context) {
  const std::stop_token& stop = context.stop;
  std::vector<Entry> entries;
  LET(TaskId next, run.journal().next_id());
  Result<void> written;
  const auto on_step = [&](const Planned& planned) {
    const TaskId id = next++;
    entries.emplace_back(Found{.id = id,
                               .type = std::string(type_of(planned.step.action)),
                               .subject = planned.step.duplicate.path,
                               .weight = planned.step.stamp.size});
    if (planned.declined.empty()) {
      entries.emplace_back(checkpoint_of(id, planned.step));
    } else {
      entries.emplace_back(Skipped{.id = id, .reason = planned.declined});
      if (context.console.wants_items()) {
        context.console.settled({.name = planned.step.duplicate.path,
                                 .state = command::ItemState::bad,
                                 .details = {planned.declined}});
      }
    }
    if (entries.size() >= kPlanBatch) written = commit(run, entries);
    return written.has_value() && !stop.stop_requested();
  };
  TRY(groups.each([&](const Group& group) { return each_step(group, options, on_step); }));
  TRY(written);
  if (stop.stop_requested()) return commit(run, entries);
  // In one commit: after a crash in between, the plan would be complete and not known to be so.
  return run.journal().commit(entries,
                              std::vector<journal::Note>{{.key = "found_all", .value = "1"}});
}

// A task of a page, with its step.
struct PageTask {
  TaskId id = 0;
  PlanStep step{};
};

Result<std::vector<PageTask>> tasks_of(run::Run& run, const std::vector<TaskRecord>& page,
                                       StepWorker& step_worker) {
  std::vector<PageTask> tasks;
  for (const TaskRecord& record : page) {
    LET(const auto checkpoint, run.journal().checkpoint(record.id));
    auto step = checkpoint ? step_of(checkpoint->data) : std::nullopt;
    if (step) {
      tasks.push_back({.id = record.id, .step = *std::move(step)});
    } else if (record.state == TaskState::pending) {
      step_worker.record(record.id, record.subject,
                         failed("the journal entry of this step cannot be read").error());
    }
  }
  return tasks;
}

Result<void> commit_entries(run::Run& run, StepWorker& step_worker) {
  std::vector<Entry> entries = step_worker.take_entries();
  return commit(run, entries);
}

Result<void> work_on(std::vector<PageTask> tasks, const PairTools& tools, run::Run& run,
                     MadeFolders& made, StepWorker& step_worker) {
  std::vector<PageTask> prepared;
  std::vector<Entry> entries;
  for (PageTask& task : tasks) {
    std::string duplicate = task.step.duplicate.path;
    if (auto step = prepare(tools, std::move(task.step))) {
      prepared.push_back({.id = task.id, .step = *std::move(step)});
      entries.emplace_back(checkpoint_of(task.id, prepared.back().step));
    } else {
      step_worker.record(task.id, std::move(duplicate), step.error());
    }
  }
  TRY(commit(run, entries));  // from here on another process can recover the steps
  for (PageTask& task : prepared) {
    if (tools.stop.stop_requested()) break;
    step_worker.work(task.id, std::move(task.step));
  }
  step_worker.clear();
  tools.places.forget();
  TRY(made.add(tools.places.take_made(), run.journal()));
  TRY(commit_entries(run, step_worker));
  if (const std::optional<Failure>& failure = step_worker.sync_failure())
    return std::unexpected(*failure);
  return {};
}

// All tasks in one state, page by page.
template <class Each>
Result<void> each_page(run::Run& run, StepWorker& step_worker, TaskState state,
                       const std::stop_token& stop, Each each) {
  TaskId after = 0;
  while (!stop.stop_requested()) {
    LET(const auto page, state == TaskState::pending ? run.journal().pending(after, kBatch)
                                                     : run.journal().tasks(after, kBatch, state));
    if (page.empty()) return {};
    after = page.back().id;
    LET(auto tasks, tasks_of(run, page, step_worker));
    TRY(each(std::move(tasks)));
  }
  return {};
}

// A failed step that has left nothing behind stays failed, with its reason.
void recover_one(PageTask task, bool was_dead, const PairTools& tools, StepWorker& step_worker,
                 Dropped& dropped) {
  const std::string path = task.step.duplicate.path;
  if (was_dead) dropped.steps.push_back(task.step);
  auto answer = recover(tools, task.step, task.id);
  if (!answer && is_out_of_files(answer.error())) {
    tools.places.forget();  // closes cached folders
    answer = recover(tools, std::move(task.step), task.id);
  }
  if (!answer && answer.error().kind == Refusal::Kind::stopped) return;
  if (!answer) {
    if (was_dead) step_worker.revive(task.id);
    step_worker.record(task.id, path, answer.error());
    if (answer.error().kind == Refusal::Kind::failed) {
      dropped.failed.push_back({.path = path, .reason = answer.error().reason});
    }
  } else if (const std::optional<PlanStep>& done = answer->done) {
    if (was_dead) step_worker.revive(task.id);
    step_worker.record(task.id, *done);
  } else if (answer->has_changed) {
    dropped.back.push_back(path);
  }
}

Result<Dropped> recover_all(run::Run& run, const PairTools& tools, StepWorker& step_worker) {
  Dropped dropped;
  for (const TaskState state : {TaskState::dead, TaskState::pending}) {
    if (!kSeesFailed && state == TaskState::dead) continue;
    TRY(each_page(
        run, step_worker, state, tools.stop, [&](std::vector<PageTask> tasks) -> Result<void> {
          for (PageTask& task : tasks) {
            recover_one(std::move(task), state == TaskState::dead, tools, step_worker, dropped);
          }
          tools.places.forget();
          return commit_entries(run, step_worker);
        }));
  }
  return dropped;
}

Result<ActReport> report_of(run::Run& run, const StepWorker& step_worker) {
  LET(const engine::Tally tally, run.journal().tally());
  return ActReport{.found = tally.found(),
                   .done = tally.done(),
                   .declined = tally.skipped(),
                   .failed = tally.failed(),
                   .pending = tally.pending(),
                   .reclaimed = step_worker.reclaimed()};
}

// The objects that steps need, for the duration of one call.
class ActSession {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ActSession>> open(run::Run& run,
                                                                const command::Context& context,
                                                                command::Console* console,
                                                                const ActHooks& hooks = {}) {
    LET(auto places, PairPlaces::from(run.card().directory));
    LET(auto comparer, Comparer::make());
    LET(auto made, MadeFolders::read(run.journal()));
    return std::unique_ptr<ActSession>(new ActSession(run, context, console, std::move(places),
                                                      std::move(comparer), std::move(made), hooks));
  }

  Result<Dropped> recover_begun() { return recover_all(run_, tools_, step_worker_); }
  Result<ActReport> work_off() {
    TRY(each_page(run_, step_worker_, TaskState::pending, tools_.stop,
                  [&](std::vector<PageTask> tasks) {
                    return work_on(std::move(tasks), tools_, run_, made_, step_worker_);
                  }));
    return report_of(run_, step_worker_);
  }
  Result<void> drop_rest(Dropped& dropped) {
    const auto drop = [&](std::vector<PageTask> tasks) {
      for (PageTask& task : tasks) {
        step_worker_.record(task.id, task.step.duplicate.path,
                            declined("undone before it was started").error());
        dropped.steps.push_back(std::move(task.step));
      }
      return commit_entries(run_, step_worker_);
    };
    return each_page(run_, step_worker_, TaskState::pending, tools_.stop, drop);
  }

 private:
  ActSession(run::Run& run, const command::Context& context, command::Console* console,
             PairPlaces places, Comparer comparer, MadeFolders made, const ActHooks& hooks)
      : run_(run),
        places_(std::move(places)),
        comparer_(std::move(comparer)),
        made_(std::move(made)),
        tools_{.places = places_,
               .comparer = comparer_,
               .mark = run.card().mark,
               .stop = context.stop,
               .hook = hooks.moment,
               .probe = &probe_},
        step_worker_(tools_, context.clock, console) {}

  run::Run& run_;
  PairPlaces places_;
  Comparer comparer_;
  MadeFolders made_;
  ShareProbe probe_;
  const PairTools tools_;
  StepWorker step_worker_;
};

}  // namespace

Result<ActReport> act(Groups& groups, const DupesOptions& options, run::Run& run,
                      command::Context& context, const ActHooks& hooks) {
  TRY(write_plan(groups, options, run, context));
  LET(const auto session, ActSession::open(run, context, &context.console, hooks));
  return session->work_off();
}

Result<ActReport> resume_actions(run::Run& run, command::Context& context, const ActHooks& hooks) {
  LET(const auto session, ActSession::open(run, context, &context.console, hooks));
  TRY(session->recover_begun());
  return session->work_off();
}

Result<Dropped> drop_pending(run::Run& run, command::Context& context) {
  LET(const auto session, ActSession::open(run, context, nullptr));
  LET(Dropped dropped, session->recover_begun());
  TRY(session->drop_rest(dropped));
  return dropped;
}

}  // namespace tidemill::dupes
