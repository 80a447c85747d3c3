#include "tidemill/jobs/dupes/act/work.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/act/act.h"
#include "tidemill/jobs/dupes/act/leftovers.h"
#include "tidemill/jobs/dupes/act/parts.h"
#include "tidemill/jobs/dupes/act/plan.h"
#include "tidemill/jobs/dupes/act/text.h"
#include "tidemill/state/history/history_recorder.h"
#include "tidemill/state/history/part_builder.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/run_exit.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::dupes {
namespace {

using command::Tone;

Result<std::string> current_folder() {
  std::error_code wrong;
  const auto here = std::filesystem::current_path(wrong);
  if (wrong) return fail(Cure::give_up, "start", "current folder: " + wrong.message());
  return here.string();
}

Result<int> show(Groups& groups, const DupesOptions& options, command::Console& console) {
  LET(const auto here, current_folder());
  if (options.action == Action::script) {
    TRY(write_script(groups, options, here, console));
    return cli::kDone;
  }
  LET(const auto totals, show_plan(groups, options, here, console));
  console.say(Tone::plain, text_of(totals, options.action));
  return cli::kDone;
}

// Whether there is anything to do: an empty run would become the last run, and `undo last` would no
// longer find the one that changed something.
Result<bool> has_steps(Groups& groups, const DupesOptions& options) {
  bool has_any = false;
  const auto on_step = [&](const Planned&) {
    has_any = true;
    return false;
  };
  TRY(groups.each([&](const Group& group) { return each_step(group, options, on_step); }));
  return has_any;
}

// The progress of the steps, for the live display. at() is called on the thread that may read the
// journal, look() by the reporter.
class StepWatch {
 public:
  explicit StepWatch(const journal::SqliteJournal& journal) : journal_(journal) {}

  void at(HookPoint point) {
    if (point != HookPoint::opened) return;
    if (begun_ == 0) {
      const auto tally = journal_.tally();
      found_ = tally ? tally->pending() : 0;
    }
    ++begun_;
  }
  // The final counts, including steps that were never opened.
  void end(const ActReport& report) {
    found_ = report.found;
    begun_ = report.done + 1;
    declined_ = report.declined;
    failed_ = report.failed;
  }
  [[nodiscard]] engine::ProgressInputs look() const {
    engine::ProgressInputs inputs;
    inputs.counts.skipped = declined_;
    inputs.counts.failed = failed_;
    const std::uint64_t begun = begun_;
    inputs.counts.found = found_;  // last, as end() sets it first: never less than the others
    inputs.counts.done = begun == 0 ? 0 : std::min(begun - 1, inputs.counts.found);
    inputs.is_total_known = begun > 0;
    return inputs;
  }

 private:
  const journal::SqliteJournal& journal_;
  std::atomic<std::uint64_t> found_{0};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> declined_{0};  // this and failed_ are set at the end
  std::atomic<std::uint64_t> failed_{0};
};

// Calls `act` with hooks that update the progress display. JSON progress covers only the search.
template <class Act>
Result<ActReport> watched(run::Run& run, const cli::CliContext& cli, cli::SignalScope& signal_scope,
                          Act act) {
  if (cli.values.text("progress") == "json") return act(ActHooks{});
  StepWatch watch(run.journal());
  history::HistoryRecorder history(&run.journal(), cli.clock);
  LET(const auto reporter, engine::ProgressReporter::start(
                               {}, [&] { return watch.look(); },
                               [&](const engine::ProgressSnapshot& seen) {
                                 history.observe(seen);
                                 signal_scope.console.show(seen);
                               },
                               cli.clock));
  auto done = act(ActHooks{.moment = [&](HookPoint point) { watch.at(point); }});
  if (done) watch.end(*done);
  reporter->finish();
  return done;
}

// Reports the outcome, the reasons for skipped and failed steps, and the commands to run next.
Result<void> tell(run::Run& run, const ActReport& report, bool is_planned, cli::CliContext& cli) {
  const std::string& id = run.folder().id();
  const bool is_good = is_planned && report.failed + report.declined + report.pending == 0;
  LET(const auto reasons, reasons_text(run.journal(), cli::columns_of(2)));
  std::string text = text_of(report, id);
  if (!is_planned) {
    text += "\nStopped before the plan was complete; run the command again for the rest.";
  }
  if (!reasons.empty()) text += "\n" + reasons;
  text += next_steps(report, id);
  cli.say_report(is_good ? Tone::good : Tone::warning, text);
  return {};
}

// For the report and the pages of the run. All its steps have one action, the type of their tasks.
void keep_history(run::Run& run, const ActReport& report) {
  const auto tasks = run.journal().tasks(0, 1, std::nullopt);
  const auto before = run.journal().history();
  if (!tasks || tasks->empty() || !before) return;
  history::keep_parts(&run.journal(), {steps_part(tasks->front().type, report, *before)});
}

// Ends the run and reports the outcome.
Result<int> end(run::Run& run, const Result<ActReport>& done, bool is_json, cli::CliContext& cli,
                const cli::SignalScope& signal_scope) {
  if (!done) {
    (void)run.end(run::kFailed, text_of(done.error()));
    return std::unexpected(done.error());
  }
  keep_history(run, *done);
  const std::string_view ending = done->pending == 0 ? run::kComplete : run::kInterrupted;
  TRY(run.end(ending));
  if (is_json) TRY(cli.console->out(json_of(*done, run.folder().id())));
  LET(const auto planned, run.journal().note("found_all"));
  const bool is_planned = planned == "1";
  TRY(tell(run, *done, is_planned, cli));
  return cli::exit_code_of(run, {.ending = ending, .signal = signal_scope.signals.first()}, {},
                           cli);
}

bool is_machine(const DupesOptions& options) {
  return options.report == DupesOutput::json || options.report == DupesOutput::jsonl;
}

}  // namespace

Result<int> act_on(Groups& groups, const DupesOptions& options, cli::CliContext& cli,
                   cli::SignalScope& signal_scope, command::Context& context,
                   cli::Recording& recording) {
  if (!options.apply) return show(groups, options, *cli.console);
  LET(const bool has_work, has_steps(groups, options));
  if (!has_work) {
    if (is_machine(options)) TRY(cli.console->out(json_of(ActReport{}, "")));
    cli.console->say(Tone::plain, kNothingToAct);
    return cli::kDone;
  }
  LET(const auto run, cli::create_run("dupes", cli));
  recording.hand_over();
  const auto done = watched(*run, cli, signal_scope, [&](const ActHooks& hooks) {
    return act(groups, options, *run, context, hooks);
  });
  return end(*run, done, is_machine(options), cli, signal_scope);
}

Result<int> resume_dupes(run::Run& run, const command::Values& values, cli::CliContext& cli,
                         cli::SignalScope& signal_scope) {
  cli.console->name_items(step_words());
  // Undone steps are not done again, and undo drops the pending ones (undo.h).
  LET(const auto undone, run.journal().note("undone.0"));
  LET(const auto tally, run.journal().tally());
  if (undone && tally.pending() == 0) {
    const std::string& id = run.folder().id();
    return std::unexpected(Failure{.cure = Cure::give_up,
                                   .step = id,
                                   .reason = "was undone and cannot be resumed",
                                   .hint = "use tidemill undo " + id + " to undo what is left"});
  }
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  TRY(run.mark_running());
  const auto done = watched(run, cli, signal_scope, [&](const ActHooks& hooks) {
    return resume_actions(run, context, hooks);
  });
  return end(run, done, values.is_on("json") || values.is_on("jsonl"), cli, signal_scope);
}

Result<int> undo_dupes(run::Run& run, cli::CliContext& cli, cli::SignalScope& signal_scope) {
  const std::string& id = run.folder().id();
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  LET(const auto report, undo(run, context));
  const bool is_whole = report.declined + report.failed + report.pending == 0;
  if (is_whole) TRY(run.end(cli::kUndone));
  if (cli.values.is_on("json")) TRY(cli.console->out(json_of(report, id)));
  cli.console->say(is_whole ? Tone::good : Tone::warning, text_of(report, id));
  if (report.pending > 0) return cli::exit_code_of(signal_scope.signals.first());
  return is_whole ? cli::kDone : cli::kSomeFailed;
}

Result<std::vector<std::string>> leftovers_text(const cli::RunStatus& run_status) {
  LET(const auto journal, cli::open_to_read(run_status.folder));
  const auto left = leftovers_of(*journal, run_status.card);
  std::vector<std::string> findings;
  if (!left) {  // the directory of the run may be on a disk that is not mounted
    findings.push_back("cannot read its folders: " + tidemill::text_of(left.error()));
    return findings;
  }
  for (const std::string& path : left->paths) {
    findings.push_back(path + " was left behind; tidemill resume " + run_status.folder.id() +
                       " or undo cleans it up or says why it cannot");
  }
  if (left->count > left->paths.size()) {
    findings.push_back("and " + text::count_text(left->count - left->paths.size()) + " more");
  }
  for (const std::string& reason : left->unread) findings.push_back(reason);
  return findings;
}

}  // namespace tidemill::dupes
