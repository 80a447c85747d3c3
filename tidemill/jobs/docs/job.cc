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
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/run_exit.h"
#include "tidemill/ui/cli/vigil.h"
#include "tidemill/ui/command/parse.h"

namespace tidemill::docs {
namespace {

using command::Tone;

// The options that a run was started with.
Result<Options> options_of_card(const run::RunCard& card, const command::Program& program) {
  std::vector<std::string> words = {card.job};
  words.insert(words.end(), card.arguments.begin(), card.arguments.end());
  LET(auto parsed, command::parse(program, words, {}));
  return options_of(std::get<command::Values>(parsed));
}

// What cannot be read is no run of ours to go on with; `tidemill check` has more to say about it.
std::optional<run::RunFolder> known_run(const std::string& url, const cli::Desk& desk) {
  const auto all = desk.state.list();
  if (!all) return std::nullopt;
  for (const run::RunFolder& folder : *all) {
    const cli::Glance glance = cli::glance_at(folder);
    if (glance.problem || glance.card.job != "docs") continue;
    const auto options = options_of_card(glance.card, desk.program);
    if (options && options->url == url) return folder;
  }
  return std::nullopt;
}

Result<std::unique_ptr<run::Run>> run_of_server(const Options& options, cli::Desk& desk) {
  std::error_code wrong;
  const auto here = std::filesystem::current_path(wrong);
  if (wrong) return fail(Cure::give_up, "start", "the current folder: " + wrong.message());
  std::vector<std::string> arguments = desk.values.as_arguments();
  arguments.insert(arguments.begin(), "run");
  run::RunCard card{.job = "docs",
                    .arguments = std::move(arguments),
                    .directory = here.string(),
                    .version = desk.program.version};
  const auto known = known_run(options.url, desk);
  if (!known) return run::Run::create(desk.state, std::move(card), desk.clock);
  LET(auto run, run::Run::open(*known, desk.clock));
  // What is asked today is what `resume` will go on with.
  run::RunCard now = run->card();
  now.arguments = std::move(card.arguments);
  now.directory = std::move(card.directory);
  now.version = std::move(card.version);
  TRY(run->journal().commit({}, run::notes_of(now)));
  desk.console->say(Tone::plain, "Resuming run " + known->id() + " of this server.");
  return run;
}

Result<int> docs_on(run::Run& run, const Options& options, const Assignment& assignment,
                    cli::Desk& desk, cli::Vigil& vigil) {
  LET(const auto secrets, read_secrets(options));
  LET(const auto log, cli::log_for(desk));
  TRY(run.mark_running());
  command::Context context = vigil.context(desk, *log);
  const auto outcome = work(options, secrets, assignment, run, context);
  if (!outcome) {
    const bool was_stopped = vigil.signals.first() != 0;
    (void)run.end(was_stopped ? run::kInterrupted : run::kFailed,
                  tidemill::text_of(outcome.error()));
    if (was_stopped) return cli::exit_code_of(vigil.signals.first());
    return std::unexpected(outcome.error());
  }
  const std::string& id = run.folder().id();
  std::vector<journal::FailureGroup> groups;
  if (outcome->tally.dead() > 0) {
    LET(groups, run.journal().failure_groups(5));
  }
  if (options.report != Report::text) {
    const bool is_lines = options.report == Report::jsonl;
    TRY(desk.console->out(json_of(*outcome, id, is_lines ? "end" : "summary", groups)));
  }
  LET(const int code, cli::exit_code_of(run,
                                        {.ending = outcome->ending,
                                         .has_cause = outcome->cause.has_value(),
                                         .signal = vigil.signals.first()},
                                        {.looks_for_more = !assignment.only_pending}, desk));
  desk.say_report(code == cli::kDone ? Tone::good : Tone::warning,
                  text_of(*outcome, id, groups, cli::columns_of(2)), outcome->cause);
  return code;
}

Result<jobs::Continuation> go_on(const command::Values& values, bool only_pending,
                                 cli::Desk& desk) {
  LET(auto options, options_of(values));
  return [options, only_pending, &desk](run::Run& run, const auto& /*only*/, cli::Vigil& vigil) {
    return docs_on(run, options, {.only_pending = only_pending}, desk, vigil);
  };
}

class DocsJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return docs::verb(); }

  [[nodiscard]] Result<int> run(cli::Desk& desk) const override {
    LET(const auto options, options_of(desk.values));
    LET(const auto secrets, read_secrets(options));
    cli::Vigil vigil(desk);
    if (options.dry_run) {
      SilentLog silent;
      command::Context context = vigil.context(desk, silent);
      TRY(print_commands(options, secrets, context));
      return cli::kDone;
    }
    LET(const auto run, run_of_server(options, desk));
    return docs_on(*run, options, {}, desk, vigil);
  }

  [[nodiscard]] Result<jobs::Continuation> resume(const command::Values& values,
                                                  cli::Desk& desk) const override {
    return go_on(values, false, desk);
  }

  [[nodiscard]] Result<jobs::Continuation> retry(const command::Values& values,
                                                 cli::Desk& desk) const override {
    return go_on(values, true, desk);
  }
};

}  // namespace

const jobs::Job& job() {
  static const DocsJob kJob;
  return kJob;
}

}  // namespace tidemill::docs
