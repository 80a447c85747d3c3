#include "tidemill/jobs/each/command/command_runner.h"

#ifdef TIDEMILL_PLANT
#include <cstdlib>
#endif
#include <stop_token>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/proc/leftovers.h"
#include "tidemill/io/proc/program.h"
#include "tidemill/jobs/each/output/output.h"

namespace tidemill::each {
namespace {

constexpr std::chrono::milliseconds kShortWait{500};
// While other commands run, a shortage may pass when they end, however long they take. When none is
// running and none could be started for this long, the shortage is permanent.
constexpr std::chrono::seconds kLongestShortage{30};

std::string result_of(const proc::Exit& exit) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(exit.wall).count());
}

}  // namespace

std::string mark_entry(const std::string& mark) { return "TIDEMILL_MARK=" + mark; }

struct CommandRunner::Worker {
  std::unique_ptr<proc::Runner> runner;
  proc::Launch launch;
  Guarded<engine::TaskId> running{0};  // whose bell end_task() may ring
};

Result<std::unique_ptr<CommandRunner>> CommandRunner::make(const Context& context) {
  const EachOptions& options = context.options;
  LET(auto program, program_of(context));
  std::unique_ptr<CommandRunner> made(new CommandRunner(context, std::move(program)));
  for (std::size_t i = 0; i < options.workers; ++i) {
    LET(auto runner, proc::Runner::make({.cap = options.keep_output,
                                         .spill_folder = context.spill_folder,
                                         .grace = options.grace}));
    auto worker = std::make_unique<Worker>();
    worker->runner = std::move(runner);
    worker->launch.path = made->program_;
    worker->launch.folder = context.folder;
    worker->launch.additions = {mark_entry(context.mark), "", "", "TIDEMILL_RUN=" + context.run_id};
    made->workers_.push_back(std::move(worker));
  }
  return made;
}

CommandRunner::CommandRunner(const Context& context, std::string program)
    : context_(context),
      program_(std::move(program)),
      placeholders_(context.options.shell ? std::vector<std::string>{"sh"}
                                          : context.options.command) {}

CommandRunner::~CommandRunner() = default;

Result<engine::Verdict<EachResult>> CommandRunner::perform(EachItem& item,
                                                           engine::TaskContext& task) {
  // The run is halting, but the pool has not dropped this task yet: do not start it or fail it.
  if (has_halted_.load()) return task.defer(kShortWait, "the run is halting");
  Worker& worker = *workers_[task.worker()];
  task.note(item.name);
  forget(item.last.out);  // of the previous attempt
  forget(item.last.err);
  bool timed_out = false;
  context_.in_flight.takes(task.worker(), item.id);
#ifdef TIDEMILL_PLANT  // deliberate fault (tests/faults): marks the task as done before it starts
  const char* const plant = std::getenv("TIDEMILL_PLANT");
  if (plant != nullptr && std::string_view(plant) == "early") {
    context_.in_flight.finish(engine::Done{.id = item.id, .attempts = task.attempt()});
  }
#endif
  running_.fetch_add(1);
  auto finished = run(worker, item, task, timed_out);
  // The machine is short of processes, memory or descriptors: not a failure of the task.
  const bool is_shortage = !finished && finished.error().kind == FailureKind::shortage;
  if (!is_shortage) short_since_.lock()->reset();  // before this command counts as ended
  const bool is_alone = running_.fetch_sub(1) == 1;
  if (!finished) {
    context_.in_flight.takes(task.worker(), 0);
    Failure& failure = finished.error();
    if (is_shortage) {
      if (!has_reported_shortage_.exchange(true)) context_.on_shortage(failure);
      if (is_alone && lasts_too_long()) return task.fatal(std::move(failure));
      return task.defer(kShortWait, std::move(failure.reason));
    }
    if (is_final(failure, task)) count(true);
    return std::unexpected(std::move(failure));
  }
  item.last = *std::move(finished);
  auto verdict = conclude(item, task, timed_out);
  context_.in_flight.takes(task.worker(), 0);
  return verdict;
}

bool CommandRunner::lasts_too_long() {
  const Instant now = context_.clock.now();
  auto since = short_since_.lock();
  const Instant first = since->value_or(now);
  *since = first;
  return now - first > kLongestShortage;
}

Result<proc::Finished> CommandRunner::run(Worker& worker, const EachItem& item,
                                          engine::TaskContext& task, bool& timed_out) {
  const std::string id = std::to_string(item.id);
  const std::string attempt = std::to_string(task.attempt());
  worker.launch.additions[1] = "TIDEMILL_TASK=" + id;
  worker.launch.additions[2] = "TIDEMILL_ATTEMPT=" + attempt;
  if (context_.options.shell) {
    worker.launch.arguments = shell_arguments(context_.options.command.front(), item.name);
  } else {
    placeholders_.expand(item.name, item.id, worker.launch.arguments);
  }
  proc::StopBell& bell = worker.runner->bell();
  bell.reset();
  // end_all() sets urge_ before it rings the bells, so a ring that was lost in the reset is seen
  // here.
  if (urge_.load() != proc::StopUrge::none) return task.stopped();
  note_running(worker, item.id);
  Result<proc::Finished> finished;
  {
    // The token fires at the deadline of this task and when the pool stops. A stopping pool does
    // not stop the commands: end_all() does that later.
    std::atomic<bool> is_late = false;
    const std::stop_callback at_deadline(task.stop(), [&] {
      if (!task.deadline() || context_.clock.now() < *task.deadline()) return;
      is_late.store(true);
      bell.ring(proc::StopUrge::end);
    });
    finished = worker.runner->run(worker.launch, id + "-" + attempt);
    timed_out = is_late.load();
  }
  note_running(worker, 0);
  if (finished && finished->exit.was_urged) {
    // A grandchild that left the process group still has the task's id in its environment.
    (void)proc::end_marked({worker.launch.additions[0], worker.launch.additions[1]},
                           Instant::duration::zero());
  }
  return finished;
}

Result<engine::Verdict<EachResult>> CommandRunner::conclude(EachItem& item,
                                                            engine::TaskContext& task,
                                                            bool timed_out) {
  const proc::Exit& exit = item.last.exit;
  timed_out = timed_out && exit.was_urged;
  if (exit.was_urged && !timed_out) return task.stopped();
  const auto judged = judge({.status = exit.status, .signal = exit.signal, .timed_out = timed_out},
                            context_.options.verdict);
  const bool ends_here = judged || is_final(judged.error(), task);
  if (ends_here) TRY(context_.keep(task, item, judged ? nullptr : &judged.error()));
  if (judged) {
    EachResult ran{.result = result_of(exit)};
    context_.in_flight.finish(
        engine::Done{.id = item.id, .attempts = task.attempt(), .result = ran.result});
    count(false);
    return ran;
  }
  if (ends_here) {
    context_.in_flight.finish(engine::Died{.id = item.id,
                                           .attempts = task.attempt(),
                                           .failure = judged.error(),
                                           .at = context_.clock.wall()});
    count(true);
  }
  return std::unexpected(judged.error());
}

bool CommandRunner::is_final(const Failure& failure, const engine::TaskContext& task) const {
  return !context_.options.retry.after(failure, task.attempt(), 0);
}

void CommandRunner::count(bool has_failed) {
  const std::uint64_t settled = settled_.fetch_add(1) + 1;
  if (!has_failed) return;
  const std::uint64_t failed = failed_.fetch_add(1) + 1;
  const auto manner =
      context_.options.halt.decide(failed, settled, context_.letters_before + failed);
  if (manner == HaltRule::Manner::never) return;
  has_halted_.store(true);
  context_.on_halt(manner);
}

void CommandRunner::note_running(Worker& worker, engine::TaskId task) {
  *worker.running.lock() = task;
}

// A path of the command is below the folder in which it starts.
Result<std::string> CommandRunner::program_of(const Context& context) {
  if (context.options.shell) return proc::resolve_program("/bin/sh");
  const std::string& name = context.options.command.front();
  const bool is_below = name.find('/') != std::string::npos && !name.starts_with('/');
  if (context.folder.empty() || !is_below) return proc::resolve_program(name);
  return proc::resolve_program(context.folder + "/" + name);
}

void CommandRunner::end_task(engine::TaskId id, proc::StopUrge urge) {
  for (const auto& worker : workers_) {
    const auto running = worker->running.lock();
    if (*running == id) worker->runner->bell().ring(urge);
  }
}

void CommandRunner::end_all(proc::StopUrge urge) {
  urge_.store(urge);
  for (const auto& worker : workers_) worker->runner->bell().ring(urge);
}

}  // namespace tidemill::each
