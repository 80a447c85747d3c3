#include "tidemill/jobs/each/job.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/jobs/each/command/placeholder_check.h"
#include "tidemill/jobs/each/command/placeholders.h"
#include "tidemill/jobs/each/each.h"
#include "tidemill/jobs/each/ending.h"
#include "tidemill/jobs/each/fleet/coordinator.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/redis_flags/fleet_call.h"

namespace tidemill::each {
namespace {

cli::ReportForm form_of(EachOutput report) {
  switch (report) {
    case EachOutput::json:
      return cli::ReportForm::json;
    case EachOutput::jsonl:
      return cli::ReportForm::jsonl;
    case EachOutput::output:
      break;
  }
  return cli::ReportForm::text;
}

using MaybeFleet = std::optional<redis_flags::FleetCall>;

// The fleet of this call. A run is not bound to one: it may go on without, or with another.
Result<MaybeFleet> fleet_of(const cli::CliContext& cli) {
  return redis_flags::fleet_call_of(cli, "tidemill-each");
}

// On a fleet, the workers have to have the program.
Result<void> check_here(const EachOptions& options, const MaybeFleet& fleet) {
  return fleet ? make_results(options.results) : check_command(options);
}

Result<int> work_on(run::Run& run, const EachOptions& options, const FileRunRequest& assignment,
                    const MaybeFleet& fleet, cli::CliContext& cli, cli::SignalScope& signal_scope) {
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  signal_scope.second_stop = cli::SecondStop::kills_commands;
  cli::report_recovery(run, signal_scope.console);
  const auto outcome = fleet ? work_on_fleet(options, assignment, *fleet, run, context)
                             : work(options, assignment, run, context);
  if (!outcome) {
    (void)run.end(run::kFailed, text_of(outcome.error()));
    return std::unexpected(outcome.error());
  }
  if (const auto& cause = outcome->cause; cause && cli::is_held_elsewhere(*cause)) {
    return std::unexpected(*cause);
  }
  return jobs::conclude(run, *outcome, options.files, assignment, form_of(options.report), cli,
                        signal_scope);
}

Result<int> show_commands(const EachOptions& options, cli::CliContext& cli) {
  SilentLog silent;
  command::Context context{.console = *cli.console, .log = silent, .clock = cli.clock};
  LET(const std::uint64_t count, print_commands(options, context));
  return count == 0 ? cli::nothing_matched(jobs::selection_of(options.files), cli) : cli::kDone;
}

class EachJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return each::verb(); }

  [[nodiscard]] Result<int> run(cli::CliContext& cli) const override {
    LET(const auto options, options_of(cli.values));
    TRY(check_placeholders(options));
    if (options.dry_run) return show_commands(options, cli);
    LET(const auto fleet, fleet_of(cli));
    TRY(jobs::check(options.files));
    TRY(check_here(options, fleet));
    TRY(cli::log_for(cli));  // fails before the run is created if the log cannot be opened
    cli::SignalScope signal_scope(cli);
    LET(const auto run, cli::create_run("each", cli));
    return work_on(*run, options, {}, fleet, cli, signal_scope);
  }

  [[nodiscard]] Result<jobs::Continuation> resume(const command::Values& values,
                                                  cli::CliContext& cli) const override {
    LET(auto options, options_of(values));
    LET(const auto fleet, fleet_of(cli));
    const bool is_list_lost =
        !cli.values.has("files-from") && cli::is_read_once(options.files.files_from);
    return [options, fleet, is_list_lost, &cli](run::Run& run, const auto& /*only*/,
                                                cli::SignalScope& signal_scope) {
      return work_on(run, options, {.is_list_lost = is_list_lost}, fleet, cli, signal_scope);
    };
  }

  [[nodiscard]] Result<jobs::Continuation> retry(const command::Values& values,
                                                 cli::CliContext& cli) const override {
    LET(auto options, options_of(values));
    LET(const auto fleet, fleet_of(cli));
    TRY(check_here(options, fleet));  // not the source: the names are in the journal
    return [options, fleet, &cli](run::Run& run, const std::vector<engine::TaskId>& only,
                                  cli::SignalScope& signal_scope) {
      return work_on(run, options, {.only = only}, fleet, cli, signal_scope);
    };
  }

  [[nodiscard]] std::vector<command::Flag> call_flags() const override {
    return redis_flags::fleet_call_flags();
  }

  [[nodiscard]] bool has_lost_input(const run::RunCard& card) const override {
    return jobs::has_lost_list(card);
  }

  // The result of a command is its duration in milliseconds.
  [[nodiscard]] std::string outcome_text(const engine::TaskRecord& task) const override {
    std::int64_t millis = 0;
    const char* const end = task.outcome.data() + task.outcome.size();
    const auto read = std::from_chars(task.outcome.data(), end, millis);
    if (read.ec != std::errc() || read.ptr != end) return task.outcome;
    return millis == 0 ? "under 1 ms" : text::duration_text(std::chrono::milliseconds(millis));
  }

  // The command with the name in its place. Its environment and folder for results are not the
  // same.
  [[nodiscard]] std::vector<std::string> by_hand(const run::RunCard& card,
                                                 const engine::TaskRecord& task) const override {
    const auto dashes = std::ranges::find(card.arguments, "--");
    if (dashes == card.arguments.end() || dashes + 1 == card.arguments.end()) return {};
    const std::vector<std::string> command(dashes + 1, card.arguments.end());
    const bool is_script = std::find(card.arguments.begin(), dashes, "--shell") != dashes;
    std::vector<std::string> words;
    if (is_script) {
      words = shell_arguments(command.front(), task.subject);
    } else {
      Placeholders(command).expand(task.subject, task.id, words);
    }
    const std::vector<std::string> go_there = {"cd", card.directory};
    return {text::shell_line(go_there) + " && " + text::shell_line(words)};
  }
};

}  // namespace

const jobs::Job& job() {
  static const EachJob kJob;
  return kJob;
}

}  // namespace tidemill::each
