#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using command::Kind;
using text::count_text;

// On a narrow terminal the id is worth more than the time: it can be typed, and begins with one.
constexpr std::size_t kWidthForTimes = 100;

std::vector<std::string> row_of(const cli::Glance& glance, bool has_times,
                                const command::Program& program) {
  std::vector<std::string> row = {glance.folder.id(), cli::state_text(glance.state, glance.holder)};
  if (glance.problem) {
    row.resize(has_times ? 7 : 6);
    row.push_back(text_of(*glance.problem));
    return row;
  }
  if (glance.has_journal) {
    const engine::Tally& tally = glance.tally;
    for (const auto count : {tally.done() + tally.skipped(), tally.failed(), tally.pending()}) {
      row.push_back(count_text(count));
    }
    row.push_back(count_text(tally.found()) + (glance.card.has_found_all ? "" : "+"));
  } else {
    row.insert(row.end(), 4, "-");
  }
  if (has_times) row.push_back(cli::local_minute(glance.card.started));
  std::vector<std::string> words = cli::chosen_arguments(glance.card, program);
  words.insert(words.begin(), glance.card.job);
  row.push_back(text::shell_line(words));
  return row;
}

std::string table_of(const std::vector<cli::Glance>& glances, const cli::Desk& desk) {
  constexpr auto kRight = term::Align::right;  // what is at the right is not shortened
  std::vector<term::TableColumn> columns = {
      {.heading = "RUN", .align = kRight},  {.heading = "STATE"},
      {.heading = "DONE", .align = kRight}, {.heading = "FAILED", .align = kRight},
      {.heading = "LEFT", .align = kRight}, {.heading = "FOUND", .align = kRight}};
  const auto width = cli::columns_of(1);
  const bool has_times = !width || *width >= kWidthForTimes;
  if (has_times) columns.push_back({.heading = "STARTED", .align = kRight});
  columns.push_back({.heading = "WHAT"});
  term::Table table(std::move(columns));
  for (const cli::Glance& glance : glances) table.add(row_of(glance, has_times, desk.program));
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
      .summary = "list what was run, and how it stands",
      .usage = {"%program runs [OPTIONS]"},
      .examples = {{"%program runs", "the newest twenty"},
                   {"%program runs -n 0 --json", "all of them, for a program"}},
      .description =
          {"Lists the runs, the newest first. STATE is running, complete (nothing is left), "
           "incomplete (the last process did what it was asked to, but not all there is), "
           "interrupted (by a "
           "signal), halted (by the rule about failures), failed (the run itself) or crashed "
           "(its process is gone). A + behind FOUND: the search for files was not at its end. "
           "DONE counts what was skipped too.",
           "A run that cannot be read is listed with the reason. Runs are kept in "
           "$%PROGRAM_STATE, or below ~/.local/state/%program. A state folder that another "
           "user owns, may write in or may exchange is refused, by every verb: a run is a "
           "command that resume runs."},
      .flags = {{.name = "limit",
                 .letter = 'n',
                 .kind = Kind::count,
                 .metavar = "N",
                 .help = "list so many; 0: all",
                 .fallback = "20",
                 .is_configurable = false},
                {.name = "json", .help = "print one object", .is_configurable = false}}};
  if (!app.without_journal.empty()) {
    verb.description.insert(verb.description.begin() + 1,
                            "A command that keeps no journal (" + app.without_journal +
                                ") is listed without counts, while it works and when it did not "
                                "come to its end; when it has, it is not listed any more.");
  }
  return verb;
}

Result<int> run_runs(cli::Desk& desk, const App& /*app*/) {
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
    desk.console->say(command::Tone::plain, "There are no runs yet.");
    return cli::kDone;
  }
  TRY(desk.console->out(table_of(glances, desk)));
  if (glances.size() < all) {
    desk.console->say(command::Tone::plain, "and " + count_text(all - glances.size()) +
                                                " older ones; all of them: " + desk.program.name +
                                                " runs -n 0");
  }
  return cli::kDone;
}

}  // namespace tidemill::app
