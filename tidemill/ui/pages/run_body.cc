#include "tidemill/ui/pages/run_body.h"

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/pages/run_plots.h"
#include "tidemill/ui/pages/run_tables.h"

namespace tidemill::pages {
namespace {

using html::Html;
using html::PageFact;
using html::PlotColor;
using html::SafeHtml;
using text::count_text;

constexpr std::size_t kMostReasons = 100;

std::string command_line(const RunView& view, const command::Program& program) {
  const run::RunCard& card = view.status.card;
  std::vector<std::string> words = {program.name, card.job};
  for (std::string& word : cli::chosen_arguments(card, program)) words.push_back(std::move(word));
  return text::shell_line(words);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "0 %"
                    : fmt::format("{:.2f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

SafeHtml facts(const RunView& view) {
  const engine::Tally& tally = view.status.tally;
  const std::uint64_t settled = tally.found() - tally.pending();
  const double worked = std::chrono::duration<double>(view.worked()).count();
  std::vector<PageFact> all = {
      {.name = "started", .value = cli::local_second(view.status.card.started)},
      {.name = "time of work", .value = text::duration_text(view.worked())}};
  if (worked > 0)
    all.push_back({"mean rate", text::rate_text(static_cast<double>(settled) / worked)});
  all.push_back({"failure rate", share_text(tally.failed(), settled)});
  if (tally.abandoned() > 0 && view.status.has_journal) {
    all.push_back({"dropped failures", count_text(tally.abandoned())});
  }
  double busy = 0;
  double places = 0;
  for (const history::Sample& one : view.samples()) {
    busy += one.busy;
    places += static_cast<double>(one.places);
  }
  if (places > 0) all.push_back({"workers busy", fmt::format("{:.0f} %", 100 * busy / places)});
  if (!view.history.sessions.empty()) {
    all.push_back({"processes", count_text(view.history.sessions.back().number)});
  }
  return html::fact_list(all);
}

// "found = done + skipped + failed + left", with the numbers.
SafeHtml equation(const RunView& view) {
  const engine::Tally& tally = view.status.tally;
  return Html()
      .element("p", {{"class", "quiet"}},
               fmt::format("{} found = {} done + {} skipped + {} failed + {} left",
                           count_text(tally.found()), count_text(tally.done()),
                           count_text(tally.skipped()), count_text(tally.failed()),
                           count_text(tally.pending())))
      .finish();
}

std::vector<std::string> next_commands(const RunView& view, const command::Program& program) {
  const std::string& id = view.status.folder.id();
  std::vector<std::string> lines;
  const auto add = [&](std::vector<std::string> words) {
    words.insert(words.begin(), program.name);
    lines.push_back(text::shell_line(words));
  };
  const bool is_finished = view.status.card.ending == run::kComplete;
  if (view.status.has_work_left() && !view.is_live() && !is_finished) add({"resume", id});
  if (view.status.tally.dead() > 0) {
    add({"failures", id});
    if (!view.is_live()) add({"failures", id, "retry", "--all"});
  }
  return lines;
}

void add_section(Html& body, const std::string& heading, const std::string& note,
                 const SafeHtml& content) {
  if (!content.empty()) body.add(html::card(heading, note, content));
}

std::string failure_note(const RunView& view) {
  return view.failures.empty() ? "" : text::counted(view.failures.size(), "reason");
}

// What else there is about the run.
SafeHtml links_line(const RunView& view, const RunLinks& links) {
  const bool has_tasks = view.status.has_journal;
  if (!links.exist() || (!has_tasks && links.comparison.empty())) return {};
  Html html;
  html.element("p", {{"class", "pager"}}, [&] {
    if (has_tasks) html.add(html::link(links.tasks(), html::words("All tasks")));
    if (has_tasks && view.status.tally.pending() > 0) {
      html.add(html::link(links.tasks() + "?state=pending", html::words("Tasks that are left")));
    }
    if (view.status.tally.dead() > 0) {
      html.add(html::link(links.failures(), html::words("Failures by reason")));
    }
    if (!links.comparison.empty()) {
      html.add(html::link(links.comparison, html::words("Compare with the previous run")));
    }
  });
  return html.finish();
}

}  // namespace

PlotColor state_color(const std::string& state) {
  if (state == run::kComplete) return PlotColor::green;
  return state == run::kRunning ? PlotColor::blue : PlotColor::amber;
}

html::TaskCounts counts_of(const cli::RunStatus& run_status) {
  const engine::Tally& tally = run_status.tally;
  return {.done = tally.done(),
          .skipped = tally.skipped(),
          .failed = tally.failed(),
          .left = tally.pending(),
          .is_counting = !run_status.card.has_found_all};
}

SafeHtml run_heading(const cli::RunStatus& run_status) {
  return html::page_heading(run_status.card.job, run_status.folder.id(), run_status.state,
                            state_color(run_status.state));
}

SafeHtml run_body(const RunView& view, const command::Program& program,
                  const std::optional<Comparison>& comparison, const RunLinks& links) {
  Html body;
  body.add(run_heading(view.status)).add(html::command_box(command_line(view, program)));
  if (!view.status.card.cause.empty()) {
    body.element("p", {}, "It ended because: " + text::printable(view.status.card.cause));
  }
  body.add(html::progress_bar(counts_of(view.status))).add(equation(view)).add(facts(view));
  body.add(links_line(view, links));
  if (comparison) body.add(comparison_part(view, *comparison));
  if (view.samples().empty()) {
    body.element("p", {{"class", "quiet"}},
                 "This run has no history: it was made by an older version, or has just begun.");
  }
  body.add(run_plots(view));
  add_section(body, "Failures by reason", failure_note(view),
              failure_table(view, kMostReasons, links));
  body.add(job_parts(view));
  add_section(body, "Slowest attempts", "", slowest_table(view, links));
  Html next;
  for (const std::string& line : next_commands(view, program)) next.add(html::command_box(line));
  add_section(body, "Next commands", "", next.finish());
  add_section(body, "Processes", "that worked on the run", session_table(view));
  add_section(body, "Settings", "with their defaults", settings_table(view));
  return body.finish();
}

}  // namespace tidemill::pages
