// Job: the interface between a job and the rest of the program. A job is one folder that contains
// everything that belongs to it: its verb and flags, its work, its reports. The program finds it in
// a table (app/jobs.cc) and calls:
//
//   tidemill VERB …               verb(), run()
//   tidemill resume RUN           takes(), resume()
//   tidemill failures RUN retry   takes(), retry()
//   tidemill undo RUN             undo_help(), undoable(), undo()
//   tidemill show, failures       subject_text(), outcome_text(), has_lost_input()
//   tidemill serve                by_hand()
//   tidemill check RUN            leftovers()
//
// resume() and retry() are called before the run is opened, so that a usage error is found before
// anything changes.
//
// A job without a journal (import, books) implements only the first line: `resume` runs its command
// again, and the job skips what is already done. A job whose tasks are files derives from FileJob
// (file_job.h), which implements all of this.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/state/run/run.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"
#include "tidemill/ui/term/screen/model.h"

namespace tidemill::jobs {

// Continues an open run and returns the exit code. `only`: the tasks to retry; empty: all pending
// tasks.
using Continuation = std::function<Result<int>(
    run::Run& run, const std::vector<engine::TaskId>& only, cli::SignalScope& signal_scope)>;

// The help of `undo` for a job, and the words for its items on the full screen.
struct UndoHelp {
  std::vector<std::string> description{};  // paragraphs
  term::ItemWords words{};
};

// Immutable. run() and undo() return exit codes (ui/cli/exit_code.h); the caller reports a Failure.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  [[nodiscard]] virtual command::Verb verb() const = 0;
  [[nodiscard]] virtual Result<int> run(cli::CliContext& cli) const = 0;

  // Only for runs with a journal. `values` are the values that the run continues with; `cli.values`
  // are those of `resume` or `failures` itself.
  [[nodiscard]] virtual Result<Continuation> resume(const command::Values& values,
                                                    cli::CliContext& cli) const;
  [[nodiscard]] virtual Result<Continuation> retry(const command::Values& values,
                                                   cli::CliContext& cli) const;
  // Whether this flag of the verb may be changed when a run is continued.
  [[nodiscard]] virtual bool takes(std::string_view flag) const;
  // Flags of the verb that are about one call: where its tasks run. `resume` and `failures retry`
  // offer them too, and a run that continues does not keep those of an earlier call.
  [[nodiscard]] virtual std::vector<command::Flag> call_flags() const;
  // Whether the input of the run cannot be read a second time, so that the user has to pass it
  // again.
  [[nodiscard]] virtual bool has_lost_input(const run::RunCard& card) const;

  // Empty: runs of this job cannot be undone.
  [[nodiscard]] virtual std::optional<UndoHelp> undo_help() const;
  [[nodiscard]] virtual Result<int> undo(run::Run& run, cli::CliContext& cli,
                                         cli::SignalScope& signal_scope) const;
  // The tasks that undo() would try to undo, in its order: done, and not undone before.
  [[nodiscard]] virtual Result<std::vector<engine::TaskId>> undoable(
      const journal::SqliteJournal& journal) const;

  // Short texts for a task in a list: its name, and its outcome if it is done.
  [[nodiscard]] virtual std::string subject_text(const engine::TaskRecord& task) const;
  [[nodiscard]] virtual std::string outcome_text(const engine::TaskRecord& task) const;
  // How to do the task again in a shell, without this program; lines to copy. Empty: not possible.
  [[nodiscard]] virtual std::vector<std::string> by_hand(const run::RunCard& card,
                                                         const engine::TaskRecord& task) const;
  // What a crashed process may have left behind outside the run's folder, one sentence for each.
  [[nodiscard]] virtual Result<std::vector<std::string>> leftovers(
      const cli::RunStatus& run_status) const;
};

// In the order in which help lists the jobs.
using Jobs = std::span<const Job* const>;

// The call_flags() of all of them, each name once.
[[nodiscard]] std::vector<command::Flag> call_flags(Jobs jobs);

// Null: no such job.
[[nodiscard]] const Job* find_job(Jobs jobs, std::string_view name);

}  // namespace tidemill::jobs
