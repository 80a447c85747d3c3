#include "tidemill/jobs/each/job.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/each/command/placeholder_check.h"
#include "tidemill/jobs/each/each.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/summary.h"
#include "tidemill/ui/cli/vigil.h"

namespace tidemill::each {
namespace {

cli::ReportForm form_of(Report report) {
  switch (report) {
    case Report::json:
      return cli::ReportForm::json;
    case Report::jsonl:
      return cli::ReportForm::jsonl;
    case Report::output:
      break;
  }
  return cli::ReportForm::text;
}

Result<int> work_on(run::Run& run, const Options& options, const Assignment& assignment,
                    cli::Desk& desk, cli::Vigil& vigil) {
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  vigil.second_stop = cli::SecondStop::kills_commands;
  cli::tell_of_recovery(run, vigil.console);
  const auto outcome = work(options, assignment, run, context);
  if (!outcome) {
    (void)run.end(run::kFailed, text_of(outcome.error()));
    return std::unexpected(outcome.error());
  }
  return jobs::conclude(run, *outcome, options.files, assignment, form_of(options.report), desk,
                        vigil);
}

Result<int> show_commands(const Options& options, cli::Desk& desk) {
  SilentLog silent;
  command::Context context{.console = *desk.console, .log = silent, .clock = desk.clock};
  LET(const std::uint64_t count, print_commands(options, context));
  return count == 0 ? cli::nothing_matched(jobs::selection_of(options.files), desk) : cli::kDone;
}

class EachJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return each::verb(); }

  [[nodiscard]] Result<int> run(cli::Desk& desk) const override {
    LET(const auto options, options_of(desk.values));
    TRY(check_placeholders(options));
    if (options.dry_run) return show_commands(options, desk);
    TRY(check(options));
    TRY(cli::log_for(desk));  // what cannot be opened is told before there is a run
    cli::Vigil vigil(desk);
    LET(const auto run, cli::create_run("each", desk));
    return work_on(*run, options, {}, desk, vigil);
  }

  [[nodiscard]] Result<jobs::Continuation> resume(const command::Values& values,
                                                  cli::Desk& desk) const override {
    LET(auto options, options_of(values));
    const bool is_list_lost =
        !desk.values.has("files-from") && cli::is_read_once(options.files.files_from);
    return [options, is_list_lost, &desk](run::Run& run, const auto& /*only*/, cli::Vigil& vigil) {
      return work_on(run, options, {.is_list_lost = is_list_lost}, desk, vigil);
    };
  }

  [[nodiscard]] Result<jobs::Continuation> retry(const command::Values& values,
                                                 cli::Desk& desk) const override {
    LET(auto options, options_of(values));
    TRY(check_command(options));  // the names are in the journal: a list may be gone
    return [options, &desk](run::Run& run, const std::vector<engine::TaskId>& only,
                            cli::Vigil& vigil) {
      return work_on(run, options, {.only = only}, desk, vigil);
    };
  }

  [[nodiscard]] bool has_lost_input(const run::RunCard& card) const override {
    return jobs::has_lost_list(card);
  }

  // The result of a command is how long it took.
  [[nodiscard]] std::string outcome_text(const engine::TaskRecord& task) const override {
    std::int64_t millis = 0;
    const char* const end = task.outcome.data() + task.outcome.size();
    const auto read = std::from_chars(task.outcome.data(), end, millis);
    if (read.ec != std::errc() || read.ptr != end) return task.outcome;
    return millis == 0 ? "under 1 ms" : text::duration_text(std::chrono::milliseconds(millis));
  }
};

}  // namespace

const jobs::Job& job() {
  static const EachJob kJob;
  return kJob;
}

}  // namespace tidemill::each
