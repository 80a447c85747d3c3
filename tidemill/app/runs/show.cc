#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tidemill/app/runs/failure_text.h"
#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/pages.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using command::ValueKind;
using engine::TaskState;
using journal::FailureGroup;
using journal::SqliteJournal;
using text::count_text;
using text::printable;

std::string row(std::string_view name, std::string_view value) {
  return fmt::format("{:<18}{}\n", name, value);
}

std::string state_row(const cli::RunStatus& run_status) {
  std::string text = cli::state_text(run_status.state, run_status.holder);
  if (run_status.holder) {
    text += ", open in process " + std::to_string(run_status.holder->process);
    if (!run_status.holder->host.empty()) text += " on " + run_status.holder->host;
    if (!run_status.holder->since.empty()) text += " since " + run_status.holder->since;
  }
  return row("state", printable(text));
}

// Where its tasks ran, and what had to be done again.
std::string fleet_rows(const cli::RunStatus& run_status) {
  const run::RunCard& card = run_status.card;
  if (card.fleet.empty()) return "";
  const bool is_left_there = card.is_on_fleet && !run_status.holder;
  const char* const still = is_left_there ? ", which may still have some of its tasks" : "";
  const run::FleetTally& tally = card.fleet_tally;
  std::string work = count_text(tally.sent) + " sent";
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) work += fmt::format(", {} {}", count_text(count), what);
  };
  add(tally.taken_back, "taken back from silent workers");
  add(tally.missing, "lost by Redis and sent again");
  std::string text = row("fleet", printable(card.fleet) + still);
  if (tally.sent > 0) text += row("parcels", work);
  if (tally.stale > 0) text += row("late reports", count_text(tally.stale));
  return text;
}

std::string what_rows(const cli::RunStatus& run_status, const command::Program& program) {
  const run::RunCard& card = run_status.card;
  std::vector<std::string> words = {program.name, card.job};
  std::ranges::move(cli::chosen_arguments(card, program), std::back_inserter(words));
  std::string text = row("run", printable(run_status.folder.id()));
  text += row("job", printable(card.job)) + row("command", text::shell_line(words));
  text += row("directory", printable(card.directory)) + row("version", printable(card.version));
  text += row("folder", fmt::format("{} ({})", printable(run_status.folder.path()),
                                    text::bytes_text(run_status.folder.bytes())));
  text += row("started", cli::local_second(card.started));
  if (card.ended) text += row("ended", cli::local_second(*card.ended));
  text += state_row(run_status);
  if (!card.cause.empty()) text += row("cause", printable(card.cause));
  return text + fleet_rows(run_status);
}

std::string count_rows(const cli::RunStatus& run_status) {
  if (!run_status.has_journal) return row("journal", "none; resume runs the command again");
  const engine::Tally& tally = run_status.tally;
  std::string text = row("search finished", run_status.card.has_found_all ? "yes" : "no");
  text += row("found", count_text(tally.found())) + row("done", count_text(tally.done()));
  if (tally.skipped() > 0) text += row("skipped", count_text(tally.skipped()));
  text += row("failed", count_text(tally.failed()));
  if (tally.abandoned() > 0) {
    text += row("", fmt::format("{} of them dropped", count_text(tally.abandoned())));
  }
  return text + row("left", count_text(tally.pending()));
}

std::string failure_table(const std::vector<FailureGroup>& groups) {
  term::Table table({{.heading = "FAILED", .align = term::Align::right},
                     {.heading = "REASON"},
                     {.heading = "EXAMPLE"}});
  for (const FailureGroup& group : groups) {
    table.add({count_text(group.count), group.step + ": " + group.reason, group.example});
  }
  return "\n" + table.text(cli::columns_of(1));
}

std::string next_steps(const cli::RunStatus& run_status, const App& app) {
  const std::string id = printable(run_status.folder.id());
  const std::string& program = run_status.folder.program();
  std::string text;
  if (run_status.has_work_left() && !run_status.holder) {
    const jobs::Job* job = jobs::find_job(app.jobs, run_status.card.job);
    const bool has_lost_input = job != nullptr && job->has_lost_input(run_status.card);
    text += "  resume:    " + cli::resume_command(program, id, has_lost_input) + "\n";
  }
  if (run_status.tally.dead() > 0) {
    text += "  failures:  " + program + " failures " + id + "\n";
    if (!run_status.holder)
      text += "  retry:     " + program + " failures " + id + " retry --all\n";
  }
  if (run_status.is_settled() || (!run_status.has_journal && !run_status.holder)) {
    text += "  remove:    " + program + " forget " + id + "\n";
  }
  return text.empty() ? text : "\n" + text;
}

std::string json_of(const cli::RunStatus& run_status, const std::vector<FailureGroup>& groups) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1);
  write_members(run_status, json);
  json.bytes("folder", run_status.folder.path())
      .key("bytes")
      .value(run_status.folder.bytes().count);
  if (const run::RunCard& card = run_status.card; !card.fleet.empty()) {
    json.key("fleet")
        .begin_object()
        .key("name")
        .value(printable(card.fleet))
        .key("isOpen")
        .value(card.is_on_fleet);
    json.key("sent").value(card.fleet_tally.sent);
    json.key("takenBack").value(card.fleet_tally.taken_back);
    json.key("missing").value(card.fleet_tally.missing);
    json.key("late").value(card.fleet_tally.stale).end_object();
  }
  json.key("failures").begin_array();
  for (const FailureGroup& group : groups) {
    json.begin_object().key("count").value(group.count).bytes("step", group.step);
    json.bytes("reason", group.reason).bytes("example", group.example);
    json.key("task").value(group.first).end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

Result<int> print(const cli::RunStatus& run_status, const std::vector<FailureGroup>& groups,
                  cli::CliContext& cli, const App& app) {
  if (cli.values.is_on("json") || cli.values.is_on("jsonl")) {
    TRY(cli.console->out(json_of(run_status, groups)));
    return cli::kDone;
  }
  std::string text = what_rows(run_status, cli.program) + count_rows(run_status);
  if (!groups.empty()) text += failure_table(groups);
  TRY(cli.console->out(text + next_steps(run_status, app)));
  return cli::kDone;
}

Result<int> show_run(const run::RunFolder& folder, const SqliteJournal& journal,
                     cli::CliContext& cli, const App& app) {
  LET(const cli::RunStatus run_status, cli::run_status_at(folder, journal));
  std::vector<FailureGroup> groups;
  if (run_status.tally.dead() > 0) {
    LET(groups, journal.failure_groups(cli::kGroups));
  }
  return print(run_status, groups, cli, app);
}

Result<int> show_record(const run::RunFolder& folder, cli::CliContext& cli, const App& app) {
  const bool is_of_tasks =
      cli.values.is_on("tasks") || cli.values.has("state") || !cli.values.argument("TASK").empty();
  if (is_of_tasks) TRY(cli::demand_journal(folder, "tasks"));
  const cli::RunStatus run_status = cli::run_status_at(folder);
  if (run_status.problem) return std::unexpected(*run_status.problem);
  return print(run_status, {}, cli, app);
}

std::optional<TaskState> wanted_state(const command::Values& values) {
  for (std::size_t i = 0; i < engine::kTaskStates; ++i) {
    const auto state = static_cast<TaskState>(i);
    const std::string wanted = values.text("state");
    if (wanted == state_word(state) || wanted == name_of(state)) return state;
  }
  return std::nullopt;
}

std::string task_table(const std::vector<engine::TaskRecord>& page, const jobs::Job* job,
                       bool is_first) {
  constexpr auto kRight = term::Align::right;
  term::Table table({{.heading = "TASK", .align = kRight},
                     {.heading = "STATE"},
                     {.heading = "ATTEMPTS", .align = kRight},
                     {.heading = "OUTCOME"},
                     {.heading = "NAME"}});
  for (const auto& task : page) {
    table.add({std::to_string(task.id), std::string(state_word(task.state)),
               std::to_string(task.attempts), outcome_text(task, job),
               job != nullptr ? job->subject_text(task) : task.subject});
  }
  return cli::rows_of(table, is_first);
}

Result<int> show_tasks(const SqliteJournal& journal, const jobs::Job* job, cli::CliContext& cli) {
  const auto state = wanted_state(cli.values);
  const bool is_jsonl = cli.values.is_on("jsonl");
  bool is_first = true;
  TRY(cli::each_page([&](auto after, auto limit) { return journal.tasks(after, limit, state); },
                     [&](const std::vector<engine::TaskRecord>& page) -> Result<void> {
                       std::string text;
                       if (is_jsonl) {
                         for (const auto& task : page) text += app::json_of(task, {}) + "\n";
                       } else {
                         text = task_table(page, job, std::exchange(is_first, false));
                       }
                       return cli.console->out(text);
                     }));
  return cli::kDone;
}

Result<int> show_task(const SqliteJournal& journal, std::string_view number, const jobs::Job* job,
                      cli::CliContext& cli) {
  LET(const engine::TaskId id, command::parse_count(number));
  LET(const auto task, journal.task(id));
  if (!task) {
    return std::unexpected(Failure{.cure = Cure::give_up,
                                   .step = fmt::format("task {}", id),
                                   .reason = "no such task in this run",
                                   .hint = "use --tasks to list the tasks"});
  }
  LET(const auto checkpoint, journal.checkpoint(id));
  const bool is_json = cli.values.is_on("json") || cli.values.is_on("jsonl");
  TRY(cli.console->out(is_json ? app::json_of(*task, checkpoint) + "\n"
                               : app::text_of(*task, checkpoint, job)));
  return cli::kDone;
}

Result<void> check(const command::Values& values) {
  const bool has_task = !values.argument("TASK").empty();
  const bool is_list = values.is_on("tasks") || values.has("state");
  if (has_task && is_list) return command::misuse("TASK cannot be used with --tasks or --state");
  if (is_list && values.is_on("json")) {
    return command::misuse("--json cannot be used with --tasks or --state", "use --jsonl");
  }
  return {};
}

}  // namespace

command::Verb describe_show() {
  return {
      .name = "show",
      .summary = "show a run, its tasks, or one task",
      .usage = {"%program show RUN [OPTIONS]",
                "%program show RUN --tasks [--state STATE] [OPTIONS]",
                "%program show RUN TASK [OPTIONS]"},
      .examples = {{"%program show last", "show the newest run and what to do next"},
                   {"%program show last --state pending", "list the tasks that are left"},
                   {"%program show last 17", "show task 17 with the end of its output"}},
      .description =
          {"Shows the command of a run, its state and counts, why tasks failed, and the "
           "commands to type next. Flags that have their default value are not shown; --json "
           "prints all of them. You can use it while the run is in progress.",
           "--tasks lists every task; the list can be of any length. OUTCOME is how long the "
           "command took, or why the task failed. With --state and in JSON, failed tasks are also "
           "called dead, and dropped ones abandoned.",
           std::string(kRunNames)},
      .arguments = {{.name = "RUN",
                     .help = std::string(kRunHelp),
                     .kind = ValueKind::run,
                     .is_required = true},
                    {.name = "TASK", .help = "number of a task", .kind = ValueKind::count}},
      .flags = {
          {.name = "tasks", .help = "list the tasks", .is_configurable = false, .is_basic = true},
          {.name = "state",
           .kind = ValueKind::choice,
           .metavar = "STATE",
           .help = "list only tasks in this state",
           .choices = {"pending", "done", "skipped", "failed", "dropped", "dead", "abandoned"},
           .is_configurable = false},
          {.name = "json",
           .help = "print the run or the task as one JSON object",
           .is_configurable = false,
           .is_basic = true},
          {.name = "jsonl",
           .help = "print one JSON object per line: one per task of a list",
           .is_configurable = false,
           .is_basic = true}}};
}

Result<int> run_show(cli::CliContext& cli, const App& app) {
  TRY(check(cli.values));
  LET(const auto folder, cli.state.find(cli.values.argument("RUN").front()));
  if (folder.is_record()) return show_record(folder, cli, app);
  LET(const auto journal, cli::open_to_read(folder));
  const auto& task = cli.values.argument("TASK");
  const bool is_list = cli.values.is_on("tasks") || cli.values.has("state");
  if (task.empty() && !is_list) return show_run(folder, *journal, cli, app);
  LET(const auto card, run::card_of(*journal));
  const jobs::Job* job = jobs::find_job(app.jobs, card.job);
  if (is_list) return show_tasks(*journal, job, cli);
  return show_task(*journal, task.front(), job, cli);
}

}  // namespace tidemill::app
