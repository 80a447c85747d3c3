#include "tidemill/jobs/batch/job.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/batch/batch.h"
#include "tidemill/jobs/batch/ledger.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/jobs/batch/text.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/run_exit.h"
#include "tidemill/ui/cli/share_folder.h"
#include "tidemill/ui/cli/state_place.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/cli/vigil.h"
#include "tidemill/ui/redis_flags/advice.h"
#include "tidemill/ui/redis_flags/place.h"

namespace tidemill::batch {
namespace {

using command::Tone;

// What another producer does or has done is not ours to finish.
Result<int> exit_code(const Outcome& outcome, const Options& options, run::Run& run, int signal,
                      cli::Desk& desk) {
  if (outcome.ending == kHeld) {
    return options.if_held == IfHeld::leave ? cli::kDone : cli::kHeldElsewhere;
  }
  if (outcome.ending == kCompletedElsewhere) return cli::kDone;
  const bool is_stopped = outcome.ending == run::kInterrupted && signal != 0;
  if (!is_stopped && outcome.cause && cli::is_held_elsewhere(*outcome.cause))
    return cli::kHeldElsewhere;
  return cli::exit_code_of(
      run, {.ending = outcome.ending, .has_cause = outcome.cause.has_value(), .signal = signal}, {},
      desk);
}

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
    if (cli::is_held_elsewhere(outcome.error())) {
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

using command::Tone;

Result<int> rehearse(const Options& options, const Surroundings& around, cli::Desk& desk,
                     cli::Vigil& vigil) {
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  const auto outcome = rehearse(options, around, context);
  if (!outcome) {
    if (vigil.signals.first() != 0) return cli::exit_code_of(vigil.signals.first());
    return std::unexpected(outcome.error());
  }
  if (options.report == Report::json) TRY(desk.console->out(json_of(*outcome, "", {})));
  if (outcome->has_matched_nothing()) {
    return cli::nothing_matched(selection_of(options), desk, context.stop);
  }
  desk.console->say(Tone::good, text_of(*outcome, "", {}, cli::columns_of(2)));
  return outcome->tally.failed() > 0 ? cli::kSomeFailed : cli::kDone;
}

// The list may have another name when it is given again.
std::string list_name_of(const run::RunCard& card) {
  constexpr std::string_view kFlag = "--files-from=";
  const auto found = std::ranges::find_if(
      card.arguments, [&](const std::string& word) { return word.starts_with(kFlag); });
  return found == card.arguments.end() ? "" : found->substr(kFlag.size());
}

// `has_list`: the list is given again.
Result<jobs::Continuation> go_on(const command::Values& values, bool has_list, cli::Desk& desk) {
  LET(auto options, batch_options(values, desk));
  options.is_list_lost = !has_list && cli::is_read_once(options.list.files_from);
  LET(auto around, batch_surroundings(options));
  return [options, around, &desk](run::Run& run, const auto& /*only*/, cli::Vigil& vigil) {
    Options own = options;
    own.list_name = list_name_of(run.card());
    return batch_on(run, own, around, desk, vigil);
  };
}

class BatchJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return batch::verb(); }

  [[nodiscard]] Result<int> run(cli::Desk& desk) const override {
    LET(const auto options, batch_options(desk.values, desk));
    LET(const auto around, batch_surroundings(options));
    TRY(check(options, around));
    cli::Vigil vigil(desk);
    if (options.dry_run) {
      return cli::recorded(desk, vigil.console, "batch-dry-run", [&](const cli::Recording&) {
        return rehearse(options, around, desk, vigil);
      });
    }
    std::string id;
    Result<int> code = cli::kDone;
    bool is_empty = false;
    {
      LET(const auto run, cli::create_run("batch", desk));
      id = run->folder().id();
      code = batch_on(*run, options, around, desk, vigil);
      const auto totals = run->journal().note("batch_totals");
      is_empty = totals && !*totals;
    }
    // It did not get as far as to have something to remember: another producer was at work, or the
    // server was not there.
    if (!is_empty) return code;
    const auto removed = desk.state.remove(id, desk.clock.wall());
    if (code) TRY(removed);  // else what went wrong first is told
    return code;
  }

  [[nodiscard]] Result<jobs::Continuation> resume(const command::Values& values,
                                                  cli::Desk& desk) const override {
    const bool has_list = desk.values.has("files-from");
    return go_on(values, has_list, desk);
  }

  [[nodiscard]] Result<jobs::Continuation> retry(const command::Values& values,
                                                 cli::Desk& desk) const override {
    return go_on(values, false, desk);
  }

  [[nodiscard]] bool has_lost_input(const run::RunCard& card) const override {
    return jobs::has_lost_list(card);
  }

  // Of a batch its id: the payload behind it is for those who read the journal.
  [[nodiscard]] std::string subject_text(const engine::TaskRecord& task) const override {
    if (task.type != kBatchType) return task.subject;
    return "batch " + task.subject.substr(0, task.subject.find(' '));
  }
};

}  // namespace

cli::Selection selection_of(const Options& options) {
  cli::Selection selection{
      .roots = options.roots,
      .wanted = {.globs = options.globs, .excludes = options.excludes, .hidden = options.hidden},
      .list = options.list.files_from,
      .is_empty_allowed = options.allow_empty};
  if (options.gitignore) selection.wanted.ignore_files = {".gitignore", ".ignore"};
  return selection;
}

const jobs::Job& job() {
  static const BatchJob kJob;
  return kJob;
}

}  // namespace tidemill::batch
