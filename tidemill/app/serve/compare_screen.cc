#include <optional>
#include <string>
#include <utility>

#include "tidemill/app/serve/serve_screens.h"
#include "tidemill/app/serve/task_words.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/pages/comparison.h"
#include "tidemill/ui/pages/run_body.h"

namespace tidemill::app {
namespace {

using html::Html;
using html::SafeHtml;

// A report reads more. A page has to be there at once.
constexpr std::size_t kMostCompared = 1'000;

SafeHtml compare_form(const std::string& run, const std::string& with) {
  Html html;
  const auto field = [&](const char* name, const char* label, const std::string& value) {
    html.element("label", {}, [&] {
      html.text(label).text(" ").element("input",
                                         {{"type", "text"}, {"name", name}, {"value", value}});
    });
  };
  html.element("form", {{"class", "form"}, {"method", "get"}, {"action", "/compare"}}, [&] {
    field("run", "run", run);
    field("with", "with", with);
    html.element("button", {{"type", "submit"}}, "Compare");
  });
  return html.finish();
}

ServedScreen ask_for_runs(int status, const std::string& run, const std::string& with,
                          const std::string& what) {
  Html body;
  body.element("h1", {}, "Compare two runs").element("p", {}, what);
  body.add(compare_form(run, with));
  return {.status = status, .title = "Compare", .body = body.finish()};
}

}  // namespace

Result<ServedScreen> compare_screen(ServeContext& context, const web::Form& query) {
  const std::string run = text_in(query, "run");
  const std::string with = text_in(query, "with");
  if (run.empty() || with.empty()) {
    return ask_for_runs(200, run, with, "Give the ids of two runs of the same job.");
  }
  LET(const auto here, context.runs.find(run));
  LET(const auto there, context.runs.find(with));
  if (!here || !there) {
    return ask_for_runs(404, run, with,
                        "There is no run " + text::printable(here ? with : run) + ".");
  }
  LET(const auto view, pages::read_run(*here, context.clock));
  LET(auto other, pages::read_run(*there, context.clock));
  if (view.status.card.job != other.status.card.job) {
    return ask_for_runs(400, run, with, "These are runs of different jobs.");
  }
  LET(const auto comparison, pages::compare(view, std::move(other), kMostCompared));
  Html body;
  body.add(pages::run_heading(view.status));
  body.element("p", {{"class", "pager"}}, [&] {
    body.add(html::link("/run/" + here->id(), html::words("This run")));
    body.add(html::link("/run/" + there->id(), html::words("The other run")));
  });
  body.add(compare_form(run, with));
  body.add(pages::comparison_part(view, comparison));
  return ServedScreen{.title = "Compare " + here->id() + " with " + there->id(),
                      .body = body.finish()};
}

}  // namespace tidemill::app
