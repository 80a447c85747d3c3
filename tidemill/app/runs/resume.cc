#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "tidemill/app/program/program.h"
#include "tidemill/app/runs/resumed_run.h"
#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

using command::ValueKind;

// Runs a command without a journal again; the command itself stores its progress. The display flags
// and the fleet are those of this call, not of the first one.
Result<int> run_again(const run::RunFolder& folder, const Resumed& resumed, cli::CliContext& cli,
                      const App& app) {
  if (const std::string name = unrepeatable_input(resumed.values); !name.empty()) {
    const bool was_list = resumed.values.flags.contains("files-from");
    return std::unexpected(Failure{
        .cure = Cure::give_up,
        .step = folder.id(),
        .reason = "the command read " + (name == "-" ? "standard input" : text::printable(name)) +
                  ", which cannot be read a second time",
        .hint = was_list ? "give the list again: " + cli.program.name + " resume " + folder.id() +
                               " --files-from FILE"
                         : "type the command again with its input"});
  }
  command::Values values = resumed.values;
  const auto take = [&](const command::Flag& flag) {
    const auto chosen = cli.values.flags.find(flag.name);
    if (chosen != cli.values.flags.end()) values.flags[flag.name] = chosen->second;
  };
  std::ranges::for_each(cli.program.flags, take);
  const command::Verb* const verb = command::find_verb(cli.program, values.verb);
  for (const command::Flag& flag : verb != nullptr ? verb->flags : std::vector<command::Flag>()) {
    if (flag.is_of_call) take(flag);
  }
  LET(cli::CliContext again, cli::make_cli(cli.program, values));
  again.log = cli.log;  // opened already: the working directory has changed since
  again.resumed = {.folder = folder,
                   .line = resuming_text(folder.id(), resumed.words, cli.program)};
  return run_verb(app, resumed.card.job, again);
}

// The flags that are passed to the job.
std::vector<command::Flag> resume_flags(const App& app) {
  std::vector<command::Flag> flags = {
      {.name = "jobs",
       .letter = 'j',
       .aliases = {"workers", "w"},
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "parallel tasks; 0 = all cores",
       .is_configurable = false,
       .is_basic = true},
      {.name = "files-from",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "the list again, if it came through a pipe",
       .is_configurable = false,
       .is_basic = true},
      {.name = "rate",
       .kind = ValueKind::rate,
       .metavar = "N/s",
       .help = "maximum number of commands to start per second, minute or hour",
       .is_configurable = false},
      {.name = "timeout",
       .letter = 't',
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "time limit per command, request or book",
       .is_configurable = false,
       .is_basic = true},
      {.name = "attempts",
       .letter = 'a',
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "attempts per task for transient failures, including the first",
       .is_configurable = false},
      {.name = "json", .help = "print the summary as one JSON object", .is_configurable = false},
      {.name = "jsonl",
       .help = "print every event as one JSON object per line",
       .is_configurable = false}};
  std::ranges::move(jobs::call_flags(app.jobs), std::back_inserter(flags));
  return flags;
}

std::vector<command::Flag> all_flags(const App& app) {
  auto flags = resume_flags(app);
  flags.push_back({.name = "dry-run",
                   .letter = 'n',
                   .help = "print what would be resumed and run nothing",
                   .is_configurable = false,
                   .is_basic = true});
  return flags;
}

std::string left_text(const cli::RunStatus& run_status) {
  if (!run_status.has_journal) return "it has no journal: the command would run again";
  std::string text = text::counted(run_status.tally.pending(), "task") + " left of " +
                     text::count_text(run_status.tally.found());
  if (!run_status.card.has_found_all) text += "; the search for files is not finished";
  return text;
}

// For --dry-run: changes nothing, but refuses what a real resume would refuse.
Result<int> show_plan(const run::RunFolder& folder, const Resumed& resumed, cli::CliContext& cli) {
  const cli::RunStatus run_status = cli::run_status_at(folder);
  if (run_status.problem) return std::unexpected(*run_status.problem);
  std::string text = resuming_text(folder.id(), resumed.words, cli.program) + "\n";
  text.replace(0, text.find(' '), "would resume");
  text += left_text(run_status) + "\n";
  if (run_status.holder) text += "another process is working on this run\n";
  TRY(cli.console->out(text));
  return cli::kDone;
}

}  // namespace

command::Verb describe_resume(const App& app) {
  command::Verb verb{
      .name = "resume",
      .summary = "continue an unfinished run",
      .usage = {"%program resume RUN [OPTIONS]"},
      .examples = {{"%program resume last", "continue the newest run"},
                   {"%program resume last -n", "print what is left, and run nothing"},
                   {"%program resume 20261115-0431 -j 1",
                    "continue another run, one task at a "
                    "time"}},
      .description =
          {"Runs every task that is not done yet, with the options the run was started with and "
           "in the folder it was started in. Finished tasks are not run again. Tasks that were "
           "running when the run ended are run again. Failed tasks stay failed: retry them with "
           "%program failures RUN retry. A search for files that was interrupted continues where "
           "it stopped.",
           "If the previous process was killed, commands that it left running are ended first, so "
           "that no command runs twice at the same time. A task that was running in three crashes "
           "counts as failed, because it may be the cause.",
           "If the list of names came through a pipe and was not read to the end, give it again "
           "with --files-from. Names that were read before are skipped.",
           "Prints the run and its command on standard error first, unless you give -q. A flag "
           "that the verb of the run does not have is refused, and the run is not changed."},
      .arguments = {{.name = "RUN",
                     .help = std::string(kRunHelp),
                     .kind = ValueKind::run,
                     .is_required = true}},
      .flags = all_flags(app),
      .works = true,
      .prints_meanwhile = [](const command::Values& values) { return !values.is_on("json"); }};
  verb.description.emplace_back(kRunNames);
  if (!app.without_journal.empty()) {
    verb.description.insert(
        verb.description.begin() + 2,
        "A command that keeps no journal (" + app.without_journal +
            ") is run again in its folder. Its results are in its database, cache or catalogue, "
            "so it continues from there. A command that read standard input cannot be run again.");
  }
  return verb;
}

Result<int> run_resume(cli::CliContext& cli, const App& app) {
  const bool is_dry = cli.values.is_on("dry-run");
  if (is_dry && (cli.values.is_on("json") || cli.values.is_on("jsonl"))) {
    return command::misuse("--dry-run cannot be used with --json or --jsonl");
  }
  LET(const auto folder, cli.state.find(cli.values.argument("RUN").front()));
  // Checks everything it can before the run is opened.
  LET(const auto resumed, resumed_run(folder, resume_flags(app), cli, app));
  if (is_dry) return show_plan(folder, resumed, cli);
  if (folder.is_record()) return run_again(folder, resumed, cli, app);
  TRY(cli::log_for(cli));  // before a crash is recorded
  if (resumed.job == nullptr) return unknown_job(resumed.card.job);
  LET(const auto go_on, resumed.job->resume(resumed.values, cli));
  cli::SignalScope signal_scope(cli);
  LET(const auto run, run::Run::open(folder, cli.clock));
  cli.console->say(command::Tone::plain, resuming_text(folder.id(), resumed.words, cli.program));
  return go_on(*run, {}, signal_scope);
}

}  // namespace tidemill::app
