#include "tidemill/cli/dupes_act.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/cli/exit_code.h"
#include "tidemill/jobs/dupes/act.h"
#include "tidemill/jobs/dupes/plan.h"
#include "tidemill/text/json.h"
#include "tidemill/text/quantity.h"

namespace tidemill::cli {
namespace {

using command::Tone;
using text::count_text;

Result<std::string> current_folder() {
  std::error_code wrong;
  const auto here = std::filesystem::current_path(wrong);
  if (wrong) return fail(Cure::give_up, "start", "the current folder: " + wrong.message());
  return here.string();
}

Result<int> show(dupes::Groups& groups, const dupes::Options& options, command::Console& console) {
  LET(const auto here, current_folder());
  if (options.action == dupes::Action::script) {
    TRY(write_script(groups, options, here, console));
    return kDone;
  }
  LET(const auto totals, show_plan(groups, options, here, console));
  const bool links = options.action == dupes::Action::hardlink;
  console.say(Tone::plain,
              "Planned: " + count_text(totals.steps - totals.declined) + " steps to win " +
                  text::bytes_text({totals.wins}) + ", declined: " + count_text(totals.declined) +
                  ". Nothing was changed; --apply does it." +
                  (links && totals.declined > 0
                       ? " --ignore-difference links files that differ in their times, "
                         "modes, owners or attributes."
                       : ""));
  return kDone;
}

std::string json_of(const dupes::ActReport& report, const std::string& run) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("actions").key("run").value(run);
  json.key("found").value(report.found).key("done").value(report.done);
  json.key("declined").value(report.declined).key("failed").value(report.failed);
  json.key("pending").value(report.pending).key("won").value(report.won).end_object();
  return line + "\n";
}

// How it went, and what can be typed next.
std::string text_of(const dupes::ActReport& report, const std::string& id, bool is_planned) {
  std::string text =
      "Run " + id + ": " + count_text(report.done) + " done, " + text::bytes_text({report.won}) +
      " won; declined: " + count_text(report.declined) + ", failed: " + count_text(report.failed);
  if (report.pending > 0) text += ", left: " + count_text(report.pending);
  text += ".";
  if (!is_planned) {
    text += "\nIt was stopped before all was planned: give the command again for the rest.";
  }
  std::vector<std::string> next;
  if (report.pending > 0) next.push_back("tidemill resume " + id + " goes on");
  if (report.done > 0) next.push_back("tidemill undo " + id + " takes it back");
  if (report.declined + report.failed > 0) {
    next.push_back("tidemill show " + id + " --tasks says what was not done, and why");
  }
  for (std::size_t i = 0; i < next.size(); ++i) text += (i == 0 ? "\n" : "; ") + next[i];
  return next.empty() ? text : text + ".";
}

// Ends the run and tells how it went.
Result<int> end(durable::Run& run, const Result<dupes::ActReport>& done, bool is_json, Desk& desk,
                const Vigil& vigil) {
  if (!done) {
    (void)run.end(durable::kFailed, text_of(done.error()));
    return std::unexpected(done.error());
  }
  const bool is_over = done->pending == 0;
  TRY(run.end(is_over ? durable::kComplete : durable::kInterrupted));
  const std::string& id = run.folder().id();
  if (is_json) TRY(desk.console->out(json_of(*done, id)));
  LET(const auto planned, run.journal().note("found_all"));
  const bool is_planned = planned == "1";
  const bool is_good = is_over && is_planned && done->failed + done->declined == 0;
  desk.console->say(is_good ? Tone::good : Tone::warning, text_of(*done, id, is_planned));
  if (is_over && !is_planned) return kFailed;
  if (!is_over) return exit_code_of(vigil.signals.first());
  return done->failed > 0 ? kSomeFailed : kDone;
}

bool is_machine(const dupes::Options& options) {
  return options.report == dupes::Report::json || options.report == dupes::Report::jsonl;
}

}  // namespace

Result<int> act_on(dupes::Groups& groups, const dupes::Options& options, Desk& desk, Vigil& vigil,
                   command::Context& context) {
  if (!options.apply) return show(groups, options, *desk.console);
  LET(const auto here, current_folder());
  LET(const auto run, durable::Run::create(desk.state,
                                           {.job = "dupes",
                                            .arguments = desk.values.as_arguments(),
                                            .directory = here,
                                            .version = desk.program.version},
                                           desk.clock));
  const auto done = dupes::act(groups, options, *run, context);
  return end(*run, done, is_machine(options), desk, vigil);
}

Result<int> resume_dupes(durable::Run& run, Desk& desk, Vigil& vigil) {
  TRY(go_to_folder_of(run.card()));
  LET(const auto log, log_for(desk));
  command::Context context = vigil.context(desk, *log);
  const auto done = dupes::resume_actions(run, context);
  const auto asks_for = [&](std::string_view flag) {
    return desk.values.flags.contains(flag) && desk.values.is_on(flag);  // not every verb has it
  };
  return end(run, done, asks_for("json") || asks_for("jsonl"), desk, vigil);
}

}  // namespace tidemill::cli
