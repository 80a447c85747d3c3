#include "tidemill/jobs/import/job.h"

#include "tidemill/jobs/import/import.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/dry_run.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/parts.h"
#include "tidemill/jobs/import/read/sources.h"
#include "tidemill/jobs/import/report.h"
#include "tidemill/jobs/import/text.h"
#include "tidemill/state/history/part_builder.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::import {
namespace {

using command::Tone;

std::string stopped_text(Mode mode, const cli::Recording& recording) {
  return mode == Mode::fresh
             ? "Stopped. Nothing was changed; " + recording.resume_command() + " starts over."
             : "Stopped. Imported files stay in the database; " + recording.resume_command() +
                   " continues with the others.";
}

// A process that only reads can block a writer; SQLite's message does not say what to do about it.
Failure advised(Failure failure) {
  if (failure.kind == FailureKind::held && failure.hint.empty()) {
    failure.hint = "wait until the other program is done, or stop it";
  }
  return failure;
}

Result<int> report_nothing(const ImportOptions& options, cli::CliContext& cli,
                           const std::stop_token& stop) {
  if (options.report == ImportOutput::json)
    TRY(cli.console->out(json_of(ImportOutcome{}, options)));
  const cli::Selection selection{
      .roots = options.sources,
      .wanted = {.globs = globs_of(options),
                 .excludes = options.excludes,
                 .hidden = options.hidden},
      .globs = options.globs.empty() ? "the default patterns *.jsonl and *.ndjson" : "--glob",
      .list = options.list.files_from,
      .is_empty_allowed = options.allow_empty};
  return cli::nothing_matched(selection, cli, stop);
}

// Returns when the outcome is reported; with a full screen, when the user has left it.
Result<int> work(cli::CliContext& cli, const ImportOptions& options,
                 const cli::Recording& recording, ImportEnding& ending) {
  cli::SignalScope signal_scope(cli, {.good = "clean", .bad = "with rejects"});
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  context.history = recording.history();
  auto imported = run_import(options, context);
  if (!imported) {
    const Failure& failure = imported.error();
    if (failure.kind == FailureKind::no_match) return report_nothing(options, cli, context.stop);
    if (failure.cure == Cure::resume && signal_scope.signals.first() != 0) {
      signal_scope.console.say(Tone::warning, stopped_text(options.mode, recording));
      return cli::exit_code_of(signal_scope.signals.first());
    }
    return std::unexpected(advised(failure));
  }
  const ImportOutcome& outcome = imported->outcome;
  history::keep_parts(context.history, parts_of(outcome));
  Result<void> written;
  if (options.report == ImportOutput::json) written = cli.console->out(json_of(outcome, options));
  const bool is_unread = !written && command::is_reader_gone(written.error());
  if (!is_unread) TRY(written);
  cli.say_report(outcome.is_clean() ? Tone::good : Tone::warning,
                 text_of(outcome, options, cli::columns_of(2)));
  ending = std::move(imported->ending);
  if (is_unread) return cli::kReaderGone;  // the import is done nevertheless
  return outcome.is_clean() ? cli::kDone : cli::kSomeFailed;
}

// --dry-run: lists the files and the table of each.
Result<int> show(cli::CliContext& cli, const ImportOptions& options) {
  const cli::SignalScope signal_scope(cli);
  const std::stop_token stop = signal_scope.signals.stop();
  const auto shown = plan_import(options, stop);
  if (!shown) {
    if (shown.error().kind == FailureKind::no_match) return report_nothing(options, cli, stop);
    if (signal_scope.signals.first() != 0) return cli::exit_code_of(signal_scope.signals.first());
    return std::unexpected(advised(shown.error()));
  }
  if (options.report == ImportOutput::json) {
    TRY(cli.console->out(json_of(*shown, options)));
  } else {
    TRY(cli.console->out(table_of(*shown, cli::columns_of(1))));
  }
  cli.console->say(shown->failures.empty() ? Tone::good : Tone::warning, text_of(*shown, options));
  return shown->failures.empty() ? cli::kDone : cli::kSomeFailed;
}

class ImportJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return import::verb(); }

  // The command record is removed before the import is marked: `resume` must never repeat a
  // complete import. A kill between the mark and the exit cannot be distinguished from a normal
  // exit, so nothing is done there: destructors and library clean-up would take a millisecond.
  [[nodiscard]] Result<int> run(cli::CliContext& cli) const override {
    LET(const auto options, options_of(cli.values));
    if (options.dry_run) return show(cli, options);
    ImportEnding ending;
    LET(const int code,
        cli::recorded(cli, *cli.console, "import", [&](const cli::Recording& recording) {
          return work(cli, options, recording, ending);
        }));
    if (ending.is_marked()) return code;
    cli.console->flush_end();
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
