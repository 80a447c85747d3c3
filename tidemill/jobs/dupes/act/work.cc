#include "tidemill/jobs/dupes/act/work.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/act/act.h"
#include "tidemill/jobs/dupes/act/leftovers.h"
#include "tidemill/jobs/dupes/act/plan.h"
#include "tidemill/jobs/dupes/act/text.h"
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

Result<int> show(Groups& groups, const Options& options, command::Console& console) {
  LET(const auto here, current_folder());
  if (options.action == Action::script) {
    TRY(write_script(groups, options, here, console));
    return cli::kDone;
  }
  LET(const auto totals, show_plan(groups, options, here, console));
  console.say(Tone::plain, text_of(totals, options.action));
  return cli::kDone;
}

// Whether there is anything to do: a run that could only be empty would be the last one, and hide
// from `undo last` the one that did something.
Result<bool> has_steps(Groups& groups, const Options& options) {
  bool has_any = false;
  const auto on_step = [&](const Planned&) {
    has_any = true;
    return false;
  };
  TRY(groups.each([&](const Group& group) { return each_step(group, options, on_step); }));
  return has_any;
}

// How far the steps have come, for the live block. at() is called where the journal may be asked,
// look() by the reporter.
class StepWatch {
 public:
  explicit StepWatch(const journal::SqliteJournal& journal) : journal_(journal) {}

  void at(Moment moment) {
    if (moment != Moment::opened) return;
    if (begun_ == 0) {
      const auto tally = journal_.tally();
      found_ = tally ? tally->pending() : 0;
    }
    ++begun_;
  }
  // Those that were never opened are counted, too.
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
  std::atomic<std::uint64_t> declined_{0};  // these two: at the end
  std::atomic<std::uint64_t> failed_{0};
};

// Calls `act` with hooks that the user can follow. Progress in JSON has ended with the search.
template <class Act>
Result<ActReport> watched(run::Run& run, const cli::Desk& desk, cli::Vigil& vigil, Act act) {
  if (desk.values.text("progress") == "json") return act(ActHooks{});
  StepWatch watch(run.journal());
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {}, [&] { return watch.look(); },
          [&](const engine::ProgressSnapshot& seen) { vigil.console.show(seen); }, desk.clock));
  auto done = act(ActHooks{.moment = [&](Moment moment) { watch.at(moment); }});
  if (done) watch.end(*done);
  reporter->finish();
  return done;
}

// Tells how it went, why steps were left, and what can be typed next.
Result<void> tell(run::Run& run, const ActReport& report, bool is_planned, cli::Desk& desk) {
  const std::string& id = run.folder().id();
  const bool is_good = is_planned && report.failed + report.declined + report.pending == 0;
  LET(const auto reasons, reasons_text(run.journal(), cli::columns_of(2)));
  std::string text = text_of(report, id);
  if (!is_planned) {
    text += "\nStopped before the plan was complete; run the command again for the rest.";
  }
  if (!reasons.empty()) text += "\n" + reasons;
  text += next_steps(report, id);
  desk.say_report(is_good ? Tone::good : Tone::warning, text);
  return {};
}

// Ends the run and tells how it went.
Result<int> end(run::Run& run, const Result<ActReport>& done, bool is_json, cli::Desk& desk,
                const cli::Vigil& vigil) {
  if (!done) {
    (void)run.end(run::kFailed, text_of(done.error()));
    return std::unexpected(done.error());
  }
  const std::string_view ending = done->pending == 0 ? run::kComplete : run::kInterrupted;
  TRY(run.end(ending));
  if (is_json) TRY(desk.console->out(json_of(*done, run.folder().id())));
  LET(const auto planned, run.journal().note("found_all"));
  const bool is_planned = planned == "1";
  TRY(tell(run, *done, is_planned, desk));
  return cli::exit_code_of(run, {.ending = ending, .signal = vigil.signals.first()}, {}, desk);
}

bool is_machine(const Options& options) {
  return options.report == Report::json || options.report == Report::jsonl;
}

}  // namespace

Result<int> act_on(Groups& groups, const Options& options, cli::Desk& desk, cli::Vigil& vigil,
                   command::Context& context, cli::Recording& recording) {
  if (!options.apply) return show(groups, options, *desk.console);
  LET(const bool has_work, has_steps(groups, options));
  if (!has_work) {
    if (is_machine(options)) TRY(desk.console->out(json_of(ActReport{}, "")));
    desk.console->say(Tone::plain, kNothingToAct);
    return cli::kDone;
  }
  LET(const auto run, cli::create_run("dupes", desk));
  recording.hand_over();
  const auto done = watched(*run, desk, vigil, [&](const ActHooks& hooks) {
    return act(groups, options, *run, context, hooks);
  });
  return end(*run, done, is_machine(options), desk, vigil);
}

Result<int> resume_dupes(run::Run& run, const command::Values& values, cli::Desk& desk,
                         cli::Vigil& vigil) {
  desk.console->name_items(step_words());
  // What was undone is not done again, and undo drops what was left (undo.h).
  LET(const auto undone, run.journal().note("undone.0"));
  LET(const auto tally, run.journal().tally());
  if (undone && tally.pending() == 0) {
    const std::string& id = run.folder().id();
    return std::unexpected(Failure{.cure = Cure::give_up,
                                   .step = id,
                                   .reason = "was undone and cannot be resumed",
                                   .hint = "use tidemill undo " + id + " to undo what is left"});
  }
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  TRY(run.mark_running());
  const auto done = watched(
      run, desk, vigil, [&](const ActHooks& hooks) { return resume_actions(run, context, hooks); });
  return end(run, done, values.is_on("json") || values.is_on("jsonl"), desk, vigil);
}

Result<int> undo_dupes(run::Run& run, cli::Desk& desk, cli::Vigil& vigil) {
  const std::string& id = run.folder().id();
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  LET(const auto report, undo(run, context));
  const bool is_whole = report.declined + report.failed + report.pending == 0;
  if (is_whole) TRY(run.end(cli::kUndone));
  if (desk.values.is_on("json")) TRY(desk.console->out(json_of(report, id)));
  desk.console->say(is_whole ? Tone::good : Tone::warning, text_of(report, id));
  if (report.pending > 0) return cli::exit_code_of(vigil.signals.first());
  return is_whole ? cli::kDone : cli::kSomeFailed;
}

Result<std::vector<std::string>> leftovers_text(const cli::Glance& glance) {
  LET(const auto journal, cli::open_to_read(glance.folder));
  const auto left = leftovers_of(*journal, glance.card);
  std::vector<std::string> findings;
  if (!left) {  // the folder in which the run began may be on a disk that is not there
    findings.push_back("cannot read its folders: " + tidemill::text_of(left.error()));
    return findings;
  }
  for (const std::string& path : left->paths) {
    findings.push_back(path + " was left behind; tidemill resume " + glance.folder.id() +
                       " or undo cleans it up or says why it cannot");
  }
  if (left->count > left->paths.size()) {
    findings.push_back("and " + text::count_text(left->count - left->paths.size()) + " more");
  }
  for (const std::string& reason : left->unread) findings.push_back(reason);
  return findings;
}

}  // namespace tidemill::dupes
