#include <algorithm>
#include <string>
#include <utility>

#include "tidemill/app/serve/serve_screens.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/html/parts.h"
#include "tidemill/ui/pages/run_body.h"

namespace tidemill::app {

using html::Html;

namespace {

// The newest run of the same job before this one.
std::string compare_url(ServeContext& context, const run::RunFolder& folder) {
  const auto all = context.runs.all();
  if (!all) return {};
  auto older = std::ranges::find(*all, folder.id(), &run::RunFolder::id);
  while (older != all->end() && ++older != all->end()) {
    if (older->job() == folder.job()) return "/compare?run=" + folder.id() + "&with=" + older->id();
  }
  return {};
}

}  // namespace

Result<ServedScreen> run_screen(ServeContext& context, const run::RunFolder& folder) {
  auto view = pages::read_run(folder, context.clock);
  if (!view) {
    const cli::RunStatus status = cli::run_status_at(folder);
    if (!status.problem) return std::unexpected(std::move(view).error());
    Html body;
    body.add(pages::run_heading(status));
    if (!status.is_starting()) body.element("p", {}, text_of(*status.problem));
    return ServedScreen{
        .title = folder.id(), .body = body.finish(), .is_live = status.holder.has_value()};
  }
  const pages::RunLinks links{.base = "/run/" + folder.id(),
                              .comparison = compare_url(context, folder)};
  return ServedScreen{.title = view->status.card.job + " " + folder.id(),
                      .body = pages::run_body(*view, context.program, std::nullopt, links),
                      .is_live = view->is_live()};
}

ServedScreen notice_screen(int status, const std::string& title, const std::string& text,
                           const std::string& hint) {
  Html body;
  body.element("h1", {}, title).element("p", {}, text);
  if (!hint.empty()) body.element("p", {{"class", "quiet"}}, hint);
  return {.status = status, .title = title, .body = body.finish()};
}

}  // namespace tidemill::app
