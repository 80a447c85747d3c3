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
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using command::Kind;
using text::count_text;

constexpr std::size_t kLeastCommand = 12;    // columns: a narrower terminal loses of the others
constexpr auto kRight = term::Align::right;  // what is at the right is not shortened

// All cells but the last.
std::vector<std::string> row_of(const cli::Glance& glance, WallTime now) {
  std::vector<std::string> row = {glance.folder.id(), glance.state};
  if (glance.has_journal && !glance.problem) {
    const engine::Tally& tally = glance.tally;
    for (const auto count : {tally.done() + tally.skipped(), tally.failed(), tally.pending()}) {
      row.push_back(count_text(count));
    }
    row.push_back(count_text(tally.found()) + (glance.card.has_found_all ? "" : "+"));
  } else {
    row.insert(row.end(), 4, "-");
  }
  row.push_back(glance.problem ? "-" : cli::age_text(glance.card.started, now));
  return row;
}

std::string last_cell(const cli::Glance& glance, const command::Program& program,
                      std::optional<std::size_t> width) {
  if (glance.is_starting()) return "";
  if (!glance.problem) return cli::command_text(glance.card, program, width);
  const std::string problem = text::printable(text_of(*glance.problem));
  return width ? cli::cut_text(problem, *width) : problem;
}

std::string table_of(const std::vector<cli::Glance>& glances, const cli::Desk& desk) {
  const std::vector<term::TableColumn> columns = {
      {.heading = "RUN", .align = kRight},  {.heading = "STATE"},
      {.heading = "DONE", .align = kRight}, {.heading = "FAILED", .align = kRight},
      {.heading = "LEFT", .align = kRight}, {.heading = "FOUND", .align = kRight},
      {.heading = "AGE", .align = kRight}};
  term::Table narrow(columns);
  const WallTime now = desk.clock.wall();
  for (const cli::Glance& glance : glances) narrow.add(row_of(glance, now));
  const std::string text = narrow.text();
  const std::size_t taken = text::columns(text.substr(0, text.find('\n'))) + term::Table::kGap;

  auto all = columns;
  all.push_back({.heading = "COMMAND"});
  term::Table table(std::move(all));
  const auto width = cli::columns_of(1);
  std::optional<std::size_t> room;
  if (width) room = std::max(*width, taken + kLeastCommand) - taken;
  for (const cli::Glance& glance : glances) {
    std::vector<std::string> row = row_of(glance, now);
    row.push_back(last_cell(glance, desk.program, room));
    table.add(std::move(row));
  }
  return table.text(width);
}

std::string json_of(const std::vector<cli::Glance>& glances, std::size_t all) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("count").value(all).key("runs").begin_array();
  for (const cli::Glance& glance : glances) {
    json.begin_object();
    write_members(glance, json);
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
                 .kind = Kind::count,
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

// For completion scripts: what cannot be read has no names.
Result<int> print_names(cli::Desk& desk) {
  std::string text;
  for (const std::string& name : desk.state.names().value_or(std::vector<std::string>())) {
    text += name + "\n";
  }
  TRY(desk.console->out(text));
  return cli::kDone;
}

}  // namespace

Result<int> run_runs(cli::Desk& desk, const App& /*app*/) {
  if (desk.values.is_on("names")) {
    if (desk.values.is_on("json")) {
      return command::misuse("--names cannot be used with --json");
    }
    return print_names(desk);
  }
  LET(const auto folders, desk.state.list());
  const std::uint64_t limit = desk.values.count("limit").value_or(0);
  std::vector<cli::Glance> glances;
  std::size_t gone = 0;  // since they were listed: a command came to its end
  for (const auto& folder : folders) {
    if (limit > 0 && glances.size() >= limit) break;
    cli::Glance glance = cli::glance_at(folder);
    if (glance.problem && ::access(folder.path().c_str(), F_OK) != 0) {
      ++gone;
      continue;
    }
    glances.push_back(std::move(glance));
  }
  const std::size_t all = folders.size() - gone;
  if (desk.values.is_on("json")) {
    TRY(desk.console->out(json_of(glances, all)));
    return cli::kDone;
  }
  if (all == 0) {
    desk.console->say(command::Tone::plain, "no runs yet");
    return cli::kDone;
  }
  TRY(desk.console->out(table_of(glances, desk)));
  if (glances.size() < all) {
    desk.console->say(command::Tone::plain, text::counted(all - glances.size(), "older run") +
                                                " not shown; list all with " + desk.program.name +
                                                " runs --limit 0");
  }
  return cli::kDone;
}

}  // namespace tidemill::app
