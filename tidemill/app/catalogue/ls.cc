#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/app/catalogue/place.h"
#include "tidemill/app/catalogue/text.h"
#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using catalogue::About;
using catalogue::RootSummary;
using text::count_text;

// The columns to show. A narrow terminal omits empty ones and shows days instead of minutes, to
// leave room for the roots.
struct Columns {
  bool has_removed = true;
  bool has_errors = true;
  bool has_ending = true;
  bool has_minutes = true;
};

Columns few_columns(const std::vector<RootSummary>& roots) {
  return {
      .has_removed = std::ranges::any_of(roots, [](const auto& root) { return root.removed > 0; }),
      .has_errors = std::ranges::any_of(roots, [](const auto& root) { return root.errors > 0; }),
      .has_ending = std::ranges::any_of(
          roots, [](const auto& root) { return ending_text(root) != "complete"; }),
      .has_minutes = false};
}

std::vector<term::TableColumn> headings_of(const Columns& columns) {
  constexpr auto kRight = term::Align::right;
  std::vector<term::TableColumn> headings = {{.heading = "ROOT"},
                                             {.heading = "FILES", .align = kRight},
                                             {.heading = "SIZE", .align = kRight},
                                             {.heading = "HASHED", .align = kRight}};
  if (columns.has_removed) headings.push_back({.heading = "REMOVED", .align = kRight});
  if (columns.has_errors) headings.push_back({.heading = "ERRORS", .align = kRight});
  headings.push_back(
      {.heading = columns.has_minutes ? "LAST COMPLETE" : "COMPLETE", .align = kRight});
  if (columns.has_ending) headings.push_back({.heading = "LAST SCAN", .align = kRight});
  return headings;
}

std::vector<std::string> row_of(const RootSummary& root, const Columns& columns) {
  constexpr std::size_t kDay = std::string_view("2026-11-16").size();
  std::vector<std::string> row = {root.path, count_text(root.files), text::bytes_text({root.bytes}),
                                  count_text(root.hashed)};
  if (columns.has_removed) row.push_back(count_text(root.removed));
  if (columns.has_errors) row.push_back(count_text(root.errors));
  const std::string minute = minute_of(root.completed_at);
  row.push_back(columns.has_minutes ? minute : minute.substr(0, kDay));
  if (columns.has_ending) row.push_back(ending_text(root));
  return row;
}

term::Table table_with(const Columns& columns, const std::vector<RootSummary>& roots) {
  term::Table table(headings_of(columns));
  for (const RootSummary& root : roots) table.add(row_of(root, columns));
  return table;
}

std::string table_of(const std::vector<RootSummary>& roots) {
  const term::Table table = table_with({}, roots);
  std::string whole = table.text();
  const auto width = cli::columns_of(1);
  if (!width || table.text(width) == whole) return whole;
  return table_with(few_columns(roots), roots).text(width);
}

std::string json_of(const About& about, const std::vector<RootSummary>& roots) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("job").value("catalogue").bytes("host", about.host);
  if (!about.machine_id.empty()) json.bytes("machineId", about.machine_id);
  write_time(json, "made", about.made_at);
  json.key("format").value(about.version).key("roots").begin_array();
  for (const RootSummary& root : roots) {
    json.begin_object();
    write_members(root, json);
    json.end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

}  // namespace

command::Verb describe_catalogue_ls() {
  return {.name = "catalogue ls",
          .summary = "list the scanned folders",
          .usage = {"tidemill catalogue ls [OPTIONS]"},
          .examples = {{"tidemill catalogue ls", "all roots"},
                       {"tidemill catalogue ls --catalogue nas.catalogue --json",
                        "roots of an exported catalogue, as JSON"}},
          .description =
              {"One line per root: the number and size of its files, how many of them have a hash, "
               "removed files that are still recorded, files and folders that could not be read, "
               "the time of the last complete scan, and how the last scan ended."},
          .flags = {catalogue_flag(),
                    {.name = "json",
                     .help = "print one JSON object",
                     .is_configurable = false,
                     .is_basic = true}}};
}

Result<int> run_catalogue_ls(cli::CliContext& cli) {
  LET(auto catalogue, open_catalogue(cli));
  LET(const auto roots, catalogue.roots());
  if (cli.values.is_on("json")) {
    LET(const About about, catalogue.about());
    TRY(cli.console->out(json_of(about, roots)));
    return cli::kDone;
  }
  if (roots.empty()) {
    cli.console->say(command::Tone::plain, "The catalogue has no roots.");
    return cli::kDone;
  }
  TRY(cli.console->out(table_of(roots)));
  return cli::kDone;
}

}  // namespace tidemill::app
