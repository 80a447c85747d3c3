#include "tidemill/jobs/batch/work.h"

#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/batch/text.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/run_exit.h"
#include "tidemill/ui/cli/share_folder.h"
#include "tidemill/ui/cli/state_place.h"
#include "tidemill/ui/redis_flags/advice.h"
#include "tidemill/ui/redis_flags/place.h"

namespace tidemill::batch {
namespace {

using command::Tone;

bool is_of_lease(const Failure& failure) {
  return failure.step == "lease" || failure.step == "stale";
}

// What another producer does or has done is not ours to finish.
Result<int> exit_code(const Outcome& outcome, const Options& options, run::Run& run, int signal,
                      cli::Desk& desk) {
  if (outcome.ending == kHeld) {
    return options.if_held == IfHeld::leave ? cli::kDone : cli::kHeldElsewhere;
  }
  if (outcome.ending == kCompletedElsewhere) return cli::kDone;
  const bool is_stopped = outcome.ending == run::kInterrupted && signal != 0;
  if (!is_stopped && outcome.cause && is_of_lease(*outcome.cause)) return cli::kHeldElsewhere;
  return cli::exit_code_of(
      run, {.ending = outcome.ending, .has_cause = outcome.cause.has_value(), .signal = signal}, {},
      desk);
}

}  // namespace

Result<Options> batch_options(const command::Values& values, const cli::Desk& desk) {
  LET(auto options, options_of(values));
  options.catalogue = values.text("catalogue");
  if (options.catalogue.empty()) options.catalogue = cli::default_catalogue(desk);
  if (values.is_on("no-catalogue")) options.catalogue.clear();
  if (!options.catalogue.empty()) TRY(cli::demand_own_catalogue(options.catalogue, desk));
  return options;
}

Result<Surroundings> batch_surroundings(const Options& options) {
  Surroundings around{.tables = cli::token_tables(), .owner = redis_flags::owner_name()};
  if (options.sink.kind == Sink::Kind::lines) return around;
  LET(around.address, redis_flags::redis_address(options.redis, options.password_file));
  return around;
}

cli::Selection selection_of(const Options& options) {
  cli::Selection selection{
      .roots = options.roots,
      .wanted = {.globs = options.globs, .excludes = options.excludes, .hidden = options.hidden},
      .is_empty_allowed = options.allow_empty};
  if (options.gitignore) selection.wanted.ignore_files = {".gitignore", ".ignore"};
  return selection;
}

Result<int> batch_on(run::Run& run, const Options& options, const Surroundings& around,
                     cli::Desk& desk, cli::Vigil& vigil) {
  desk.console->name_items({.good = "batched", .bad = "skipped"});
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  TRY(run.mark_running());
  const auto outcome = work(options, around, run, context);
  if (!outcome) {
    const bool was_stopped = outcome.error().cure == Cure::resume && vigil.signals.first() != 0;
    (void)run.end(was_stopped ? run::kInterrupted : run::kFailed,
                  tidemill::text_of(outcome.error()));
    if (was_stopped) {
      desk.console->say(Tone::warning, "Stopped. Nothing was sent.");
      return cli::exit_code_of(vigil.signals.first());
    }
    if (is_of_lease(outcome.error())) {
      desk.console->say(Tone::bad, text::printable(tidemill::text_of(outcome.error())));
      return cli::kHeldElsewhere;
    }
    return std::unexpected(
        redis_flags::with_advice(outcome.error(), around.address, options.sink.name));
  }
  const std::string& id = run.folder().id();
  if (outcome->ending == kHeld) TRY(run.end(run::kInterrupted));
  if (outcome->ending == kCompletedElsewhere) TRY(run.end(run::kComplete));
  std::vector<journal::FailureGroup> groups;
  if (outcome->tally.dead() > 0) {
    LET(groups, run.journal().failure_groups(5));
  }
  if (cli::is_unread(outcome->cause) && vigil.signals.first() == 0) {
    cli::say_unread(id, desk);
    return cli::kReaderGone;
  }
  if (options.report == Report::json) {
    TRY(desk.console->out(json_of(*outcome, id, groups)));
  }
  LET(const int code, exit_code(*outcome, options, run, vigil.signals.first(), desk));
  const bool is_good =
      code == cli::kDone && outcome->totals.oversize == 0 && outcome->sent.refused() == 0;
  if (code == cli::kDone && outcome->has_matched_nothing()) {
    return cli::nothing_matched(selection_of(options), desk, context.stop);
  }
  desk.say_report(is_good ? Tone::good : Tone::warning,
                  text_of(*outcome, id, groups, cli::columns_of(2)), outcome->cause);
  return code;
}

}  // namespace tidemill::batch
