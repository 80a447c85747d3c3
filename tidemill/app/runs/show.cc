#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tidemill/app/runs/letter_text.h"
#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/pages.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using command::Kind;
using engine::TaskState;
using journal::FailureGroup;
using journal::SqliteJournal;
using text::count_text;
using text::printable;

std::string row(std::string_view name, std::string_view value) {
  return fmt::format("{:<18}{}\n", name, value);
}

std::string state_row(const cli::Glance& glance) {
  std::string text = cli::state_text(glance.state, glance.holder);
  if (glance.holder) {
    text += ", held by process " + std::to_string(glance.holder->process);
    if (!glance.holder->host.empty()) text += " on " + glance.holder->host;
    if (!glance.holder->since.empty()) text += " since " + glance.holder->since;
  }
  return row("state", printable(text));
}

std::string what_rows(const cli::Glance& glance, const command::Program& program) {
  const run::RunCard& card = glance.card;
  std::vector<std::string> words = {program.name, card.job};
  std::ranges::move(cli::chosen_arguments(card, program), std::back_inserter(words));
  std::string text = row("run", printable(glance.folder.id()));
  text += row("job", printable(card.job)) + row("command", text::shell_line(words));
  text += row("in", printable(card.directory)) + row("version", printable(card.version));
  text += row("folder", fmt::format("{} ({})", printable(glance.folder.path()),
                                    text::bytes_text(glance.folder.bytes())));
  text += row("started", cli::local_second(card.started));
  if (card.ended) text += row("ended", cli::local_second(*card.ended));
  text += state_row(glance);
  if (!card.cause.empty()) text += row("cause", printable(card.cause));
  return text;
}

std::string count_rows(const cli::Glance& glance) {
  if (!glance.has_journal) return row("journal", "none: resume runs the command again");
  const engine::Tally& tally = glance.tally;
  std::string text = row("found everything", glance.card.has_found_all ? "yes" : "no");
  text += row("found", count_text(tally.found())) + row("done", count_text(tally.done()));
  if (tally.skipped() > 0) text += row("skipped", count_text(tally.skipped()));
  text += row("failed", count_text(tally.failed()));
  if (tally.abandoned() > 0) {
    text += row("", fmt::format("{} of them given up: their letters were dropped",
                                count_text(tally.abandoned())));
  }
  return text + row("left", count_text(tally.pending()));
}

std::string failure_table(const std::vector<FailureGroup>& groups) {
  term::Table table({{.heading = "FAILED", .align = term::Align::right},
                     {.heading = "BECAUSE"},
                     {.heading = "FOR EXAMPLE"}});
  for (const FailureGroup& group : groups) {
    table.add({count_text(group.count), group.step + ": " + group.reason, group.example});
  }
  return "\n" + table.text(cli::columns_of(1));
}

std::string next_steps(const cli::Glance& glance, const App& app) {
  const std::string id = printable(glance.folder.id());
  const std::string& program = glance.folder.program();
  std::string text;
  if (glance.has_work_left() && !glance.holder) {
    const jobs::Job* job = jobs::find_job(app.jobs, glance.card.job);
    const bool has_lost_input = job != nullptr && job->has_lost_input(glance.card);
    text += "  go on:        " + cli::way_on(program, id, has_lost_input) + "\n";
  }
  if (glance.tally.dead() > 0) {
    text += "  look at them: " + program + " letters " + id + "\n";
    if (!glance.holder) text += "  try again:    " + program + " letters " + id + " retry --all\n";
  }
  if (glance.is_settled() || (!glance.has_journal && !glance.holder)) {
    text += "  remove it:    " + program + " forget " + id + "\n";
  }
  return text.empty() ? text : "\n" + text;
}

std::string json_of(const cli::Glance& glance, const std::vector<FailureGroup>& groups) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1);
  write_members(glance, json);
  json.bytes("folder", glance.folder.path()).key("bytes").value(glance.folder.bytes().count);
  json.key("failures").begin_array();
  for (const FailureGroup& group : groups) {
    json.begin_object().key("count").value(group.count).bytes("step", group.step);
    json.bytes("reason", group.reason).bytes("example", group.example);
    json.key("task").value(group.first).end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

Result<int> print(const cli::Glance& glance, const std::vector<FailureGroup>& groups,
                  cli::Desk& desk, const App& app) {
  if (desk.values.is_on("json") || desk.values.is_on("jsonl")) {
    TRY(desk.console->out(json_of(glance, groups)));
    return cli::kDone;
  }
  std::string text = what_rows(glance, desk.program) + count_rows(glance);
  if (!groups.empty()) text += failure_table(groups);
  TRY(desk.console->out(text + next_steps(glance, app)));
  return cli::kDone;
}

Result<int> show_run(const run::RunFolder& folder, const SqliteJournal& journal, cli::Desk& desk,
                     const App& app) {
  LET(const cli::Glance glance, cli::glance_at(folder, journal));
  std::vector<FailureGroup> groups;
  if (glance.tally.dead() > 0) {
    LET(groups, journal.failure_groups(cli::kGroups));
  }
  return print(glance, groups, desk, app);
}

Result<int> show_record(const run::RunFolder& folder, cli::Desk& desk, const App& app) {
  const bool is_of_tasks = desk.values.is_on("tasks") || desk.values.has("state") ||
                           !desk.values.argument("TASK").empty();
  if (is_of_tasks) TRY(cli::demand_journal(folder, "show", "it has no tasks"));
  const cli::Glance glance = cli::glance_at(folder);
  if (glance.problem) return std::unexpected(*glance.problem);
  return print(glance, {}, desk, app);
}

std::optional<TaskState> wanted_state(const command::Values& values) {
  for (std::size_t i = 0; i < engine::kTaskStates; ++i) {
    const auto state = static_cast<TaskState>(i);
    if (values.text("state") == name_of(state)) return state;
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
    table.add({std::to_string(task.id), std::string(name_of(task.state)),
               std::to_string(task.attempts), outcome_text(task, job),
               job != nullptr ? job->subject_text(task) : task.subject});
  }
  return cli::rows_of(table, is_first);
}

Result<int> show_tasks(const SqliteJournal& journal, const jobs::Job* job, cli::Desk& desk) {
  const auto state = wanted_state(desk.values);
  const bool is_jsonl = desk.values.is_on("jsonl");
  bool is_first = true;
  TRY(cli::each_page([&](auto after, auto limit) { return journal.tasks(after, limit, state); },
                     [&](const std::vector<engine::TaskRecord>& page) -> Result<void> {
                       std::string text;
                       if (is_jsonl) {
                         for (const auto& task : page) text += app::json_of(task, {}) + "\n";
                       } else {
                         text = task_table(page, job, std::exchange(is_first, false));
                       }
                       return desk.console->out(text);
                     }));
  return cli::kDone;
}

Result<int> show_task(const SqliteJournal& journal, std::string_view number, const jobs::Job* job,
                      cli::Desk& desk) {
  LET(const engine::TaskId id, command::parse_count(number));
  LET(const auto task, journal.task(id));
  if (!task) {
    return std::unexpected(Failure{.cure = Cure::give_up,
                                   .step = "show",
                                   .reason = fmt::format("the run has no task {}", id),
                                   .hint = "--tasks lists those it has"});
  }
  LET(const auto checkpoint, journal.checkpoint(id));
  const bool is_json = desk.values.is_on("json") || desk.values.is_on("jsonl");
  TRY(desk.console->out(is_json ? app::json_of(*task, checkpoint) + "\n"
                                : app::text_of(*task, checkpoint, job)));
  return cli::kDone;
}

Result<void> check(const command::Values& values) {
  const bool has_task = !values.argument("TASK").empty();
  const bool is_list = values.is_on("tasks") || values.has("state");
  if (has_task && is_list) return command::misuse("either one TASK or --tasks");
  if (is_list && values.is_on("json")) {
    return command::misuse("--json is for the run or one task", "for the list use --jsonl");
  }
  return {};
}

}  // namespace

command::Verb describe_show() {
  return {.name = "show",
          .summary = "show a run, its tasks, or one of them in full",
          .usage = {"%program show RUN [OPTIONS]",
                    "%program show RUN --tasks [--state STATE] [OPTIONS]",
                    "%program show RUN TASK [OPTIONS]"},
          .examples = {{"%program show last", "how the newest run stands, and what to do next"},
                       {"%program show last --state pending", "what is left to be done"},
                       {"%program show last 17", "one task, with the end of its output"}},
          .description =
              {"Shows what a run is, how it stands, why tasks failed, and what can be typed next. "
               "The command is shown without the flags that have their usual value; --json has "
               "all of them. It can be looked at while it runs.",
               "With --tasks every task is listed, a page at a time, so the list may be as long "
               "as it wants. OUTCOME is how long the command took, or why the task failed."},
          .arguments = {{.name = "RUN",
                         .help = "an id, the beginning of one, or last",
                         .kind = Kind::text,
                         .is_required = true},
                        {.name = "TASK", .help = "the number of a task", .kind = Kind::count}},
          .flags = {{.name = "tasks", .help = "list the tasks", .is_configurable = false},
                    {.name = "state",
                     .kind = Kind::choice,
                     .metavar = "STATE",
                     .help = "list the tasks in this state only",
                     .choices = {"pending", "done", "skipped", "dead", "abandoned"},
                     .is_configurable = false},
                    {.name = "json",
                     .help = "print the run, or the task, as one object",
                     .is_configurable = false},
                    {.name = "jsonl",
                     .help = "print an object a line, of a list one for each task",
                     .is_configurable = false}}};
}

Result<int> run_show(cli::Desk& desk, const App& app) {
  TRY(check(desk.values));
  LET(const auto folder, desk.state.find(desk.values.argument("RUN").front()));
  if (folder.is_record()) return show_record(folder, desk, app);
  LET(const auto journal, cli::open_to_read(folder));
  const auto& task = desk.values.argument("TASK");
  const bool is_list = desk.values.is_on("tasks") || desk.values.has("state");
  if (task.empty() && !is_list) return show_run(folder, *journal, desk, app);
  LET(const auto card, run::card_of(*journal));
  const jobs::Job* job = jobs::find_job(app.jobs, card.job);
  if (is_list) return show_tasks(*journal, job, desk);
  return show_task(*journal, task.front(), job, desk);
}

}  // namespace tidemill::app
