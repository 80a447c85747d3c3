#include <algorithm>
#include <string>
#include <utility>

#include "tidemill/app/program/program.h"
#include "tidemill/app/runs/resumed_run.h"
#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/cli/vigil.h"

namespace tidemill::app {
namespace {

using command::Kind;

// A command without a journal: what it has done is remembered where it was done. It is shown as
// this time's flags say, not as it was the first time.
Result<int> run_again(const run::RunFolder& folder, const Resumed& resumed, cli::Desk& desk,
                      const App& app) {
  if (const std::string name = unrepeatable_input(resumed.values); !name.empty()) {
    return std::unexpected(
        Failure{.cure = Cure::give_up,
                .step = "resume",
                .reason = "it read " + (name == "-" ? "standard input" : text::printable(name)) +
                          ", which cannot be read a second time",
                .hint = "give the command again, with its input"});
  }
  command::Values values = resumed.values;
  for (const command::Flag& flag : desk.program.flags) {
    const auto chosen = desk.values.flags.find(flag.name);
    if (chosen != desk.values.flags.end()) values.flags[flag.name] = chosen->second;
  }
  LET(cli::Desk again, cli::make_desk(desk.program, values));
  again.log = desk.log;  // the folder is another one by now
  again.resumed = {.folder = folder,
                   .line = resuming_text(folder.id(), resumed.words, desk.program)};
  return run_verb(app, resumed.card.job, again);
}

std::vector<command::Flag> resume_flags() {
  return {{.name = "files-from",
           .kind = Kind::path,
           .metavar = "FILE",
           .help = "the list again, if it came from standard input and was not read to "
                   "its end; names already read are passed over",
           .is_configurable = false},
          {.name = "workers",
           .letter = 'w',
           .kind = Kind::count,
           .metavar = "N",
           .help = "workers: commands, files or books at the same time",
           .is_configurable = false},
          {.name = "rate",
           .kind = Kind::rate,
           .metavar = "N/s",
           .help = "start at most so many commands",
           .is_configurable = false},
          {.name = "timeout",
           .letter = 't',
           .kind = Kind::duration,
           .metavar = "TIME",
           .help = "time limit of a command, request or book",
           .is_configurable = false},
          {.name = "attempts",
           .letter = 'a',
           .kind = Kind::count,
           .metavar = "N",
           .help = "try so often what may pass by itself",
           .is_configurable = false},
          {.name = "json", .help = "print the summary as one object", .is_configurable = false},
          {.name = "jsonl",
           .help = "print an object a line for every event",
           .is_configurable = false}};
}

}  // namespace

command::Verb describe_resume(const App& app) {
  command::Verb verb{
      .name = "resume",
      .summary = "go on with a run that did not come to its end",
      .usage = {"%program resume RUN [OPTIONS]"},
      .examples = {{"%program resume last", "the newest run"},
                   {"%program resume 20261115-0431 -w 1", "another one, with one worker"}},
      .description =
          {"Runs every task that is not done, with the options the run was started with and in "
           "the folder it was started in. What is done stays done; what was running when the "
           "run ended is run again; what failed for good stays with the letters. A search for "
           "files that was cut short goes on where it was.",
           "If the process before was killed, what its commands have left running is ended "
           "first, so that no command runs twice at the same time. A task that was running at "
           "three crashes becomes a letter: it may be the cause.",
           "First the run and its command are named on standard error, unless -q is given. A "
           "flag that the job of the run does not have is refused, and the run is not "
           "touched."},
      .arguments = {{.name = "RUN",
                     .help = "an id, the beginning of one, or last",
                     .kind = Kind::text,
                     .is_required = true}},
      .flags = resume_flags(),
      .works = true,
      .prints_meanwhile = [](const command::Values& values) { return !values.is_on("json"); }};
  if (!app.without_journal.empty()) {
    verb.description.insert(
        verb.description.begin() + 2,
        "A command that keeps no journal (" + app.without_journal +
            ") is run again in its folder. What it has done is remembered in its database, shelf "
            "or catalogue, so it goes on from there. One that read standard input cannot be run "
            "again.");
  }
  return verb;
}

Result<int> run_resume(cli::Desk& desk, const App& app) {
  LET(const auto folder, desk.state.find(desk.values.argument("RUN").front()));
  // Whatever can be known to go wrong is found out before the run is opened.
  LET(const auto resumed, resumed_run(folder, describe_resume(app).flags, desk, app));
  if (folder.is_record()) return run_again(folder, resumed, desk, app);
  TRY(cli::log_for(desk));  // before a crash is taken note of
  if (resumed.job == nullptr) return unknown_job(resumed.card.job);
  LET(const auto go_on, resumed.job->resume(resumed.values, desk));
  cli::Vigil vigil(desk);
  LET(const auto run, run::Run::open(folder, desk.clock));
  desk.console->say(command::Tone::plain, resuming_text(folder.id(), resumed.words, desk.program));
  return go_on(*run, {}, vigil);
}

}  // namespace tidemill::app
