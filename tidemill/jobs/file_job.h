// FileJob: a job whose tasks are files. The author says what is done with one file and where the
// results go; everything else is here: finding the files (or reading their names from a list) into
// the journal ahead of the workers, retries, letters, resuming after a crash, Ctrl-C, progress, the
// screen and the summary.
//
//   walk, list ──► journal ──► perform(): N workers ──► store(): one thread ──► journal
//                  pending                               batches                 done
//
// Two classes: one says what the verb is, the other what a process does.
//
//   class Words final : public jobs::FileJob { description(), open() };
//   class Counting final : public jobs::FileWork { perform(), store() };
//
// A file is performed again when the process dies after perform() and before the journal has it as
// done: so perform() may run twice for a file, and store() must put a second result of the same
// path in the place of the first. It never happens that a file is done and its result is not
// stored.
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

// What perform() answers when it does not fail: the result, or engine::Skip with the reason.
using FileVerdict = engine::Verdict<std::string>;

// A file that is done.
struct FileResult {
  std::string path{};    // as it was found: below a ROOT, or as the list has it
  std::string result{};  // what perform() answered
};

// What one process of a run works with. Made by FileJob::open(), gone when the run has ended.
class FileWork {
 public:
  FileWork() = default;
  FileWork(const FileWork&) = delete;
  FileWork& operator=(const FileWork&) = delete;
  virtual ~FileWork() = default;

  // One file. Called by many threads at once. A Failure with Cure::retry is tried again
  // (--attempts), with Cure::give_up it becomes a letter at once; an exception becomes a letter
  // too. What takes long asks task.should_stop() now and then and returns task.stopped().
  [[nodiscard]] virtual Result<FileVerdict> perform(const std::string& path,
                                                    engine::TaskContext& task) = 0;

  // Keeps the results of a batch, durably. Called by one thread, before the journal says that these
  // files are done. Idempotent for a path. A Failure with Cure::retry (a full disk, a busy
  // database) is waited for: the call is made again each second. Any other ends the run.
  [[nodiscard]] virtual Result<void> store(std::span<const FileResult> results) = 0;
};

// Immutable, as every Job: what a process needs is in the FileWork.
class FileJob : public Job {
 public:
  // The verb's name, summary, own flags and, if there is more to say, description and examples.
  // The argument ROOT, the flags that all such jobs have and a usage line are added.
  [[nodiscard]] virtual command::Verb description() const = 0;

  // Once in each process that works on a run, after the command line was checked and before any
  // file is looked at. It may start threads. A Failure: there is no run, or the resumed one ends.
  [[nodiscard]] virtual Result<std::unique_ptr<FileWork>> open(
      const command::Values& values) const = 0;

  [[nodiscard]] command::Verb verb() const final;
  [[nodiscard]] Result<int> run(cli::Desk& desk) const final;
  [[nodiscard]] Result<Continuation> resume(const command::Values& values,
                                            cli::Desk& desk) const final;
  [[nodiscard]] Result<Continuation> retry(const command::Values& values,
                                           cli::Desk& desk) const final;
  [[nodiscard]] bool has_lost_input(const run::RunCard& card) const final;
};

}  // namespace tidemill::jobs
