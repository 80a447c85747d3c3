#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/app/runs/failure_text.h"
#include "tidemill/app/serve/serve_screens.h"
#include "tidemill/app/serve/task_words.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/state/history/history.h"
#include "tidemill/ui/command/kinds.h"

namespace tidemill::app {
namespace {

using engine::TaskId;
using engine::TaskState;
using html::Html;
using html::SafeHtml;
using html::words;
using text::count_text;

// One part of a search, then the reader decides whether to go on.
constexpr std::chrono::milliseconds kSearchSlice{200};

struct TaskFilter {
  std::optional<TaskState> state{};
  std::string text{};
  TaskId after = 0;

  [[nodiscard]] std::string query_after(TaskId last) const {
    web::Form form;
    if (state) form.fields.emplace_back("state", state_word(*state));
    if (!text.empty()) form.fields.emplace_back("q", text);
    if (last > 0) form.fields.emplace_back("after", std::to_string(last));
    return form.fields.empty() ? "" : "?" + web::text_of(form);
  }
};

constexpr std::array<TaskState, engine::kTaskStates> kStates = {
    TaskState::pending, TaskState::done, TaskState::skipped, TaskState::dead, TaskState::abandoned};

std::optional<TaskState> state_in(const web::Form& query) {
  const std::string wanted = text_in(query, "state");
  for (const TaskState state : kStates) {
    if (wanted == state_word(state) || wanted == name_of(state)) return state;
  }
  return std::nullopt;
}

SafeHtml search_form(const TaskFilter& filter, const pages::RunLinks& links) {
  Html html;
  html.element(
      "form", {{"class", "form"}, {"method", "get"}, {"action", links.tasks()}, {"role", "search"}},
      [&] {
        html.element("label", {}, [&] {
          html.text("state ").element("select", {{"name", "state"}}, [&] {
            html.element("option", {{"value", ""}}, "all");
            for (const TaskState state : kStates) {
              const std::string_view word = state_word(state);
              html.element("option", {{"value", word}, {"selected", filter.state == state}}, word);
            }
          });
        });
        html.element("label", {}, [&] {
          html.text("name contains ")
              .element("input", {{"type", "search"}, {"name", "q"}, {"value", filter.text}});
        });
        html.element("button", {{"type", "submit"}}, "Search");
      });
  html.element("form", {{"class", "form"}, {"method", "get"}, {"action", links.tasks()}}, [&] {
    html.element("label", {}, [&] {
      html.text("number of a task ")
          .element("input", {{"type", "text"}, {"name", "id"}, {"inputmode", "numeric"}});
    });
    html.element("button", {{"type", "submit"}}, "Show it");
  });
  return html.finish();
}

// A search with nothing to search for is a plain page where there is an index.
Result<journal::FoundTasks> find_tasks(const journal::SqliteJournal& journal,
                                       const TaskFilter& filter, const Clock& clock) {
  const bool has_index =
      !filter.state || filter.state == TaskState::pending || filter.state == TaskState::dead;
  if (!filter.text.empty() || !has_index) {
    const Instant until = clock.now() + kSearchSlice;
    return journal.search(
        {.after = filter.after, .limit = kTasksOnPage, .state = filter.state, .text = filter.text},
        [&] { return clock.now() < until; });
  }
  journal::FoundTasks found{.is_over = true};
  LET(found.tasks, journal.tasks(filter.after, kTasksOnPage + 1, filter.state));
  if (found.tasks.size() > kTasksOnPage) {
    found.tasks.pop_back();
    found.is_over = false;
  }
  if (!found.tasks.empty()) found.searched_to = found.tasks.back().id;
  return found;
}

// What is not on this page, and the way there.
SafeHtml task_pager(const TaskFilter& filter, const journal::FoundTasks& found, TaskId highest,
                    const pages::RunLinks& links) {
  if (found.is_over && filter.after == 0) return {};
  const bool is_cut = !found.is_over && found.tasks.size() < kTasksOnPage;
  Html html;
  html.element("p", {{"class", "pager"}}, [&] {
    if (filter.after > 0) {
      html.add(html::link(links.tasks() + filter.query_after(0), words("From the first")));
    }
    if (found.is_over) return;
    const std::string text =
        "searched to task " + count_text(found.searched_to) + " of " + count_text(highest);
    html.add(html::link(links.tasks() + filter.query_after(found.searched_to),
                        words(is_cut ? "Continue the search" : "Next")));
    html.element(
        "span", {{"class", "quiet"}},
        is_cut ? text : "tasks behind " + count_text(found.searched_to) + " are not shown here");
  });
  return html.finish();
}

std::vector<std::string> commands_for(const engine::TaskRecord& task, const run::RunFolder& folder,
                                      bool is_live) {
  const std::string id = std::to_string(task.id);
  std::vector<std::string> lines;
  const auto add = [&](const std::vector<std::string>& line) {
    lines.push_back(text::shell_line(line));
  };
  add({folder.program(), "show", folder.id(), id});
  if (task.state == TaskState::dead && !is_live) {
    add({folder.program(), "failures", folder.id(), "retry", id});
    add({folder.program(), "failures", folder.id(), "drop", id});
  }
  return lines;
}

std::vector<history::SlowTask> slow_attempts(const journal::SqliteJournal& journal, TaskId id) {
  std::vector<history::SlowTask> slow = journal.history().value_or(history::RunHistory{}).slowest;
  std::erase_if(slow, [&](const history::SlowTask& one) { return one.attempt.task != id; });
  return slow;
}

}  // namespace

Result<ServedScreen> tasks_screen(ServeContext& context, const run::RunFolder& folder,
                                  const web::Form& query) {
  const pages::RunLinks links{.base = "/run/" + folder.id()};
  if (const auto id = command::parse_count(text_in(query, "id"))) {
    return ServedScreen{.location = links.task(*id)};
  }
  LET(const auto journal, cli::open_to_read(folder));
  const TaskFilter filter{
      .state = state_in(query), .text = text_in(query, "q"), .after = after_in(query)};
  LET(auto found, find_tasks(*journal, filter, context.clock));
  LET(const TaskId next, journal->next_id());
  LET(const TaskWords task_words, TaskWords::of(*journal, context.app));

  Html body;
  body.add(html::page_heading("Tasks", folder.id()));
  body.element("p", {{"class", "pager"}},
               [&] { body.add(html::link(links.base, words("The run"))); });
  body.add(search_form(filter, links));
  const SafeHtml pager = task_pager(filter, found, next - 1, links);
  if (found.tasks.empty()) {
    body.element("p", {}, found.is_over ? "No more tasks match." : "No task matches so far.");
  } else {
    body.add(pages::task_table("Tasks", task_words.shown(std::move(found.tasks)), links));
  }
  body.add(pager);
  return ServedScreen{.title = "Tasks of " + folder.id(), .body = body.finish()};
}

Result<ServedScreen> task_screen(ServeContext& context, const run::RunFolder& folder,
                                 const std::string& number) {
  LET(const auto journal, cli::open_to_read(folder));
  const auto id = command::parse_count(number);
  std::optional<engine::TaskRecord> task;
  if (id) {
    LET(task, journal->task(*id));
  }
  if (!task) {
    return notice_screen(404, "No such task", "This run has no task with this number.");
  }
  const auto holder = run::is_held(folder.lock());
  const bool is_live = holder && holder->has_value();
  LET(const TaskWords task_words, TaskWords::of(*journal, context.app));
  pages::TaskPage page{.slow = slow_attempts(*journal, *id),
                       .by_hand = task_words.by_hand(*task),
                       .next_commands = commands_for(*task, folder, is_live)};
  LET(page.checkpoint, journal->checkpoint(*id));
  page.output = last_words(page.checkpoint);
  const bool is_open = task->state == TaskState::pending;
  page.shown = task_words.shown(*std::move(task));
  return ServedScreen{.title = "Task " + std::to_string(*id) + " of " + folder.id(),
                      .body = pages::task_body(page, folder.id(), {.base = "/run/" + folder.id()}),
                      .is_live = is_live && is_open};
}

}  // namespace tidemill::app
