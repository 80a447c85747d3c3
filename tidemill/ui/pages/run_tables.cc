#include "tidemill/ui/pages/run_tables.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/plots/treemap.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/run_text.h"

namespace tidemill::pages {
namespace {

using history::HistoryPart;
using history::HistoryRow;
using history::HistoryUnit;
using html::DataColumn;
using html::DataTable;
using html::Html;
using html::PlotColor;
using html::SafeHtml;
using html::words;
using text::count_text;

constexpr std::size_t kShownSlow = 20;  // attempts; the others are folded away

double ratio(double part, double whole) {
  return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
}

SafeHtml with_note(const SafeHtml& body, const SafeHtml& note) {
  return Html().add(body).add(note).finish();
}

double first_number(const HistoryRow& row) {
  return row.numbers.empty() ? 0 : static_cast<double>(std::max<std::int64_t>(row.numbers[0], 0));
}

// The numbers of a part; with bars of the first column if it is of that form.
SafeHtml part_table(const HistoryPart& part) {
  const bool has_bars = part.form == history::PartForm::bars && !part.columns.empty();
  const bool has_details =
      std::ranges::any_of(part.rows, [](const HistoryRow& row) { return !row.detail.empty(); });
  DataTable table{.caption = part.title, .is_caption_hidden = true};
  table.columns.push_back({.title = part.label, .is_header = true});
  if (has_bars) table.columns.push_back({.title = "share of " + part.columns.front().name});
  for (const auto& column : part.columns) {
    table.columns.push_back({.title = column.name, .is_number = true});
  }
  if (has_details) table.columns.push_back({.title = "for example"});
  double sum = 0;
  double most = 0;
  for (const HistoryRow& row : part.rows) {
    sum += first_number(row);
    most = std::max(most, first_number(row));
  }
  for (const HistoryRow& row : part.rows) {
    std::vector<SafeHtml> cells = {Html().name(row.label).finish()};
    if (has_bars) {
      cells.push_back(
          html::share_bar(ratio(first_number(row), sum), ratio(first_number(row), most)));
    }
    for (std::size_t i = 0; i < part.columns.size(); ++i) {
      cells.push_back(words(i < row.numbers.size()
                                ? number_text(part.columns[i].unit, row.numbers[i])
                                : std::string()));
    }
    if (has_details) cells.push_back(html::file_name(row.detail));
    table.rows.push_back(std::move(cells));
  }
  return html::data_table(table);
}

SafeHtml part_treemap(const HistoryPart& part) {
  html::TreemapPlot plot{.title = part.title, .labelled = part.label};
  const bool is_bytes = part.columns.front().unit == HistoryUnit::bytes;
  plot.unit = is_bytes ? html::Unit::bytes : html::Unit::count;
  for (const HistoryRow& row : part.rows) plot.items.push_back({row.label, first_number(row)});
  return html::treemap(plot);
}

SafeHtml part_card(const HistoryPart& part) {
  Html body;
  if (part.form == history::PartForm::treemap && !part.columns.empty())
    body.add(part_treemap(part));
  body.add(part_table(part)).add(left_out_note(part.left_out, "row"));
  return html::card(part.title, "", body.finish());
}

// A task that ended before it could say its name has none.
SafeHtml name_of(const engine::SlowAttempt& attempt) {
  return attempt.note.empty() ? words("no name") : html::file_name(attempt.note);
}

SafeHtml slow_rows(const RunView& view, const std::string& caption,
                   std::span<const history::SlowTask> slowest, const RunLinks& links) {
  const bool has_hosts =
      std::ranges::any_of(view.history.slowest, [](const auto& one) { return !one.host.empty(); });
  const bool has_tasks = view.status.has_journal;
  DataTable table{.caption = caption, .is_caption_hidden = true};
  table.columns.push_back({.title = "took", .is_number = true});
  if (has_tasks) table.columns.push_back({.title = "task", .is_number = true});
  table.columns.push_back({.title = "name", .is_header = true});
  table.columns.push_back({.title = "attempt", .is_number = true});
  table.columns.push_back({.title = "ended"});
  if (has_hosts) table.columns.push_back({.title = "host"});
  for (const history::SlowTask& slow : slowest) {
    const engine::SlowAttempt& one = slow.attempt;
    std::vector<SafeHtml> cells = {words(text::duration_text(one.took))};
    if (has_tasks) cells.push_back(links.to(links.task(one.task), words(std::to_string(one.task))));
    cells.push_back(name_of(one));
    cells.push_back(words(std::to_string(one.attempt)));
    cells.push_back(words(cli::local_second(one.ended)));
    if (has_hosts) cells.push_back(html::file_name(slow.host));
    table.rows.push_back(std::move(cells));
  }
  return html::data_table(table);
}

}  // namespace

std::string number_text(HistoryUnit unit, std::int64_t number) {
  const auto amount = static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
  switch (unit) {
    case HistoryUnit::bytes:
      return text::bytes_text(Bytes{amount});
    case HistoryUnit::milliseconds:
      return text::duration_text(std::chrono::milliseconds(amount));
    case HistoryUnit::count:
      break;
  }
  return count_text(amount);
}

SafeHtml left_out_note(std::uint64_t count, std::string_view what) {
  if (count == 0) return {};
  const std::string text = text::counted(count, "more " + std::string(what)) +
                           (count == 1 ? " is" : " are") + " not shown.";
  return Html().element("p", {{"class", "quiet"}}, text).finish();
}

SafeHtml failure_table(const RunView& view, std::size_t most_rows, const RunLinks& links) {
  if (view.failures.empty()) return {};
  DataTable table{.caption = "Failures by reason", .is_caption_hidden = true};
  table.columns = {{.title = "tasks", .is_number = true},
                   {.title = "share"},
                   {.title = "reason", .is_header = true},
                   {.title = "for example"},
                   {.title = "first"},
                   {.title = "last"}};
  const auto all = static_cast<double>(view.status.tally.dead());
  const auto most = static_cast<double>(view.failures.front().count);
  const std::size_t rows = std::min(view.failures.size(), most_rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const journal::FailureGroup& one = view.failures[i];
    const auto count = static_cast<double>(one.count);
    const std::string step = one.step.empty() ? "" : one.step + ": ";
    const std::string url =
        view.has_reasons ? links.failures_of(one.id) : links.tasks() + "?state=failed";
    table.rows.push_back({words(count_text(one.count)),
                          html::share_bar(ratio(count, all), ratio(count, most), PlotColor::red),
                          links.to(url, words(step + one.reason)),
                          links.to(links.task(one.first), html::file_name(one.example)),
                          words(cli::local_second(one.first_at)),
                          words(cli::local_second(one.last_at))});
  }
  return with_note(html::data_table(table), left_out_note(view.failures.size() - rows, "reason"));
}

SafeHtml slowest_table(const RunView& view, const RunLinks& links) {
  const auto& slowest = view.history.slowest;
  if (slowest.empty()) return {};
  const std::span<const history::SlowTask> all(slowest);
  const std::size_t shown = std::min(all.size(), kShownSlow);
  Html html;
  html.add(slow_rows(view, "Slowest attempts", all.first(shown), links));
  if (shown < all.size()) {
    html.element("details", {}, [&] {
      html.element("summary", {}, text::count_text(all.size() - shown) + " more");
      html.add(slow_rows(view, "More slow attempts", all.subspan(shown), links));
    });
  }
  return html.finish();
}

SafeHtml job_parts(const RunView& view) {
  std::vector<SafeHtml> boxes;
  for (const HistoryPart& part : view.history.parts) {
    if (!part.rows.empty()) boxes.push_back(part_card(part));
  }
  return boxes.empty() ? SafeHtml() : html::cards(boxes);
}

SafeHtml settings_table(const RunView& view) {
  DataTable table{.caption = "Settings", .is_caption_hidden = true};
  table.columns = {{.title = "setting", .is_header = true}, {.title = "value"}};
  std::size_t arguments = 0;
  bool is_flag_over = false;  // after --, everything belongs to the command
  for (const std::string& word : view.status.card.arguments) {
    const auto equals = word.find('=');
    if (!is_flag_over && word == "--") {
      is_flag_over = true;
      arguments = 0;
    } else if (!is_flag_over && word.starts_with("--")) {
      const bool has_value = equals != std::string::npos;
      table.rows.push_back({html::file_name(word.substr(0, equals)),
                            has_value ? html::file_name(word.substr(equals + 1)) : words("on")});
    } else {
      const std::string what = is_flag_over ? "word of the command " : "argument ";
      table.rows.push_back({words(what + std::to_string(++arguments)), html::file_name(word)});
    }
  }
  const run::RunCard& card = view.status.card;
  table.rows.push_back({words("directory"), html::file_name(card.directory)});
  table.rows.push_back({words("version"), words(card.version)});
  return html::data_table(table);
}

SafeHtml session_table(const RunView& view) {
  const auto& sessions = view.history.sessions;
  if (sessions.empty()) return {};
  DataTable table{.caption = "Processes that worked on the run", .is_caption_hidden = true};
  table.columns = {{.title = "process", .is_number = true},
                   {.title = "began", .is_header = true},
                   {.title = "host"},
                   {.title = "system"},
                   {.title = "cores", .is_number = true},
                   {.title = "memory", .is_number = true}};
  for (const history::RunSession& one : sessions) {
    table.rows.push_back({words(std::to_string(one.number)), words(cli::local_second(one.began)),
                          html::file_name(one.host), words(one.system),
                          words(count_text(one.cores)),
                          words(text::bytes_text(Bytes{one.memory}))});
  }
  return with_note(html::data_table(table),
                   left_out_note(sessions.front().number - 1, "earlier process"));
}

}  // namespace tidemill::pages
