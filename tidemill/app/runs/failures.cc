#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/runs/failure_actions.h"
#include "tidemill/app/runs/failure_choice.h"
#include "tidemill/app/runs/failure_text.h"
#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/pages.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using command::ValueKind;
using engine::Letter;
using journal::SqliteJournal;
using run::RunFolder;

// Visits the matching dead letters, a page at a time.
template <class Visit>
Result<void> each_matching(const SqliteJournal& journal, const FailureChoice& choice,
                           const Visit& visit) {
  return cli::each_page([&](auto after, auto limit) { return journal.letters(after, limit); },
                        [&](std::vector<Letter>& page) -> Result<void> {
                          std::erase_if(
                              page, [&](const Letter& letter) { return !choice.matches(letter); });
                          return page.empty() ? Result<void>() : visit(page);
                        });
}

std::string table_of(const std::vector<Letter>& page, bool is_first) {
  constexpr auto kRight = term::Align::right;
  term::Table table({{.heading = "TASK", .align = kRight},
                     {.heading = "ATTEMPTS", .align = kRight},
                     {.heading = "LAST FAILED", .align = kRight},
                     {.heading = "REASON"},
                     {.heading = "NAME"}});
  for (const Letter& letter : page) {
    const engine::TaskFailures& history = letter.failures;
    table.add({std::to_string(letter.id), std::to_string(letter.attempts),
               cli::local_minute(history.last),
               history.failure.step + ": " + history.failure.reason, letter.subject});
  }
  return cli::rows_of(table, is_first);
}

Result<int> export_failures(const SqliteJournal& journal, const FailureChoice& choice,
                            cli::CliContext& cli) {
  TRY(each_matching(journal, choice, [&](const std::vector<Letter>& page) -> Result<void> {
    std::string lines;
    for (const Letter& letter : page) lines += json_of(letter) + "\n";
    return cli.console->out(lines);
  }));
  return cli::kDone;
}

// Prints one object without holding all of it in memory.
Result<int> list_as_json(const RunFolder& folder, const SqliteJournal& journal,
                         const FailureChoice& choice, cli::CliContext& cli) {
  std::string head;
  text::JsonWriter json(head);
  json.begin_object().key("v").value(1).key("run").value(folder.id()).key("failures");
  TRY(cli.console->out(head + "["));
  bool is_first = true;
  TRY(each_matching(journal, choice, [&](const std::vector<Letter>& page) -> Result<void> {
    std::string part;
    for (const Letter& letter : page) {
      part += (std::exchange(is_first, false) ? "" : ",") + json_of(letter);
    }
    return cli.console->out(part);
  }));
  TRY(cli.console->out("]}\n"));
  return cli::kDone;
}

Result<int> list_failures(const RunFolder& folder, const SqliteJournal& journal,
                          const FailureChoice& choice, cli::CliContext& cli) {
  if (cli.values.is_on("jsonl")) return export_failures(journal, choice, cli);
  if (cli.values.is_on("json")) return list_as_json(folder, journal, choice, cli);
  bool is_first = true;
  TRY(each_matching(journal, choice, [&](const std::vector<Letter>& page) {
    return cli.console->out(table_of(page, std::exchange(is_first, false)));
  }));
  if (is_first) cli.console->say(command::Tone::plain, "no failures");
  return cli::kDone;
}

Result<int> show_failures(const SqliteJournal& journal, const FailureChoice& choice,
                          cli::CliContext& cli) {
  LET(const auto ids, chosen_letters(choice, journal));
  const bool is_json = cli.values.is_on("json") || cli.values.is_on("jsonl");
  bool is_first = true;
  for (const engine::TaskId id : ids) {
    LET(const auto letter, journal.letter(id));
    if (!letter) continue;  // retried or dropped since it was chosen
    const std::string gap = std::exchange(is_first, false) ? "" : "\n";
    TRY(cli.console->out(is_json ? json_of(*letter) + "\n" : gap + text_of(*letter)));
  }
  if (ids.empty()) cli.console->say(command::Tone::plain, "no matching failures");
  return cli::kDone;
}

Result<void> demand_choice(const FailureChoice& choice, const std::string& action) {
  if (!choice.is_empty()) return {};
  return command::misuse(action + ": no task given", "give task numbers, --all or --reason TEXT");
}

Result<void> refuse_tasks(const FailureChoice& choice, const std::string& action,
                          const command::Program& program) {
  if (choice.tasks.empty()) return {};
  return command::misuse(action + " takes no task numbers",
                         "use " + program.name + " failures RUN show TASK for one task");
}

// Refuses flags that the action does not use.
Result<void> check_report(const cli::CliContext& cli, const std::string& action) {
  const command::Values& values = cli.values;
  const bool is_json = values.is_on("json");
  const bool is_jsonl = values.is_on("jsonl");
  const bool is_dry = values.is_on("dry-run");
  if (is_json && is_jsonl) return command::misuse("--json cannot be used with --jsonl");
  if (is_dry && action != "retry" && action != "drop") {
    return command::misuse("--dry-run is only for retry and drop");
  }
  if (is_json || is_jsonl) {
    const std::string flag = is_json ? "--json" : "--jsonl";
    if (is_dry) return command::misuse(flag + " cannot be used with --dry-run");
    if (action == "drop") return command::misuse(flag + " cannot be used with drop");
  }
  if (action == "export" && is_json) {
    return command::misuse("--json cannot be used with export",
                           "use " + cli.program.name + " failures RUN list --json");
  }
  return {};
}

// For --dry-run: lists what retry or drop would change.
Result<int> list_chosen(const SqliteJournal& journal, const FailureChoice& choice,
                        const std::string& action, cli::CliContext& cli) {
  LET(const auto ids, chosen_letters(choice, journal));
  if (ids.empty()) {
    cli.console->say(command::Tone::plain, "no matching failures");
    return cli::kDone;
  }
  bool is_first = true;
  for (std::span<const engine::TaskId> left(ids); !left.empty();) {
    std::vector<Letter> page;
    for (const engine::TaskId id : left.first(std::min(left.size(), cli::kPage))) {
      LET(auto letter, journal.letter(id));
      if (letter) page.push_back(*std::move(letter));
    }
    left = left.subspan(std::min(left.size(), cli::kPage));
    TRY(cli.console->out(table_of(page, std::exchange(is_first, false))));
  }
  cli.console->say(
      command::Tone::plain,
      "would " + action + " " + text::counted(ids.size(), "task") + "; nothing was changed");
  return cli::kDone;
}

std::vector<command::Argument> failure_arguments() {
  return {
      {.name = "RUN", .help = std::string(kRunHelp), .kind = ValueKind::run, .is_required = true},
      {.name = "ACTION",
       .help = "list, show, retry, drop or export",
       .kind = ValueKind::choice,
       .choices = {"list", "show", "retry", "drop", "export"}},
      {.name = "TASK", .help = "numbers of tasks", .kind = ValueKind::count, .is_list = true}};
}

}  // namespace

command::Verb describe_failures(const App& app) {
  command::Verb verb{
      .name = "failures",
      .aliases = {"letters"},
      .summary = "list failed tasks, retry them or drop them",
      .usage = {"%program failures RUN [list|export] [--reason TEXT] [OPTIONS]",
                "%program failures RUN show|retry|drop TASK... [OPTIONS]",
                "%program failures RUN show|retry|drop --all|--reason TEXT [OPTIONS]"},
      .examples = {{"%program failures last", "list what failed in the newest run, and why"},
                   {"%program failures last retry --all", "run all failed tasks again"},
                   {"%program failures last show 17", "show task 17 with the end of its output"},
                   {"%program failures last retry --reason 'status 75'",
                    "retry only those that failed for this reason"},
                   {"%program failures last drop 17 21", "stop listing these tasks"}},
      .description =
          {"A task that failed for good is kept with its name, the number of attempts, the reason "
           "and the end of what its command wrote.",
           "list prints one line per failed task and is the default action. show prints all "
           "details of some of them. export prints all details of all of them, one JSON object "
           "per line.",
           "retry runs exactly these tasks again, with the options the run was started with and "
           "in its folder. If you interrupt it, the tasks that have not run yet are pending, and "
           "%program resume runs them. drop removes tasks from this list; they count as failed "
           "from then on. Both change nothing if one of the tasks is not a failed task. "
           "The exit status of retry is that of a run. The other actions exit with 0, whether or "
           "not there are failures.",
           std::string(kRunNames)},
      .arguments = failure_arguments(),
      .flags = {{.name = "all",
                 .help = "all failed tasks of the run",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "reason",
                 .kind = ValueKind::text,
                 .metavar = "TEXT",
                 .help = "only tasks whose reason contains TEXT",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "dry-run",
                 .letter = 'n',
                 .help = "list the tasks that retry or drop would take",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "json",
                 .help = "print the list, or the report of retry, as one JSON object",
                 .is_configurable = false},
                {.name = "jsonl",
                 .help = "print the list, or the events of retry, as JSON lines",
                 .is_configurable = false,
                 .is_basic = true}},
      .works = true,
      .prints_meanwhile = [](const command::Values& values) { return !values.is_on("json"); }};
  std::ranges::move(jobs::call_flags(app.jobs), std::back_inserter(verb.flags));
  return verb;
}

Result<int> run_failures(cli::CliContext& cli, const App& app) {
  const auto& actions = cli.values.argument("ACTION");
  const std::string action = actions.empty() ? "list" : actions.front();
  LET(const FailureChoice choice, choice_of(cli.values));
  const bool is_for_some = action == "show" || action == "retry" || action == "drop";
  if (action != "retry") TRY(cli::refuse_work_flags(cli, "failures RUN retry"));
  TRY(is_for_some ? demand_choice(choice, action) : refuse_tasks(choice, action, cli.program));
  TRY(check_report(cli, action));
  LET(const auto folder, cli.state.find(cli.values.argument("RUN").front()));
  TRY(cli::demand_journal(folder, "failed tasks"));
  const bool is_dry = cli.values.is_on("dry-run");
  if (action == "retry" && !is_dry) return retry_failures(folder, choice, cli, app);
  if (action == "drop" && !is_dry) return drop_failures(folder, choice, cli);
  LET(const auto journal, cli::open_to_read(folder));
  if (is_dry) return list_chosen(*journal, choice, action, cli);
  if (action == "show") return show_failures(*journal, choice, cli);
  if (action == "export") return export_failures(*journal, choice, cli);
  return list_failures(folder, *journal, choice, cli);
}

}  // namespace tidemill::app
