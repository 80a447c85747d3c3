#include "tidemill/ui/pages/comparison.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/pages.h"
#include "tidemill/ui/pages/run_plots.h"
#include "tidemill/ui/pages/run_tables.h"

namespace tidemill::pages {
namespace {

using html::DataTable;
using html::Html;
using html::SafeHtml;
using html::words;
using text::count_text;

using Failing = Comparison::Failing;
using Reasons = std::unordered_map<std::string, std::string>;  // by the name of the task

// Of the dead tasks, `most` at most. False in `is_all`: there are more.
Result<Reasons> failures_of(const RunView& view, std::size_t most, bool& is_all) {
  Reasons reasons;
  if (!view.status.has_journal) return reasons;
  LET(const auto journal, cli::open_to_read(view.status.folder));
  engine::TaskId after = 0;
  constexpr std::size_t kPage = 5'000;
  while (true) {
    const std::size_t limit = std::min(kPage, most - std::min(most, reasons.size()) + 1);
    LET(auto page, journal->tasks(after, limit, engine::TaskState::dead));
    for (engine::TaskRecord& one : page) {
      after = one.id;
      const Failure failure = one.failures.value_or(engine::TaskFailures{}).failure;
      reasons.emplace(std::move(one.subject), failure.step + ": " + failure.reason);
    }
    if (page.size() < limit) return reasons;
    if (reasons.size() > most) {
      is_all = false;
      return reasons;
    }
  }
}

// The names in `here` that are not in `there`, the first ones in their order.
std::uint64_t take_others(const Reasons& here, const Reasons& there, std::vector<Failing>& taken) {
  for (const auto& [name, reason] : here) {
    if (!there.contains(name)) taken.push_back({name, reason});
  }
  const std::uint64_t count = taken.size();
  std::ranges::sort(taken, {}, &Failing::name);
  if (taken.size() > Comparison::kMostNames) taken.resize(Comparison::kMostNames);
  return count;
}

std::vector<Comparison::Slower> slower_of(const RunView& run, const RunView& other) {
  std::unordered_map<std::string_view, std::chrono::nanoseconds> before;
  for (const auto& one : other.history.slowest) before.emplace(one.attempt.note, one.attempt.took);
  std::vector<Comparison::Slower> all;
  for (const auto& one : run.history.slowest) {
    const auto found = before.find(one.attempt.note);
    if (one.attempt.note.empty() || found == before.end()) continue;
    if (one.attempt.took > found->second) {
      all.push_back({.name = one.attempt.note, .now = one.attempt.took, .before = found->second});
    }
    before.erase(found);  // one row per name
  }
  std::ranges::sort(all, std::greater<>(), [](const auto& one) { return one.now - one.before; });
  return all;
}

double per_second(const RunView& view) {
  const double worked = std::chrono::duration<double>(view.worked()).count();
  const engine::Tally& tally = view.status.tally;
  return worked > 0 ? static_cast<double>(tally.found() - tally.pending()) / worked : 0;
}

std::chrono::nanoseconds percentile_of(const RunView& view, double percent) {
  engine::HistogramSnapshot all;
  for (const auto& one : durations_by_type(view.history)) all += one.times;
  return all.percentile(percent);
}

SafeHtml sums_table(const RunView& run, const RunView& other) {
  DataTable table{.caption = "Both runs side by side", .is_caption_hidden = true};
  table.columns = {{.title = "", .is_title_hidden = true, .is_header = true},
                   {.title = "this run", .is_number = true},
                   {.title = other.status.folder.id(), .is_number = true}};
  table.columns.front().title = "number";
  const auto add = [&](const char* name, const auto& text_of) {
    table.rows.push_back({words(name), words(text_of(run)), words(text_of(other))});
  };
  const auto count = [](auto member) {
    return [member](const RunView& view) { return count_text((view.status.tally.*member)()); };
  };
  add("found", count(&engine::Tally::found));
  add("done", [](const RunView& view) { return count_text(view.status.tally.done()); });
  add("skipped", [](const RunView& view) { return count_text(view.status.tally.skipped()); });
  add("failed", count(&engine::Tally::failed));
  add("left", count(&engine::Tally::pending));
  add("time of work", [](const RunView& view) { return text::duration_text(view.worked()); });
  add("rate", [](const RunView& view) { return text::rate_text(per_second(view)); });
  for (const auto& [name, percent] :
       {std::pair{"p50 of attempts", 50.0}, {"p95 of attempts", 95.0}, {"p99 of attempts", 99.0}}) {
    add(name, [share = percent](const RunView& view) {
      return text::duration_text(percentile_of(view, share));
    });
  }
  return html::data_table(table);
}

SafeHtml names_table(const std::string& caption, const std::vector<Failing>& names,
                     std::uint64_t count) {
  if (names.empty()) return Html().element("p", {{"class", "quiet"}}, "none").finish();
  DataTable table{.caption = caption, .is_caption_hidden = true};
  table.columns = {{.title = "name", .is_header = true}, {.title = "reason"}};
  for (const Failing& one : names) {
    table.rows.push_back({html::file_name(one.name), words(one.reason)});
  }
  return Html()
      .add(html::data_table(table))
      .add(left_out_note(count - names.size(), "task"))
      .finish();
}

SafeHtml slower_table(const std::vector<Comparison::Slower>& slower) {
  if (slower.empty()) return Html().element("p", {{"class", "quiet"}}, "none").finish();
  DataTable table{.caption = "Slower tasks", .is_caption_hidden = true};
  table.columns = {{.title = "name", .is_header = true},
                   {.title = "this run", .is_number = true},
                   {.title = "the other", .is_number = true}};
  for (const auto& one : slower) {
    table.rows.push_back({html::file_name(one.name), words(text::duration_text(one.now)),
                          words(text::duration_text(one.before))});
  }
  return html::data_table(table);
}

}  // namespace

Result<Comparison> compare(const RunView& run, RunView other, std::size_t most_failures) {
  Comparison comparison{.other = std::move(other), .most_failures = most_failures};
  bool is_all = true;
  LET(const auto here, failures_of(run, most_failures, is_all));
  LET(const auto there, failures_of(comparison.other, most_failures, is_all));
  comparison.newly_failing_count = take_others(here, there, comparison.newly_failing);
  comparison.mended_count = take_others(there, here, comparison.mended);
  comparison.is_cut = !is_all;
  comparison.slower = slower_of(run, comparison.other);
  return comparison;
}

SafeHtml comparison_part(const RunView& run, const Comparison& comparison) {
  const std::string& id = comparison.other.status.folder.id();
  std::vector<SafeHtml> boxes = {
      html::card("Compared with", id, sums_table(run, comparison.other)),
      html::card("Newly failing", count_text(comparison.newly_failing_count),
                 names_table("Newly failing tasks", comparison.newly_failing,
                             comparison.newly_failing_count)),
      html::card(
          "No longer failing", count_text(comparison.mended_count),
          names_table("Tasks that no longer fail", comparison.mended, comparison.mended_count)),
      html::card("Slower", "among the slowest of both runs", slower_table(comparison.slower))};
  Html html;
  html.add(html::cards(boxes));
  if (comparison.is_cut) {
    html.element("p", {{"class", "quiet"}},
                 "A run has more failures than are compared: the first " +
                     count_text(comparison.most_failures) + " of each.");
  }
  return html.finish();
}

}  // namespace tidemill::pages
