#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using command::ValueKind;
using text::count_text;

constexpr std::size_t kLeastCommand = 12;    // minimum width; a narrow terminal shortens the others
constexpr auto kRight = term::Align::right;  // right-aligned columns are not shortened

// All cells of the row except the last.
std::vector<std::string> row_of(const cli::RunStatus& run_status, WallTime now) {
  std::vector<std::string> row = {run_status.folder.id(), run_status.state};
  if (run_status.has_journal && !run_status.problem) {
    const engine::Tally& tally = run_status.tally;
    for (const auto count : {tally.done() + tally.skipped(), tally.failed(), tally.pending()}) {
      row.push_back(count_text(count));
    }
    row.push_back(count_text(tally.found()) + (run_status.card.has_found_all ? "" : "+"));
  } else {
    row.insert(row.end(), 4, "-");
  }
  row.push_back(run_status.problem ? "-" : cli::age_text(run_status.card.started, now));
  return row;
}

std::string last_cell(const cli::RunStatus& run_status, const command::Program& program,
                      std::optional<std::size_t> width) {
  if (run_status.is_starting()) return "";
  if (!run_status.problem) return cli::command_text(run_status.card, program, width);
  const std::string problem = text::printable(text_of(*run_status.problem));
  return width ? cli::cut_text(problem, *width) : problem;
}

std::string table_of(const std::vector<cli::RunStatus>& statuses, const cli::CliContext& cli) {
  const std::vector<term::TableColumn> columns = {
      {.heading = "RUN", .align = kRight},  {.heading = "STATE"},
      {.heading = "DONE", .align = kRight}, {.heading = "FAILED", .align = kRight},
      {.heading = "LEFT", .align = kRight}, {.heading = "FOUND", .align = kRight},
      {.heading = "AGE", .align = kRight}};
  term::Table narrow(columns);
  const WallTime now = cli.clock.wall();
  for (const cli::RunStatus& run_status : statuses) narrow.add(row_of(run_status, now));
  const std::string text = narrow.text();
  const std::size_t taken = text::columns(text.substr(0, text.find('\n'))) + term::Table::kGap;

  auto all = columns;
  all.push_back({.heading = "COMMAND"});
  term::Table table(std::move(all));
  const auto width = cli::columns_of(1);
  std::optional<std::size_t> room;
  if (width) room = std::max(*width, taken + kLeastCommand) - taken;
  for (const cli::RunStatus& run_status : statuses) {
    std::vector<std::string> row = row_of(run_status, now);
    row.push_back(last_cell(run_status, cli.program, room));
    table.add(std::move(row));
  }
  return table.text(width);
}

std::string json_of(const std::vector<cli::RunStatus>& statuses, std::size_t all) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("count").value(all).key("runs").begin_array();
  for (const cli::RunStatus& run_status : statuses) {
    json.begin_object();
    write_members(run_status, json);
    json.end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

}  // namespace

command::Verb describe_runs(const App& app) {
  command::Verb verb{
      .name = "runs",
      .summary = "list runs and their states",
      .usage = {"%program runs [OPTIONS]"},
      .examples = {{"%program runs", "list the newest 20 runs"},
                   {"%program runs --limit 0", "list all runs"},
                   {"%program runs --json", "print them as JSON"}},
      .description =
          {"Lists the runs, newest first. STATE is starting, running, complete (nothing is left), "
           "incomplete (the last process finished what it was asked to do, but work is left), "
           "interrupted (by a signal), halted (by --halt or --max-failures), failed (the run "
           "itself), crashed (its process is gone), undone or unreadable. A + after FOUND means "
           "that the search for files was not finished. DONE includes skipped tasks. AGE is the "
           "time since the run started.",
           "On a terminal, COMMAND is cut to the width that is left. In a pipe or a file, it is "
           "printed in full. Flags that have their default value are not shown.",
           "An unreadable run is listed with the reason. Runs are stored in $%PROGRAM_STATE, or "
           "in ~/.local/state/%program. Every verb refuses a state folder that another user owns, "
           "can write to or can replace, because resume runs the commands stored there."},
      .flags = {{.name = "limit",
                 .kind = ValueKind::count,
                 .metavar = "N",
                 .help = "list at most N runs; 0 lists all",
                 .fallback = "20",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "names",
                 .help = "print the names that a RUN argument accepts, one per line",
                 .is_configurable = false},
                {.name = "json",
                 .help = "print one JSON object",
                 .is_configurable = false,
                 .is_basic = true}}};
  if (!app.without_journal.empty()) {
    verb.description.insert(verb.description.begin() + 2,
                            "A command that keeps no journal (" + app.without_journal +
                                ") is listed without counts while it runs and when it did not "
                                "finish. Once it has finished, it is no longer listed.");
  }
  return verb;
}

namespace {

// For completion scripts: prints nothing if the runs cannot be listed.
Result<int> print_names(cli::CliContext& cli) {
  std::string text;
  for (const std::string& name : cli.state.names().value_or(std::vector<std::string>())) {
    text += name + "\n";
  }
  TRY(cli.console->out(text));
  return cli::kDone;
}

}  // namespace

Result<int> run_runs(cli::CliContext& cli, const App& /*app*/) {
  if (cli.values.is_on("names")) {
    if (cli.values.is_on("json")) {
      return command::misuse("--names cannot be used with --json");
    }
    return print_names(cli);
  }
  LET(const auto folders, cli.state.list());
  const std::uint64_t limit = cli.values.count("limit").value_or(0);
  std::vector<cli::RunStatus> statuses;
  std::size_t gone = 0;  // records of commands that finished since they were listed
  for (const auto& folder : folders) {
    if (limit > 0 && statuses.size() >= limit) break;
    cli::RunStatus run_status = cli::run_status_at(folder);
    if (run_status.problem && ::access(folder.path().c_str(), F_OK) != 0) {
      ++gone;
      continue;
    }
    statuses.push_back(std::move(run_status));
  }
  const std::size_t all = folders.size() - gone;
  if (cli.values.is_on("json")) {
    TRY(cli.console->out(json_of(statuses, all)));
    return cli::kDone;
  }
  if (all == 0) {
    cli.console->say(command::Tone::plain, "no runs yet");
    return cli::kDone;
  }
  TRY(cli.console->out(table_of(statuses, cli)));
  if (statuses.size() < all) {
    cli.console->say(command::Tone::plain, text::counted(all - statuses.size(), "older run") +
                                               " not shown; list all with " + cli.program.name +
                                               " runs --limit 0");
  }
  return cli::kDone;
}

}  // namespace tidemill::app
