#include "tidemill/app/batch_work.h"

#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/batch_text.h"
#include "tidemill/app/exit_code.h"
#include "tidemill/app/redis_advice.h"
#include "tidemill/app/redis_place.h"
#include "tidemill/app/run_exit.h"
#include "tidemill/app/share_folder.h"
#include "tidemill/app/state_place.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"

namespace tidemill::app {
namespace {

using command::Tone;

bool is_of_lease(const Failure& failure) {
  return failure.step == "lease" || failure.step == "stale";
}

// What another producer does or has done is not ours to finish.
Result<int> exit_code(const batch::Outcome& outcome, const batch::Options& options, run::Run& run,
                      int signal, Desk& desk) {
  if (outcome.ending == batch::kHeld) {
    return options.if_held == batch::IfHeld::leave ? kDone : kHeldElsewhere;
  }
  if (outcome.ending == batch::kCompletedElsewhere) return kDone;
  const bool is_stopped = outcome.ending == run::kInterrupted && signal != 0;
  if (!is_stopped && outcome.cause && is_of_lease(*outcome.cause)) return kHeldElsewhere;
  return exit_code_of(
      run, {.ending = outcome.ending, .has_cause = outcome.cause.has_value(), .signal = signal}, {},
      desk);
}

}  // namespace

Result<batch::Options> batch_options(const command::Values& values, const Desk& desk) {
  LET(auto options, batch::options_of(values));
  options.catalogue = values.text("catalogue");
  if (options.catalogue.empty()) options.catalogue = default_catalogue(desk);
  if (values.is_on("no-catalogue")) options.catalogue.clear();
  if (!options.catalogue.empty()) TRY(demand_own_catalogue(options.catalogue, desk));
  return options;
}

Result<batch::Surroundings> batch_surroundings(const batch::Options& options) {
  batch::Surroundings around{.tables = token_tables(), .owner = owner_name()};
  if (options.sink.kind == batch::Sink::Kind::lines) return around;
  LET(around.address, redis_address(options.redis, options.password_file));
  return around;
}

Selection selection_of(const batch::Options& options) {
  Selection selection{
      .roots = options.roots,
      .wanted = {.globs = options.globs, .excludes = options.excludes, .hidden = options.hidden},
      .is_empty_allowed = options.allow_empty};
  if (options.gitignore) selection.wanted.ignore_files = {".gitignore", ".ignore"};
  return selection;
}

Result<int> batch_on(run::Run& run, const batch::Options& options,
                     const batch::Surroundings& around, Desk& desk, Vigil& vigil) {
  desk.console->name_items({.good = "batched", .bad = "skipped"});
  LET(const auto log, log_for(desk));
  command::Context context = vigil.context(desk, *log);
  TRY(run.mark_running());
  const auto outcome = batch::work(options, around, run, context);
  if (!outcome) {
    const bool was_stopped = outcome.error().cure == Cure::resume && vigil.signals.first() != 0;
    (void)run.end(was_stopped ? run::kInterrupted : run::kFailed,
                  tidemill::text_of(outcome.error()));
    if (was_stopped) {
      desk.console->say(Tone::warning, "Stopped. Nothing was sent.");
      return exit_code_of(vigil.signals.first());
    }
    if (is_of_lease(outcome.error())) {
      desk.console->say(Tone::bad, text::printable(tidemill::text_of(outcome.error())));
      return kHeldElsewhere;
    }
    return std::unexpected(with_advice(outcome.error(), around.address, options.sink.name));
  }
  const std::string& id = run.folder().id();
  if (outcome->ending == batch::kHeld) TRY(run.end(run::kInterrupted));
  if (outcome->ending == batch::kCompletedElsewhere) TRY(run.end(run::kComplete));
  std::vector<journal::FailureGroup> groups;
  if (outcome->tally.dead() > 0) {
    LET(groups, run.journal().failure_groups(5));
  }
  if (is_unread(outcome->cause) && vigil.signals.first() == 0) {
    say_unread(id, desk);
    return kReaderGone;
  }
  if (options.report == batch::Report::json) {
    TRY(desk.console->out(json_of(*outcome, id, groups)));
  }
  LET(const int code, exit_code(*outcome, options, run, vigil.signals.first(), desk));
  const bool is_good =
      code == kDone && outcome->totals.oversize == 0 && outcome->sent.refused() == 0;
  if (code == kDone && outcome->has_matched_nothing()) {
    return nothing_matched(selection_of(options), desk, context.stop);
  }
  desk.say_report(is_good ? Tone::good : Tone::warning,
                  text_of(*outcome, id, groups, columns_of(2)), outcome->cause);
  return code;
}

}  // namespace tidemill::app
