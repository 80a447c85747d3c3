#include "tidemill/app/fleet/text.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using fleet::FleetHost;
using fleet::PublishedRun;
using term::Align;
using text::count_text;
using text::printable;
using Announced = fleet::FleetBoard::Announced;

// A coordinator publishes its run every ten seconds.
constexpr std::chrono::seconds kSilent{60};
constexpr std::chrono::seconds kSilentHost{10};  // a worker announces itself every second

// What is left out on a narrow terminal: the user types the ids next.
struct RunColumns {
  bool has_recipe = true;
  bool has_results = true;
  bool has_forged = true;  // left out if none was
};

// What was not asked for has no rows.
const std::vector<FleetRunRow>& rows_in(const FleetView& view) {
  static const std::vector<FleetRunRow> kNone;
  return view.runs ? *view.runs : kNone;
}

const std::vector<Announced>& hosts_in(const FleetView& view) {
  static const std::vector<Announced> kNone;
  return view.hosts ? *view.hosts : kNone;
}

// A worker names the run that it refuses; people know its id.
std::string label_of(const std::string& name, const std::vector<PublishedRun>& all) {
  const auto found = std::ranges::find(all, name, &PublishedRun::name);
  return found == all.end() ? name : app::label_of(*found, all);
}

bool is_drained(const std::string& host, const FleetView& view) {
  return std::ranges::find(view.drained, host) != view.drained.end();
}

std::vector<term::TableColumn> headings_of(const RunColumns& columns) {
  std::vector<term::TableColumn> headings = {{.heading = "RUN"}, {.heading = "HOST"}};
  if (columns.has_recipe) headings.push_back({.heading = "RECIPE"});
  headings.push_back({.heading = "STATE"});
  const auto add = [&](const char* heading) {
    headings.push_back({.heading = heading, .align = Align::right});
  };
  add("WAITING");
  add("HELD");
  if (columns.has_results) add("RESULTS");
  add("WORKERS");
  if (columns.has_forged) add("FORGED");
  return headings;
}

std::vector<std::string> row_of(const FleetRunRow& row, const RunColumns& columns,
                                const FleetView& view) {
  const PublishedRun& run = row.listed.run;
  const bool is_genuine = row.listed.is_genuine;
  std::vector<std::string> cells = {app::label_of(run, view.known), run.host};
  if (columns.has_recipe) cells.push_back(is_genuine ? fleet::text_of(run.recipe) : "");
  cells.emplace_back(state_of(row));
  const auto add = [&](std::uint64_t count) {
    cells.push_back(is_genuine ? count_text(count) : "");
  };
  add(row.window.waiting);
  add(row.window.held);
  if (columns.has_results) add(row.window.reports);
  add(row.window.workers);
  if (columns.has_forged) add(row.window.forged);
  return cells;
}

term::Table table_with(const RunColumns& columns, const FleetView& view) {
  term::Table table(headings_of(columns));
  for (const FleetRunRow& row : rows_in(view)) table.add(row_of(row, columns, view));
  return table;
}

std::string text_of_runs(const FleetView& view, std::optional<std::size_t> width) {
  if (rows_in(view).empty()) return "";
  const RunColumns all{.has_forged = std::ranges::any_of(
                           rows_in(view), [](const auto& row) { return row.window.forged > 0; })};
  const term::Table table = table_with(all, view);
  std::string whole = table.text();
  if (!width || table.text(width) == whole) return whole;
  const RunColumns few{.has_recipe = false, .has_results = false, .has_forged = all.has_forged};
  return table_with(few, view).text(width);
}

std::vector<std::string> row_of(const Announced& announced, const FleetView& view) {
  const FleetHost& host = announced.host;
  const std::string seen = text::seconds_text(announced.age) + " ago";
  if (host.host.empty()) return {host.consumer, "", "unreadable", "", "", "", "", seen};
  const char* state = announced.age > kSilentHost ? "silent" : "ready";
  if (is_drained(host.host, view)) state = host.busy > 0 ? "draining" : "drained";
  return {host.host,
          std::to_string(host.pid),
          state,
          count_text(host.busy),
          count_text(host.places),
          count_text(host.done),
          host.version,
          seen};
}

std::string text_of_hosts(const FleetView& view, std::optional<std::size_t> width) {
  term::Table table({{.heading = "HOST"},
                     {.heading = "PID", .align = Align::right},
                     {.heading = "STATE"},
                     {.heading = "BUSY", .align = Align::right},
                     {.heading = "PLACES", .align = Align::right},
                     {.heading = "DONE", .align = Align::right},
                     {.heading = "VERSION"},
                     {.heading = "LAST SEEN", .align = Align::right}});
  for (const Announced& announced : hosts_in(view)) table.add(row_of(announced, view));
  for (const std::string& drained : view.drained) {
    const auto is_same = [&](const Announced& announced) { return announced.host.host == drained; };
    if (std::ranges::any_of(hosts_in(view), is_same)) continue;
    table.add({drained, "", "drained", "", "", "", "", ""});
  }
  return table.size() == 0 ? "" : table.text(width);
}

// Not a table: the end of a reason matters as much as its beginning.
std::string text_of_refusals(const FleetView& view) {
  std::string text;
  for (const Announced& announced : hosts_in(view)) {
    for (const fleet::RunRefusal& refusal : announced.host.refusals) {
      text +=
          fmt::format("{}:{} refuses {}: {}\n", printable(announced.host.host), announced.host.pid,
                      printable(label_of(refusal.run, view.known)), printable(refusal.why));
    }
  }
  return text;
}

double seconds_of(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

void write_genuine(const FleetRunRow& row, text::JsonWriter& json) {
  const PublishedRun& run = row.listed.run;
  json.bytes("id", run.id).bytes("host", run.host).bytes("user", run.user);
  json.key("recipe").value(printable(fleet::text_of(run.recipe)));
  json.key("ageSeconds").value(seconds_of(row.listed.age));
  json.key("weight").value(run.weight).key("termSeconds").value(seconds_of(run.term));
  json.key("roots").begin_array();
  for (const fleet::FleetRoot& root : run.roots) {
    json.begin_object().bytes("name", root.name).bytes("path", root.path).end_object();
  }
  json.end_array();
  const fleet::FleetWindow& window = row.window;
  json.key("epoch").value(window.epoch).key("waiting").value(window.waiting);
  json.key("held").value(window.held).key("results").value(window.reports);
  json.key("workers").value(window.workers).key("forged").value(window.forged);
}

void write_host(const Announced& announced, const FleetView& view, text::JsonWriter& json) {
  const FleetHost& host = announced.host;
  json.begin_object().bytes("consumer", host.consumer);
  json.key("ageSeconds").value(seconds_of(announced.age));
  if (host.host.empty()) {
    json.end_object();
    return;
  }
  json.bytes("host", host.host)
      .key("pid")
      .value(std::max<std::int64_t>(host.pid, 0))
      .bytes("version", host.version);
  json.key("isDrained").value(is_drained(host.host, view));
  json.key("places").value(host.places).key("busy").value(host.busy).key("done").value(host.done);
  json.key("recipes").begin_array();
  for (const fleet::RecipeId& recipe : host.recipes) {
    json.value(printable(fleet::text_of(recipe)));
  }
  json.end_array().key("refusals").begin_array();
  for (const fleet::RunRefusal& refusal : host.refusals) {
    json.begin_object().bytes("name", refusal.run).bytes("reason", refusal.why).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string_view state_of(const FleetRunRow& row) {
  if (!row.listed.is_genuine) return "unsigned";
  if (row.listed.is_paused) return "paused";
  if (row.listed.age > kSilent) return "silent";
  return row.window.is_known ? "running" : "starting";
}

std::string label_of(const PublishedRun& run, const std::vector<PublishedRun>& all) {
  return run.id.empty() || std::ranges::count(all, run.id, &PublishedRun::id) > 1 ? run.name
                                                                                  : run.id;
}

std::string text_of(const FleetView& view, std::optional<std::size_t> width) {
  std::vector<std::string> parts;
  if (view.runs) parts.push_back(text_of_runs(view, width));
  if (view.hosts) {
    parts.push_back(text_of_hosts(view, width));
    parts.push_back(text_of_refusals(view));
  }
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += "\n";
    text += part;
  }
  return text;
}

std::string json_of(const FleetView& view) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("job").value("fleet").key("fleet").value(view.fleet);
  if (view.runs) {
    json.key("isVerified").value(view.is_verified).key("runs").begin_array();
    for (const FleetRunRow& row : *view.runs) {
      json.begin_object().bytes("name", row.listed.run.name).key("state").value(state_of(row));
      if (row.listed.is_genuine) write_genuine(row, json);
      json.end_object();
    }
    json.end_array();
  }
  if (view.hosts) {
    json.key("hosts").begin_array();
    for (const Announced& announced : *view.hosts) write_host(announced, view, json);
    json.end_array().key("drained").begin_array();
    for (const std::string& host : view.drained)
      json.begin_object().bytes("host", host).end_object();
    json.end_array();
  }
  json.end_object();
  return line + "\n";
}

}  // namespace tidemill::app
