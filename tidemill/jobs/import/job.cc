#include "tidemill/jobs/import/job.h"

#include "tidemill/jobs/import/import.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/dry_run.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/read/sources.h"
#include "tidemill/jobs/import/report.h"
#include "tidemill/jobs/import/text.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/vigil.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::import {
namespace {

using command::Tone;

std::string stopped_text(Mode mode, const cli::Recording& recording) {
  return mode == Mode::fresh
             ? "Stopped. Nothing was changed; " + recording.way_on() + " starts over."
             : "Stopped. Imported files stay in the database; " + recording.way_on() +
                   " continues with the others.";
}

// A reader is enough to keep a writer out: SQLite's words do not say what to do about it.
Failure advised(Failure failure) {
  if (failure.kind == FailureKind::held && failure.hint.empty()) {
    failure.hint = "wait until the other program is done, or stop it";
  }
  return failure;
}

Result<int> report_nothing(const Options& options, cli::Desk& desk, const std::stop_token& stop) {
  if (options.report == Report::json) TRY(desk.console->out(json_of(Outcome{}, options)));
  const cli::Selection selection{
      .roots = options.sources,
      .wanted = {.globs = globs_of(options),
                 .excludes = options.excludes,
                 .hidden = options.hidden},
      .globs = options.globs.empty() ? "the default patterns *.jsonl and *.ndjson" : "--glob",
      .list = options.list.files_from,
      .is_empty_allowed = options.allow_empty};
  return cli::nothing_matched(selection, desk, stop);
}

// Until the user has been told all, on a full screen until it was left.
Result<int> work(cli::Desk& desk, const Options& options, const cli::Recording& recording,
                 Ending& ending) {
  cli::Vigil vigil(desk, {.good = "clean", .bad = "with rejects"});
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  auto imported = run_import(options, context);
  if (!imported) {
    const Failure& failure = imported.error();
    if (failure.kind == FailureKind::no_match) return report_nothing(options, desk, context.stop);
    if (failure.cure == Cure::resume && vigil.signals.first() != 0) {
      vigil.console.say(Tone::warning, stopped_text(options.mode, recording));
      return cli::exit_code_of(vigil.signals.first());
    }
    return std::unexpected(advised(failure));
  }
  const Outcome& outcome = imported->outcome;
  Result<void> told;
  if (options.report == Report::json) told = desk.console->out(json_of(outcome, options));
  const bool is_unread = !told && command::is_reader_gone(told.error());
  if (!is_unread) TRY(told);
  desk.say_report(outcome.is_clean() ? Tone::good : Tone::warning,
                  text_of(outcome, options, cli::columns_of(2)));
  ending = std::move(imported->ending);
  if (is_unread) return cli::kReaderGone;  // and the import is done all the same
  return outcome.is_clean() ? cli::kDone : cli::kSomeFailed;
}

// --dry-run: the files, and the table of each.
Result<int> show(cli::Desk& desk, const Options& options) {
  const cli::Vigil vigil(desk);
  const std::stop_token stop = vigil.signals.stop();
  const auto shown = plan_import(options, stop);
  if (!shown) {
    if (shown.error().kind == FailureKind::no_match) return report_nothing(options, desk, stop);
    if (vigil.signals.first() != 0) return cli::exit_code_of(vigil.signals.first());
    return std::unexpected(advised(shown.error()));
  }
  if (options.report == Report::json) {
    TRY(desk.console->out(json_of(*shown, options)));
  } else {
    TRY(desk.console->out(table_of(*shown, cli::columns_of(1))));
  }
  desk.console->say(shown->failures.empty() ? Tone::good : Tone::warning, text_of(*shown, options));
  return shown->failures.empty() ? cli::kDone : cli::kSomeFailed;
}

class ImportJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return import::verb(); }

  // The record goes before the mark: `resume` must never run an import again that has ended. A kill
  // between the mark and the exit cannot be told from no kill at all. So nothing is done there:
  // destructors, and the ends of all the libraries, would take a millisecond.
  [[nodiscard]] Result<int> run(cli::Desk& desk) const override {
    LET(const auto options, options_of(desk.values));
    if (options.dry_run) return show(desk, options);
    Ending ending;
    LET(const int code,
        cli::recorded(desk, *desk.console, "import", [&](const cli::Recording& recording) {
          return work(desk, options, recording, ending);
        }));
    if (ending.is_marked()) return code;
    desk.console->flush_end();
    if (auto marked = ending.mark(); !marked) return std::unexpected(advised(marked.error()));
    std::_Exit(code);
  }
};

}  // namespace

const jobs::Job& job() {
  static const ImportJob kJob;
  return kJob;
}

}  // namespace tidemill::import
