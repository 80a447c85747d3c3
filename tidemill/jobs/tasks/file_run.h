// The machine behind FileJob: one process's work on a run whose tasks are files.
//
//   finder ──► journal ──► feeder ──► pipeline: FileWork::perform × N ──► FileWork::store ──►
//   journal
//
// A worker notes on the slate which file it has in hand, so that a file that kills the process is
// known. Outcomes are never on the slate: a file is done when its result is stored and the journal
// has it, not before.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/retry_policy.h"
#include "tidemill/jobs/file_job.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/jobs/tasks/standing.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::jobs {

inline constexpr std::string_view kFileType = "file";  // the type of the tasks in the journal

struct FileOptions {
  FileSource files{};
  std::size_t workers = 1;
  std::optional<double> rate{};          // starts a second
  std::chrono::milliseconds timeout{0};  // of an attempt; 0: none
  engine::RetryPolicy retry{};
  bool is_json = false;
};

// Beside source_flags(): workers, rate, timeout, attempts, backoff, json.
[[nodiscard]] std::vector<command::Flag> file_job_flags();
[[nodiscard]] Result<FileOptions> file_options_of(const command::Values& values);

// Works on the run until everything is settled or it has to stop. A Failure: it could not even
// start. `leave` is called by the thread of a second Ctrl-C, and does not return: a file that does
// not listen cannot be stopped in any other way.
[[nodiscard]] Result<Outcome> work_on_files(const FileOptions& options,
                                            const Assignment& assignment, FileWork& work,
                                            run::Run& run, command::Context& context,
                                            const std::function<void()>& leave);

}  // namespace tidemill::jobs
