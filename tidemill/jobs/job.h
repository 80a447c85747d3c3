// Job: what a job is for the rest of the program. A job is one folder with all that belongs to it:
// its verb and flags, its work, its reports. The program finds it in a table (app/jobs.cc) and asks
// it:
//
//   tidemill VERB …              verb(), run()
//   tidemill resume RUN          takes(), resume()
//   tidemill letters RUN retry   takes(), retry()
//   tidemill undo RUN            undo_help(), undo()
//   tidemill show, letters       subject_text(), outcome_text(), has_lost_input()
//   tidemill check RUN           leftovers()
//
// resume() and retry() are asked before the run is opened, so that a mistake is found before
// anything changes.
//
// A job that keeps no journal (import, books) has the first line only: `resume` gives its command
// again, and the job goes on from what it finds done. A job whose tasks are files is a FileJob
// (file_job.h), which does all of this.
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
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/vigil.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"
#include "tidemill/ui/term/screen/model.h"

namespace tidemill::jobs {

// Goes on with an open run, and answers the exit code. `only` are tasks that are retried; empty:
// whatever is pending.
using Continuation = std::function<Result<int>(
    run::Run& run, const std::vector<engine::TaskId>& only, cli::Vigil& vigil)>;

// What `undo` says of a job, and how a screen names its items.
struct UndoHelp {
  std::vector<std::string> description{};  // paragraphs
  term::ItemWords words{};
};

// Immutable. Answers exit codes (ui/cli/exit_code.h); a Failure is said by the caller.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  [[nodiscard]] virtual command::Verb verb() const = 0;
  [[nodiscard]] virtual Result<int> run(cli::Desk& desk) const = 0;

  // Of runs with a journal. `values` are those that the run goes on with; the values of `desk` are
  // those of `resume` or `letters` itself.
  [[nodiscard]] virtual Result<Continuation> resume(const command::Values& values,
                                                    cli::Desk& desk) const;
  [[nodiscard]] virtual Result<Continuation> retry(const command::Values& values,
                                                   cli::Desk& desk) const;
  // Whether a run that goes on takes this flag, which its verb has.
  [[nodiscard]] virtual bool takes(std::string_view flag) const;
  // Whether what the run reads cannot be read a second time, so that the user has to give it again.
  [[nodiscard]] virtual bool has_lost_input(const run::RunCard& card) const;

  // Nothing: what this job did cannot be undone.
  [[nodiscard]] virtual std::optional<UndoHelp> undo_help() const;
  [[nodiscard]] virtual Result<int> undo(run::Run& run, cli::Desk& desk, cli::Vigil& vigil) const;
  // The tasks that undo() would try to take back, in its order: done, and not undone before.
  [[nodiscard]] virtual Result<std::vector<engine::TaskId>> undoable(
      const journal::SqliteJournal& journal) const;

  // A task in a list: its name, and what became of it if it is done. Short texts.
  [[nodiscard]] virtual std::string subject_text(const engine::TaskRecord& task) const;
  [[nodiscard]] virtual std::string outcome_text(const engine::TaskRecord& task) const;
  // What a process that did not end in order may have left, outside of the run's folder: a sentence
  // each.
  [[nodiscard]] virtual Result<std::vector<std::string>> leftovers(const cli::Glance& glance) const;
};

// In the order in which help lists them.
using Jobs = std::span<const Job* const>;

// Null: there is no such job.
[[nodiscard]] const Job* find_job(Jobs jobs, std::string_view name);

}  // namespace tidemill::jobs
