// The implementation behind FileJob: the work of one process on a run whose tasks are files.
//
//   finder ──► journal ──► feeder ──► pipeline: FileWork::perform × N ──► FileWork::store
//                 ▲                                                            │ done
//                 └────────────────────────────────────────────────────────────┘
//
// A worker notes in the in-flight log which file it is working on, so that a file that crashes the
// process is known. Outcomes are never written to the in-flight log: a file is done only when its
// result is stored and the journal has it.
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
  std::optional<double> rate{};          // starts per second
  std::chrono::milliseconds timeout{0};  // of an attempt; 0: none
  engine::RetryPolicy retry{};
  bool is_json = false;
};

// source_flags(), and jobs, rate, timeout, attempts, backoff, json.
[[nodiscard]] std::vector<command::Flag> file_job_flags();
[[nodiscard]] Result<FileOptions> file_options_of(const command::Values& values);

// Works on the run until every task is settled or it has to stop. Returns a Failure only if it
// could not start. `leave` is called by the thread that handles a second Ctrl-C, and must not
// return: a perform() that ignores its stop token cannot be stopped in any other way.
[[nodiscard]] Result<FileRunOutcome> work_on_files(const FileOptions& options,
                                                   const FileRunRequest& assignment, FileWork& work,
                                                   run::Run& run, command::Context& context,
                                                   const std::function<void()>& leave);

}  // namespace tidemill::jobs
