// The screens of `serve`: each reads what it shows and returns a page. None changes anything.
#pragma once

#include <string>

#include "tidemill/app/program/program.h"
#include "tidemill/app/serve/run_lister.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/formats/html/html.h"
#include "tidemill/io/web/form.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

// What the screens need. Thread-safe, as its parts are.
struct ServeContext {
  const App& app;
  const command::Program& program;
  const Clock& clock;
  RunLister& runs;
};

// A value.
struct ServedScreen {
  int status = 200;
  std::string title{};
  html::SafeHtml body{};
  std::string location{};  // not empty: the browser is sent there, within this server
  bool is_live = false;    // it changes by itself: the browser asks again
};

// All runs, newest first. Query: job, state, after.
[[nodiscard]] Result<ServedScreen> runs_screen(ServeContext& context, const web::Form& query);
// One run: the same as its report.
[[nodiscard]] Result<ServedScreen> run_screen(ServeContext& context, const run::RunFolder& folder);
// Why tasks failed, with counts; and the tasks of one reason. Query of the latter: after.
[[nodiscard]] Result<ServedScreen> failures_screen(ServeContext& context,
                                                   const run::RunFolder& folder);
[[nodiscard]] Result<ServedScreen> reason_screen(ServeContext& context,
                                                 const run::RunFolder& folder,
                                                 const std::string& reason, const web::Form& query);
// Tasks by number. Query: state, q (part of the name), after; id goes to that task.
[[nodiscard]] Result<ServedScreen> tasks_screen(ServeContext& context, const run::RunFolder& folder,
                                                const web::Form& query);
[[nodiscard]] Result<ServedScreen> task_screen(ServeContext& context, const run::RunFolder& folder,
                                               const std::string& number);
// Two runs of a job. Query: run, with.
[[nodiscard]] Result<ServedScreen> compare_screen(ServeContext& context, const web::Form& query);

// A page that says what is wrong.
[[nodiscard]] ServedScreen notice_screen(int status, const std::string& title,
                                         const std::string& text, const std::string& hint = {});

}  // namespace tidemill::app
