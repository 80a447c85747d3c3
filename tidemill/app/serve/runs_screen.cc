#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/app/serve/serve_screens.h"
#include "tidemill/app/serve/task_words.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/progress_bar.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/pages/run_body.h"

namespace tidemill::app {
namespace {

using html::Html;
using html::SafeHtml;
using html::words;
using text::count_text;

constexpr std::size_t kRunsOnPage = 50;
constexpr std::size_t kCommandColumns = 80;
// What a search for runs in a state may take before it says how far it came.
constexpr std::chrono::milliseconds kSlice{200};

const std::vector<std::string>& run_states() {
  static const std::vector<std::string> kStates = {
      std::string(run::kRunning),     std::string(run::kComplete), std::string(cli::kIncomplete),
      std::string(run::kInterrupted), std::string(run::kHalted),   std::string(run::kFailed),
      std::string(cli::kCrashed),     std::string(cli::kStarting), std::string(cli::kUndone),
      std::string(cli::kUnreadable)};
  return kStates;
}

void add_choice(Html& html, const std::string& name, const std::string& chosen,
                const std::vector<std::string>& choices) {
  html.element("label", {}, [&] {
    html.text(name).text(" ");
    html.element("select", {{"name", name}}, [&] {
      html.element("option", {{"value", ""}}, "all");
      for (const std::string& one : choices) {
        html.element("option", {{"value", one}, {"selected", one == chosen}}, one);
      }
    });
  });
}

struct RunFilter {
  std::string job{};
  std::string state{};
  std::string after{};

  [[nodiscard]] bool is_empty() const { return job.empty() && state.empty(); }
  [[nodiscard]] std::string url_after(const std::string& id) const {
    web::Form form;
    if (!job.empty()) form.fields.emplace_back("job", job);
    if (!state.empty()) form.fields.emplace_back("state", state);
    if (!id.empty()) form.fields.emplace_back("after", id);
    return form.fields.empty() ? "/" : "/?" + web::text_of(form);
  }
};

SafeHtml filter_form(const RunFilter& filter, const std::vector<run::RunFolder>& all) {
  std::set<std::string> jobs;
  for (const run::RunFolder& one : all) jobs.emplace(one.job());
  Html html;
  html.element("form", {{"class", "form"}, {"method", "get"}, {"action", "/"}}, [&] {
    add_choice(html, "job", filter.job, {jobs.begin(), jobs.end()});
    add_choice(html, "state", filter.state, run_states());
    html.element("button", {{"type", "submit"}}, "Filter");
    if (!filter.is_empty()) html.add(html::link("/", words("Show all")));
  });
  return html.finish();
}

std::vector<SafeHtml> run_row(const ListedRun& one, const command::Program& program) {
  const cli::RunStatus& status = one.status;
  const engine::Tally& tally = status.tally;
  const auto count = [&](std::uint64_t number) {
    return words(one.has_counts ? count_text(number) : "-");
  };
  const std::string color(css_class(pages::state_color(status.state)));
  std::string command;
  if (!status.problem) {
    command = cli::command_text(status.card, program, kCommandColumns);
  } else if (!status.is_starting()) {
    command = text::printable(text_of(*status.problem));
  }
  return {html::link("/run/" + status.folder.id(), words(status.folder.id())),
          Html().element("span", {{"class", "pill " + color}}, status.state).finish(),
          one.has_counts ? html::small_progress_bar(pages::counts_of(status)) : SafeHtml(),
          count(tally.done()),
          count(tally.skipped()),
          count(tally.failed()),
          count(tally.pending()),
          words(one.rate > 0 ? text::rate_text(one.rate) : ""),
          words(status.problem ? "" : cli::local_minute(status.card.started)),
          Html().element("span", {{"class", "mono"}}, command).finish()};
}

SafeHtml runs_table(const std::vector<ListedRun>& shown, const command::Program& program) {
  html::DataTable table{.caption = "Runs, newest first", .is_caption_hidden = true};
  table.columns = {{.title = "run", .is_header = true},
                   {.title = "state"},
                   {.title = "progress"},
                   {.title = "done", .is_number = true},
                   {.title = "skipped", .is_number = true},
                   {.title = "failed", .is_number = true},
                   {.title = "left", .is_number = true},
                   {.title = "rate", .is_number = true},
                   {.title = "started"},
                   {.title = "command"}};
  for (const ListedRun& one : shown) table.rows.push_back(run_row(one, program));
  return html::data_table(table);
}

// The runs behind `after`, also if that has been removed since.
std::size_t place_after(const std::vector<run::RunFolder>& all, const std::string& after) {
  if (after.empty()) return 0;
  const auto found = std::ranges::find(all, after, &run::RunFolder::id);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin()) + 1;
  const auto older = std::ranges::find_if(all, [&](const auto& one) { return one.id() < after; });
  return static_cast<std::size_t>(older - all.begin());
}

struct FoundRuns {
  std::vector<ListedRun> shown{};
  std::size_t older = 0;  // runs of this job that were not looked at
  std::string last{};     // the last one that was looked at
};

FoundRuns find_runs(ServeContext& context, const RunFilter& filter,
                    const std::vector<run::RunFolder>& all) {
  FoundRuns found;
  const Instant until = context.clock.now() + kSlice;
  for (std::size_t i = place_after(all, filter.after); i < all.size(); ++i) {
    if (!filter.job.empty() && all[i].job() != filter.job) continue;
    const bool is_late = !filter.state.empty() && context.clock.now() >= until;
    if (found.shown.size() == kRunsOnPage || is_late) {
      ++found.older;
      continue;
    }
    found.last = all[i].id();
    ListedRun run = context.runs.look_at(all[i]);
    if (!filter.state.empty() && run.status.state != filter.state) continue;
    found.shown.push_back(std::move(run));
  }
  return found;
}

SafeHtml runs_pager(const RunFilter& filter, const FoundRuns& found) {
  if (found.older == 0 && filter.after.empty()) return {};
  const bool is_cut = found.shown.size() < kRunsOnPage && found.older > 0;
  Html html;
  html.element("p", {{"class", "pager"}}, [&] {
    if (!filter.after.empty()) html.add(html::link(filter.url_after(""), words("Newest")));
    if (found.older == 0) return;
    const std::string what = text::counted(found.older, "older run");
    html.add(html::link(filter.url_after(found.last),
                        words(is_cut ? "Search the " + what + " too" : "Older runs")));
    html.element("span", {{"class", "quiet"}},
                 what + (is_cut ? " not searched yet" : " not shown here"));
  });
  return html.finish();
}

}  // namespace

Result<ServedScreen> runs_screen(ServeContext& context, const web::Form& query) {
  const RunFilter filter{.job = text_in(query, "job"),
                         .state = text_in(query, "state"),
                         .after = text_in(query, "after")};
  LET(const auto all, context.runs.all());
  const FoundRuns found = find_runs(context, filter, all);
  Html body;
  body.element("h1", {}, [&] {
    body.text("Runs ").element("span", {{"class", "quiet"}}, count_text(all.size()));
  });
  body.add(filter_form(filter, all));
  if (!found.shown.empty()) {
    body.add(runs_table(found.shown, context.program));
  } else {
    body.element("p", {}, all.empty() ? "There are no runs yet." : "No run matches.");
  }
  body.add(runs_pager(filter, found));
  return ServedScreen{.title = "Runs",
                      .body = body.finish(),
                      .is_live = std::ranges::any_of(found.shown, [](const ListedRun& one) {
                        return one.status.holder.has_value();
                      })};
}

}  // namespace tidemill::app
