#include "tidemill/ui/pages/task_tables.h"

#include <algorithm>

#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/run_text.h"

namespace tidemill::pages {
namespace {

using engine::TaskState;
using html::DataTable;
using html::Html;
using html::PlotColor;
using html::SafeHtml;
using html::words;

PlotColor task_color(TaskState state) {
  switch (state) {
    case TaskState::done:
      return PlotColor::green;
    case TaskState::dead:
    case TaskState::abandoned:
      return PlotColor::red;
    case TaskState::pending:
      return PlotColor::blue;
    case TaskState::skipped:
      break;
  }
  return PlotColor::grey;
}

std::string attempts_line(const engine::TaskRecord& task) {
  std::string line = std::to_string(task.attempts);
  if (task.crashes > 0) {
    line += ", and " + text::counted(static_cast<std::uint64_t>(task.crashes), "crash", "crashes") +
            " of the program";
  }
  return line;
}

SafeHtml fact_table(const TaskPage& page) {
  const engine::TaskRecord& task = page.shown.task;
  DataTable table{.caption = "The task", .is_caption_hidden = true};
  table.columns = {{.title = "fact", .is_header = true}, {.title = "value"}};
  const auto add = [&](const char* name, SafeHtml value) {
    table.rows.push_back({words(name), std::move(value)});
  };
  add("name", html::file_name(task.subject));
  if (!task.type.empty()) add("type", html::file_name(task.type));
  add("attempts", words(attempts_line(task)));
  if (task.weight > 0) add("size", words(text::bytes_text({task.weight})));
  if (!page.shown.outcome.empty() && !task.failures) {
    add("outcome", html::file_name(page.shown.outcome));
  }
  if (task.state == TaskState::pending && task.not_before != WallTime{}) {
    add("not before", words(cli::local_second(task.not_before)));
  }
  if (task.failures) {
    const Failure& failure = task.failures->failure;
    add("failed in step", html::file_name(failure.step));
    add("reason", html::file_name(failure.reason));
    if (!failure.hint.empty()) add("hint", html::file_name(failure.hint));
    add("first failed", words(cli::local_second(task.failures->first)));
    add("last failed", words(cli::local_second(task.failures->last)));
  }
  return html::data_table(table);
}

SafeHtml attempt_table(const std::vector<history::SlowTask>& slow) {
  DataTable table{.caption = "Slow attempts", .is_caption_hidden = true};
  table.columns = {{.title = "attempt", .is_number = true, .is_header = true},
                   {.title = "took", .is_number = true},
                   {.title = "ended"},
                   {.title = "host"}};
  for (const history::SlowTask& one : slow) {
    table.rows.push_back({words(std::to_string(one.attempt.attempt)),
                          words(text::duration_text(one.attempt.took)),
                          words(cli::local_second(one.attempt.ended)), html::file_name(one.host)});
  }
  return html::data_table(table);
}

// Line by line: each is escaped, and stays a line.
SafeHtml output_box(std::string_view output) {
  Html html;
  html.element("section",
               {{"class", "output mono"}, {"tabindex", 0}, {"aria-label", "end of the output"}},
               [&] {
                 while (!output.empty()) {
                   const std::string_view line = output.substr(0, output.find('\n'));
                   output.remove_prefix(std::min(output.size(), line.size() + 1));
                   html.name(line).element("br");
                 }
               });
  return html.finish();
}

SafeHtml checkpoint_table(const engine::Checkpoint& checkpoint) {
  DataTable table{.caption = "Checkpoint", .is_caption_hidden = true};
  table.columns = {{.title = "fact", .is_header = true}, {.title = "value"}};
  table.rows.push_back({words("steps done"), words(std::to_string(checkpoint.steps_done))});
  table.rows.push_back({words("last step"), html::file_name(checkpoint.last_step)});
  table.rows.push_back({words("data"), html::file_name(checkpoint.data)});
  for (const std::string& warning : checkpoint.warnings) {
    table.rows.push_back({words("warning"), html::file_name(warning)});
  }
  return html::data_table(table);
}

SafeHtml command_boxes(const std::vector<std::string>& lines) {
  Html html;
  for (const std::string& line : lines) html.add(html::command_box(line));
  return html.finish();
}

}  // namespace

SafeHtml task_table(const std::string& caption, const std::vector<ShownTask>& tasks,
                    const RunLinks& links) {
  DataTable table{.caption = caption, .is_caption_hidden = true};
  table.columns = {{.title = "task", .is_number = true},
                   {.title = "state"},
                   {.title = "attempts", .is_number = true},
                   {.title = "outcome"},
                   {.title = "name", .is_header = true}};
  for (const ShownTask& one : tasks) {
    const std::string id = std::to_string(one.task.id);
    table.rows.push_back({links.to(links.task(one.task.id), words(id)), words(one.state),
                          words(std::to_string(one.task.attempts)), html::file_name(one.outcome),
                          html::file_name(one.name)});
  }
  return html::data_table(table);
}

SafeHtml task_body(const TaskPage& page, const std::string& run, const RunLinks& links) {
  const std::string id = std::to_string(page.shown.task.id);
  Html html;
  html.add(
      html::page_heading("Task " + id, run, page.shown.state, task_color(page.shown.task.state)));
  html.element("p", {{"class", "pager"}}, [&] {
    html.add(html::link(links.base, words("The run")))
        .add(html::link(links.tasks(), words("Tasks")));
    if (page.shown.task.state == TaskState::dead) {
      html.add(html::link(links.failures(), words("Failures by reason")));
    }
  });
  html.add(html::card("Facts", "", fact_table(page)));
  if (!page.output.empty()) {
    html.add(html::card("Output", "the end of it", output_box(page.output)));
  } else if (page.checkpoint) {
    html.add(html::card("Checkpoint", "", checkpoint_table(*page.checkpoint)));
  }
  if (!page.slow.empty()) {
    html.add(html::card("Attempts", "among the slowest of the run", attempt_table(page.slow)));
  }
  if (!page.by_hand.empty()) {
    html.add(html::card("Repeat it by hand", "in a shell", command_boxes(page.by_hand)));
  }
  if (!page.next_commands.empty()) {
    html.add(html::card("Next commands", "", command_boxes(page.next_commands)));
  }
  return html.finish();
}

}  // namespace tidemill::pages
