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
#include "tidemill/jobs/batch/batch_journal.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/jobs/batch/text.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/run_exit.h"
#include "tidemill/ui/cli/share_folder.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/cli/state_place.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/redis_flags/advice.h"
#include "tidemill/ui/redis_flags/place.h"

namespace tidemill::batch {
namespace {

using command::Tone;

// A job that another producer has completed counts as done; if it still holds the lease, --if-held
// decides.
Result<int> exit_code(const BatchOutcome& outcome, const BatchOptions& options, run::Run& run,
                      int signal, cli::CliContext& cli) {
  if (outcome.ending == kHeld) {
    return options.if_held == IfHeld::leave ? cli::kDone : cli::kHeldElsewhere;
  }
  if (outcome.ending == kCompletedElsewhere) return cli::kDone;
  const bool is_stopped = outcome.ending == run::kInterrupted && signal != 0;
  if (!is_stopped && outcome.cause && cli::is_held_elsewhere(*outcome.cause))
    return cli::kHeldElsewhere;
  return cli::exit_code_of(
      run, {.ending = outcome.ending, .has_cause = outcome.cause.has_value(), .signal = signal}, {},
      cli);
}

Result<BatchOptions> batch_options(const command::Values& values, const cli::CliContext& cli) {
  LET(auto options, options_of(values));
  options.catalogue = values.text("catalogue");
  if (options.catalogue.empty()) options.catalogue = cli::default_catalogue(cli);
  if (values.is_on("no-catalogue")) options.catalogue.clear();
  if (!options.catalogue.empty()) TRY(cli::demand_own_catalogue(options.catalogue, cli));
  return options;
}

Result<BatchContext> make_batch_context(const BatchOptions& options) {
  BatchContext batch_context{.tables = cli::token_tables(), .owner = redis_flags::owner_name()};
  if (options.sink.kind == Destination::Kind::lines) return batch_context;
  LET(batch_context.address, redis_flags::redis_address(options.redis, options.password_file));
  return batch_context;
}

Result<int> batch_on(run::Run& run, const BatchOptions& options, const BatchContext& batch_context,
                     cli::CliContext& cli, cli::SignalScope& signal_scope) {
  cli.console->name_items({.good = "batched", .bad = "skipped"});
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  TRY(run.mark_running());
  const auto outcome = work(options, batch_context, run, context);
  if (!outcome) {
    const bool was_stopped =
        outcome.error().cure == Cure::resume && signal_scope.signals.first() != 0;
    (void)run.end(was_stopped ? run::kInterrupted : run::kFailed,
                  tidemill::text_of(outcome.error()));
    if (was_stopped) {
      cli.console->say(Tone::warning, "Stopped. Nothing was sent.");
      return cli::exit_code_of(signal_scope.signals.first());
    }
    if (cli::is_held_elsewhere(outcome.error())) {
      cli.console->say(Tone::bad, text::printable(tidemill::text_of(outcome.error())));
      return cli::kHeldElsewhere;
    }
    return std::unexpected(
        redis_flags::with_advice(outcome.error(), batch_context.address, options.sink.name));
  }
  const std::string& id = run.folder().id();
  if (outcome->ending == kHeld) TRY(run.end(run::kInterrupted));
  if (outcome->ending == kCompletedElsewhere) TRY(run.end(run::kComplete));
  std::vector<journal::FailureGroup> groups;
  if (outcome->tally.dead() > 0) {
    LET(groups, run.journal().failure_groups(5));
  }
  if (cli::is_unread(outcome->cause) && signal_scope.signals.first() == 0) {
    cli::say_unread(id, cli);
    return cli::kReaderGone;
  }
  if (options.report == BatchOutput::json) {
    TRY(cli.console->out(json_of(*outcome, id, groups)));
  }
  LET(const int code, exit_code(*outcome, options, run, signal_scope.signals.first(), cli));
  const bool is_good =
      code == cli::kDone && outcome->totals.oversize == 0 && outcome->sent.refused() == 0;
  if (code == cli::kDone && outcome->has_matched_nothing()) {
    return cli::nothing_matched(selection_of(options), cli, context.stop);
  }
  cli.say_report(is_good ? Tone::good : Tone::warning,
                 text_of(*outcome, id, groups, cli::columns_of(2)), outcome->cause);
  return code;
}

using command::Tone;

Result<int> rehearse(const BatchOptions& options, const BatchContext& batch_context,
                     cli::CliContext& cli, cli::SignalScope& signal_scope) {
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  const auto outcome = rehearse(options, batch_context, context);
  if (!outcome) {
    if (signal_scope.signals.first() != 0) return cli::exit_code_of(signal_scope.signals.first());
    return std::unexpected(outcome.error());
  }
  if (options.report == BatchOutput::json) TRY(cli.console->out(json_of(*outcome, "", {})));
  if (outcome->has_matched_nothing()) {
    return cli::nothing_matched(selection_of(options), cli, context.stop);
  }
  cli.console->say(Tone::good, text_of(*outcome, "", {}, cli::columns_of(2)));
  return outcome->tally.failed() > 0 ? cli::kSomeFailed : cli::kDone;
}

// The name of the list when the run was started: it may have another name on resume.
std::string list_name_of(const run::RunCard& card) {
  constexpr std::string_view kFlag = "--files-from=";
  const auto found = std::ranges::find_if(
      card.arguments, [&](const std::string& word) { return word.starts_with(kFlag); });
  return found == card.arguments.end() ? "" : found->substr(kFlag.size());
}

// `has_list`: the list is given again on the command line.
Result<jobs::Continuation> go_on(const command::Values& values, bool has_list,
                                 cli::CliContext& cli) {
  LET(auto options, batch_options(values, cli));
  options.is_list_lost = !has_list && cli::is_read_once(options.list.files_from);
  LET(auto batch_context, make_batch_context(options));
  return [options, batch_context, &cli](run::Run& run, const auto& /*only*/,
                                        cli::SignalScope& signal_scope) {
    BatchOptions own = options;
    own.list_name = list_name_of(run.card());
    return batch_on(run, own, batch_context, cli, signal_scope);
  };
}

class BatchJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return batch::verb(); }

  [[nodiscard]] Result<int> run(cli::CliContext& cli) const override {
    LET(const auto options, batch_options(cli.values, cli));
    LET(const auto batch_context, make_batch_context(options));
    TRY(check(options, batch_context));
    cli::SignalScope signal_scope(cli);
    if (options.dry_run) {
      return cli::recorded(cli, signal_scope.console, "batch-dry-run", [&](const cli::Recording&) {
        return rehearse(options, batch_context, cli, signal_scope);
      });
    }
    std::string id;
    Result<int> code = cli::kDone;
    bool is_empty = false;
    {
      LET(const auto run, cli::create_run("batch", cli));
      id = run->folder().id();
      code = batch_on(*run, options, batch_context, cli, signal_scope);
      const auto totals = run->journal().note("batch_totals");
      is_empty = totals && !*totals;
    }
    // The run ended before it had anything to record: another producer holds the lease, or the
    // server does not answer.
    if (!is_empty) return code;
    const auto removed = cli.state.remove(id, cli.clock.wall());
    if (code) TRY(removed);  // otherwise the first failure is reported
    return code;
  }

  // The server is where the run has its batches.
  [[nodiscard]] bool takes(std::string_view flag) const override {
    return flag != "redis" && flag != "password-file" && !flag.starts_with("tls-");
  }

  [[nodiscard]] Result<jobs::Continuation> resume(const command::Values& values,
                                                  cli::CliContext& cli) const override {
    const bool has_list = cli.values.has("files-from");
    return go_on(values, has_list, cli);
  }

  [[nodiscard]] Result<jobs::Continuation> retry(const command::Values& values,
                                                 cli::CliContext& cli) const override {
    return go_on(values, false, cli);
  }

  [[nodiscard]] bool has_lost_input(const run::RunCard& card) const override {
    return jobs::has_lost_list(card);
  }

  // For a batch, its id only: the payload after it is too long to show.
  [[nodiscard]] std::string subject_text(const engine::TaskRecord& task) const override {
    if (task.type != kBatchType) return task.subject;
    return "batch " + task.subject.substr(0, task.subject.find(' '));
  }
};

}  // namespace

cli::Selection selection_of(const BatchOptions& options) {
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
