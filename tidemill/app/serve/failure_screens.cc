#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/serve/serve_screens.h"
#include "tidemill/app/serve/task_words.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/pages/run_tables.h"
#include "tidemill/ui/pages/run_view.h"

namespace tidemill::app {
namespace {

using html::Html;
using html::words;

constexpr std::size_t kReasonsOnPage = 1'001;  // all that a journal counts apart, and the others
constexpr const char* kOldJournal =
    "An older version of the program wrote this journal and did not count failures by reason. "
    "resume or failures retry brings it up to date.";

void add_run_links(Html& body, const pages::RunLinks& links) {
  body.element("p", {{"class", "pager"}}, [&] {
    body.add(html::link(links.base, words("The run")));
    body.add(html::link(links.tasks() + "?state=failed", words("All failed tasks")));
  });
}

std::string step_and_reason(const journal::FailureGroup& group) {
  return (group.step.empty() ? "" : group.step + ": ") + group.reason;
}

void add_reason_pager(Html& body, const std::string& here, engine::TaskId after,
                      const std::vector<engine::TaskRecord>& page, bool has_more) {
  if (after == 0 && !has_more) return;
  body.element("p", {{"class", "pager"}}, [&] {
    if (after > 0) body.add(html::link(here, words("From the first")));
    if (!has_more) return;
    const std::string last = std::to_string(page.back().id);
    body.add(html::link(here + "?after=" + last, words("Next")));
    body.element("span", {{"class", "quiet"}}, "tasks behind " + last + " are not shown here");
  });
}

}  // namespace

Result<ServedScreen> failures_screen(ServeContext& context, const run::RunFolder& folder) {
  LET(const auto view, pages::read_run(folder, context.clock));
  const pages::RunLinks links{.base = "/run/" + folder.id()};
  Html body;
  body.add(html::page_heading("Failures by reason", folder.id()));
  add_run_links(body, links);
  const std::uint64_t failed = view.status.tally.dead();
  body.element("p", {},
               text::counted(failed, "failed task") + ", " +
                   text::counted(view.failures.size(), "reason") + ".");
  if (!view.has_reasons) body.element("p", {{"class", "quiet"}}, kOldJournal);
  body.add(pages::failure_table(view, kReasonsOnPage, links));
  return ServedScreen{
      .title = "Failures of " + folder.id(), .body = body.finish(), .is_live = view.is_live()};
}

Result<ServedScreen> reason_screen(ServeContext& context, const run::RunFolder& folder,
                                   const std::string& reason, const web::Form& query) {
  LET(const auto journal, cli::open_to_read(folder));
  const pages::RunLinks links{.base = "/run/" + folder.id()};
  const auto id = command::parse_count(reason);
  LET(const auto groups, journal->failure_groups(kReasonsOnPage));
  const auto group = std::ranges::find_if(groups, [&](const journal::FailureGroup& one) {
    return id && journal->has_reasons() && static_cast<std::uint64_t>(one.id) == *id;
  });
  if (!journal->has_reasons()) {
    return ServedScreen{.location = links.tasks() + "?state=failed"};
  }
  if (group == groups.end()) {
    return notice_screen(404, "No such reason", "No task of this run fails for this reason now.",
                         "Its tasks may have been retried or dropped.");
  }
  const engine::TaskId after = after_in(query);
  LET(auto page, journal->failed_tasks(group->id, after, kTasksOnPage + 1));
  const bool has_more = page.size() > kTasksOnPage;
  if (has_more) page.pop_back();

  LET(const TaskWords task_words, TaskWords::of(*journal, context.app));
  Html body;
  body.add(html::page_heading("Failed tasks", folder.id()));
  body.element("p", {{"class", "mono"}}, [&] { body.name(step_and_reason(*group)); });
  body.element("p", {}, text::counted(group->count, "task") + " failed for this reason.");
  add_run_links(body, links);
  body.add(pages::task_table("Tasks that failed for this reason", task_words.shown(page), links));
  add_reason_pager(body, links.failures_of(group->id), after, page, has_more);
  return ServedScreen{.title = "Failed tasks of " + folder.id(), .body = body.finish()};
}

}  // namespace tidemill::app
