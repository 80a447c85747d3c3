#include "tidemill/jobs/each/command/performer.h"

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
// While other commands run, a shortage may pass with their end, however long they take. When none
// runs and none could start for so long, it does not.
constexpr std::chrono::seconds kLongestShortage{30};

std::string result_of(const proc::Exit& exit) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(exit.wall).count());
}

}  // namespace

std::string mark_entry(const std::string& mark) { return "TIDEMILL_MARK=" + mark; }

struct Performer::Hand {
  std::unique_ptr<proc::Runner> runner;
  proc::Launch launch;
};

Result<std::unique_ptr<Performer>> Performer::make(const Surroundings& around) {
  const Options& options = around.options;
  LET(auto program, proc::resolve_program(options.shell ? "/bin/sh" : options.command.front()));
  std::unique_ptr<Performer> performer(new Performer(around, std::move(program)));
  for (std::size_t i = 0; i < options.workers; ++i) {
    LET(auto runner, proc::Runner::make({.cap = options.keep_output,
                                         .spill_folder = around.spill_folder,
                                         .grace = options.grace}));
    auto hand = std::make_unique<Hand>();
    hand->runner = std::move(runner);
    hand->launch.path = performer->program_;
    hand->launch.additions = {mark_entry(around.mark), "", "", "TIDEMILL_RUN=" + around.run_id};
    performer->hands_.push_back(std::move(hand));
  }
  return performer;
}

Performer::Performer(const Surroundings& around, std::string program)
    : around_(around),
      program_(std::move(program)),
      placeholders_(around.options.shell ? std::vector<std::string>{"sh"}
                                         : around.options.command) {}

Performer::~Performer() = default;

Result<engine::Verdict<Ran>> Performer::perform(Piece& piece, engine::TaskContext& context) {
  // Halted, and not yet dropped by the pool: not now, and not as a failure.
  if (has_halted_.load()) return context.defer(kShortWait, "the run is halting");
  Hand& hand = *hands_[context.worker()];
  context.note(piece.name);
  forget(piece.last.out);  // of the attempt before
  forget(piece.last.err);
  bool timed_out = false;
  around_.slate.takes(context.worker(), piece.id);
#ifdef TIDEMILL_PLANT  // a fault on purpose, see tests/faults: it is done before it has begun
  const char* const plant = std::getenv("TIDEMILL_PLANT");
  if (plant != nullptr && std::string_view(plant) == "early") {
    around_.slate.finish(engine::Done{.id = piece.id, .attempts = context.attempt()});
  }
#endif
  running_.fetch_add(1);
  auto finished = run(hand, piece, context, timed_out);
  // The machine is short of processes, memory or descriptors: no fault of the task.
  const bool is_shortage = !finished && finished.error().kind == FailureKind::shortage;
  if (!is_shortage) short_since_.lock()->reset();  // before it counts as ended
  const bool is_alone = running_.fetch_sub(1) == 1;
  if (!finished) {
    around_.slate.takes(context.worker(), 0);
    Failure& failure = finished.error();
    if (is_shortage) {
      if (!has_told_of_shortage_.exchange(true)) around_.on_shortage(failure);
      if (is_alone && lasts_too_long()) return context.fatal(std::move(failure));
      return context.defer(kShortWait, std::move(failure.reason));
    }
    if (is_final(failure, context)) count(true);
    return std::unexpected(std::move(failure));
  }
  piece.last = *std::move(finished);
  auto verdict = conclude(piece, context, timed_out);
  around_.slate.takes(context.worker(), 0);
  return verdict;
}

bool Performer::lasts_too_long() {
  const Instant now = around_.clock.now();
  auto since = short_since_.lock();
  const Instant first = since->value_or(now);
  *since = first;
  return now - first > kLongestShortage;
}

Result<proc::Finished> Performer::run(Hand& hand, const Piece& piece, engine::TaskContext& context,
                                      bool& timed_out) {
  const std::string task = std::to_string(piece.id);
  const std::string attempt = std::to_string(context.attempt());
  hand.launch.additions[1] = "TIDEMILL_TASK=" + task;
  hand.launch.additions[2] = "TIDEMILL_ATTEMPT=" + attempt;
  if (around_.options.shell) {
    hand.launch.arguments = shell_arguments(around_.options.command.front(), piece.name);
  } else {
    placeholders_.expand(piece.name, piece.id, hand.launch.arguments);
  }
  proc::Bell& bell = hand.runner->bell();
  bell.reset();
  // Whoever ends all commands sets the urge before it rings, so a ring that this reset swallowed is
  // seen here.
  if (urge_.load() != proc::Urge::none) return context.stopped();
  Result<proc::Finished> finished;
  {
    // The token fires for the deadline of this task and when the pool stops. A pool that stops does
    // not hurry the commands: end_all() does, when it is time.
    std::atomic<bool> is_late = false;
    const std::stop_callback at_deadline(context.stop(), [&] {
      if (!context.deadline() || around_.clock.now() < *context.deadline()) return;
      is_late.store(true);
      bell.ring(proc::Urge::end);
    });
    finished = hand.runner->run(hand.launch, task + "-" + attempt);
    timed_out = is_late.load();
  }
  if (finished && finished->exit.was_urged) {
    // A grandchild that left the process group still has the task's name in its environment.
    (void)proc::end_marked({hand.launch.additions[0], hand.launch.additions[1]},
                           Instant::duration::zero());
  }
  return finished;
}

Result<engine::Verdict<Ran>> Performer::conclude(Piece& piece, engine::TaskContext& context,
                                                 bool timed_out) {
  const proc::Exit& exit = piece.last.exit;
  timed_out = timed_out && exit.was_urged;
  if (exit.was_urged && !timed_out) return context.stopped();
  const auto judged = judge({.status = exit.status, .signal = exit.signal, .timed_out = timed_out},
                            around_.options.verdict);
  const bool ends_here = judged || is_final(judged.error(), context);
  if (ends_here) TRY(around_.keep(context, piece, judged ? nullptr : &judged.error()));
  if (judged) {
    Ran ran{.result = result_of(exit)};
    around_.slate.finish(
        engine::Done{.id = piece.id, .attempts = context.attempt(), .result = ran.result});
    count(false);
    return ran;
  }
  if (ends_here) {
    around_.slate.finish(engine::Died{.id = piece.id,
                                      .attempts = context.attempt(),
                                      .failure = judged.error(),
                                      .at = around_.clock.wall()});
    count(true);
  }
  return std::unexpected(judged.error());
}

bool Performer::is_final(const Failure& failure, const engine::TaskContext& context) const {
  return !around_.options.retry.after(failure, context.attempt(), 0);
}

void Performer::count(bool has_failed) {
  const std::uint64_t settled = settled_.fetch_add(1) + 1;
  if (!has_failed) return;
  const std::uint64_t failed = failed_.fetch_add(1) + 1;
  const auto manner = around_.options.halt.decide(failed, settled, around_.letters_before + failed);
  if (manner == HaltRule::Manner::never) return;
  has_halted_.store(true);
  around_.on_halt(manner);
}

void Performer::end_all(proc::Urge urge) {
  urge_.store(urge);
  for (const auto& hand : hands_) hand->runner->bell().ring(urge);
}

}  // namespace tidemill::each
