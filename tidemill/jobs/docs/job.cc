#include "tidemill/jobs/docs/job.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/base/try.h"
#include "tidemill/jobs/docs/docs.h"
#include "tidemill/jobs/docs/text.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/run_exit.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/parse.h"

namespace tidemill::docs {
namespace {

using command::Tone;

// The options that a run was started with.
Result<DocsOptions> options_of_card(const run::RunCard& card, const command::Program& program) {
  std::vector<std::string> words = {card.job};
  words.insert(words.end(), card.arguments.begin(), card.arguments.end());
  LET(auto parsed, command::parse(program, words, {}));
  return options_of(std::get<command::Values>(parsed));
}

// The run of this server. Runs that cannot be read are skipped; `tidemill check` shows why.
std::optional<run::RunFolder> known_run(const std::string& url, const cli::CliContext& cli) {
  const auto all = cli.state.list();
  if (!all) return std::nullopt;
  for (const run::RunFolder& folder : *all) {
    const cli::RunStatus run_status = cli::run_status_at(folder);
    if (run_status.problem || run_status.card.job != "docs") continue;
    const auto options = options_of_card(run_status.card, cli.program);
    if (options && options->url == url) return folder;
  }
  return std::nullopt;
}

Result<std::unique_ptr<run::Run>> run_of_server(const DocsOptions& options, cli::CliContext& cli) {
  std::error_code wrong;
  const auto here = std::filesystem::current_path(wrong);
  if (wrong) return fail(Cure::give_up, "start", "the current folder: " + wrong.message());
  std::vector<std::string> arguments = cli.values.as_arguments();
  arguments.insert(arguments.begin(), "run");
  run::RunCard card{.job = "docs",
                    .arguments = std::move(arguments),
                    .directory = here.string(),
                    .version = cli.program.version};
  const auto known = known_run(options.url, cli);
  if (!known) return run::Run::create(cli.state, std::move(card), cli.clock);
  LET(auto run, run::Run::open(*known, cli.clock));
  // `resume` continues with the options given now.
  run::RunCard now = run->card();
  now.arguments = std::move(card.arguments);
  now.directory = std::move(card.directory);
  now.version = std::move(card.version);
  TRY(run->journal().commit({}, run::notes_of(now)));
  cli.console->say(Tone::plain, "Resuming run " + known->id() + " of this server.");
  return run;
}

Result<int> docs_on(run::Run& run, const DocsOptions& options, const DocsRunRequest& assignment,
                    cli::CliContext& cli, cli::SignalScope& signal_scope) {
  LET(const auto secrets, read_secrets(options));
  LET(const auto log, cli::log_for(cli));
  TRY(run.mark_running());
  command::Context context = signal_scope.context(cli, *log);
  const auto outcome = work(options, secrets, assignment, run, context);
  if (!outcome) {
    const bool was_stopped = signal_scope.signals.first() != 0;
    (void)run.end(was_stopped ? run::kInterrupted : run::kFailed,
                  tidemill::text_of(outcome.error()));
    if (was_stopped) return cli::exit_code_of(signal_scope.signals.first());
    return std::unexpected(outcome.error());
  }
  const std::string& id = run.folder().id();
  std::vector<journal::FailureGroup> groups;
  if (outcome->tally.dead() > 0) {
    LET(groups, run.journal().failure_groups(5));
  }
  if (options.report != DocsOutput::text) {
    const bool is_lines = options.report == DocsOutput::jsonl;
    TRY(cli.console->out(json_of(*outcome, id, is_lines ? "end" : "summary", groups)));
  }
  LET(const int code, cli::exit_code_of(run,
                                        {.ending = outcome->ending,
                                         .has_cause = outcome->cause.has_value(),
                                         .signal = signal_scope.signals.first()},
                                        {.looks_for_more = !assignment.only_pending}, cli));
  cli.say_report(code == cli::kDone ? Tone::good : Tone::warning,
                 text_of(*outcome, id, groups, cli::columns_of(2)), outcome->cause);
  return code;
}

Result<jobs::Continuation> go_on(const command::Values& values, bool only_pending,
                                 cli::CliContext& cli) {
  LET(auto options, options_of(values));
  return [options, only_pending, &cli](run::Run& run, const auto& /*only*/,
                                       cli::SignalScope& signal_scope) {
    return docs_on(run, options, {.only_pending = only_pending}, cli, signal_scope);
  };
}

class DocsJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return docs::verb(); }

  [[nodiscard]] Result<int> run(cli::CliContext& cli) const override {
    LET(const auto options, options_of(cli.values));
    LET(const auto secrets, read_secrets(options));
    cli::SignalScope signal_scope(cli);
    if (options.dry_run) {
      SilentLog silent;
      command::Context context = signal_scope.context(cli, silent);
      TRY(print_commands(options, secrets, context));
      return cli::kDone;
    }
    LET(const auto run, run_of_server(options, cli));
    return docs_on(*run, options, {}, cli, signal_scope);
  }

  [[nodiscard]] Result<jobs::Continuation> resume(const command::Values& values,
                                                  cli::CliContext& cli) const override {
    return go_on(values, false, cli);
  }

  [[nodiscard]] Result<jobs::Continuation> retry(const command::Values& values,
                                                 cli::CliContext& cli) const override {
    return go_on(values, true, cli);
  }
};

}  // namespace

const jobs::Job& job() {
  static const DocsJob kJob;
  return kJob;
}

}  // namespace tidemill::docs
