#include "tidemill/jobs/import/import.h"

#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/cli/exit_code.h"
#include "tidemill/cli/import_text.h"
#include "tidemill/cli/verbs.h"
#include "tidemill/cli/work.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/report.h"
#include "tidemill/term/screen.h"

namespace tidemill::cli {
namespace {

using command::Tone;

std::string_view stopped_text(import::Mode mode) {
  return mode == import::Mode::fresh
             ? "Stopped. Nothing was changed."
             : "Stopped. Files that are in stay in; the same command goes on with the others.";
}

// A reader is enough to keep a writer out: SQLite's words do not say what to do about it.
Failure advised(Failure failure) {
  if (failure.step == "lock" && failure.hint.empty()) {
    failure.hint = "another program uses it: wait for it or end it";
  }
  return failure;
}

}  // namespace

Result<int> run_import(Desk& desk) {
  LET(const auto options, import::options_of(desk.values));
  Vigil vigil(desk, {.good = "clean", .bad = "with rejects"});
  LET(const auto log, log_for(desk));
  command::Context context = vigil.context(desk, *log);
  auto outcome = import::run_import(options, context);
  if (!outcome) {
    const Failure& failure = outcome.error();
    if (failure.cure == Cure::resume && vigil.signals.first() != 0) {
      vigil.console.say(Tone::warning, stopped_text(options.mode));
      return exit_code_of(vigil.signals.first());
    }
    return std::unexpected(advised(failure));
  }
  if (options.report == import::Report::json) {
    TRY(desk.console->out(json_of(*outcome, options)));
  }
  desk.console->say(outcome->is_clean() ? Tone::good : Tone::warning,
                    text_of(*outcome, options, term::size_of(2).width));
  return outcome->is_clean() ? kDone : kSomeFailed;
}

}  // namespace tidemill::cli
