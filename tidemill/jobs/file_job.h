// FileJob: base class for a job whose tasks are files. A job implements what happens to one file
// and where the results are stored. FileJob does the rest: it finds the files (or reads their names
// from a list) into the journal ahead of the workers, and provides retries, dead letters, resuming
// after a crash, Ctrl-C, progress, the screen and the summary.
//
//   walk, list ──► journal ──► perform(): N workers ──► store(): one thread ──► journal
//                  pending                               batches                 done
//
// A job has two classes: one describes the verb, the other does the work of one process.
//
//   class Words final : public jobs::FileJob { description(), open() };
//   class Counting final : public jobs::FileWork { perform(), store() };
//
// If the process dies after perform() and before the journal marks the file as done, the file is
// performed again. So perform() may run twice for a file, and store() must replace an earlier
// result of the same path. A file is never marked as done without its result being stored.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/pipeline.h"
#include "tidemill/engine/task_context.h"
#include "tidemill/jobs/job.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::jobs {

// What perform() returns on success: the result, or engine::Skip with the reason.
using FileVerdict = engine::Verdict<std::string>;

// The result of one file, for store().
struct FileResult {
  std::string path{};    // as found: below a ROOT, or as written in the list
  std::string result{};  // what perform() returned
};

// The work of one process on a run. Created by FileJob::open(), destroyed when the process has
// finished working on the run.
class FileWork {
 public:
  FileWork() = default;
  FileWork(const FileWork&) = delete;
  FileWork& operator=(const FileWork&) = delete;
  virtual ~FileWork() = default;

  // Processes one file. Called by many threads at once. A Failure with Cure::retry is retried
  // (--attempts); one with Cure::give_up becomes a dead letter at once, and so does an exception
  // other than std::bad_alloc, which is retried.
  // Long work checks task.should_stop() regularly and then returns task.stopped().
  [[nodiscard]] virtual Result<FileVerdict> perform(const std::string& path,
                                                    engine::TaskContext& task) = 0;

  // Stores the results of a batch durably. Called by one thread, before the journal marks these
  // files as done. Must be idempotent for each path. After a Failure with Cure::retry (a full disk,
  // a busy database) the call is repeated every second; any other Failure ends the run.
  [[nodiscard]] virtual Result<void> store(std::span<const FileResult> results) = 0;
};

// Immutable, like every Job: the state of a process is in its FileWork.
class FileJob : public Job {
 public:
  // The verb's name, summary, own flags and, optionally, description and examples. verb() adds the
  // argument ROOT, the flags that all file jobs have and, if there is none, the usage lines.
  [[nodiscard]] virtual command::Verb description() const = 0;

  // Called once in each process that works on a run, after the command line was checked and before
  // the first file is looked for. May start threads. On a Failure no run is created, or the resumed
  // run ends as failed.
  [[nodiscard]] virtual Result<std::unique_ptr<FileWork>> open(
      const command::Values& values) const = 0;

  [[nodiscard]] command::Verb verb() const final;
  [[nodiscard]] Result<int> run(cli::CliContext& cli) const final;
  [[nodiscard]] Result<Continuation> resume(const command::Values& values,
                                            cli::CliContext& cli) const final;
  [[nodiscard]] Result<Continuation> retry(const command::Values& values,
                                           cli::CliContext& cli) const final;
  [[nodiscard]] bool has_lost_input(const run::RunCard& card) const final;
};

}  // namespace tidemill::jobs
