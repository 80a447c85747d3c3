// Events: the output of --jsonl, one JSON object per line. With --jsonl nothing else goes to
// standard output.
//
// Every object has "v" (the version of the format, 1) and "event". Fields may be added within a
// version; docs/formats/output.md lists them. Bytes that are not UTF-8 are base64 under another key
// ("nameBase64" instead of "name").
#pragma once

#include <string>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/each/command/command_runner.h"

namespace tidemill::each {

// The workers are about to start.
[[nodiscard]] std::string start_event(const std::string& run, const EachOptions& options);

// A task has ended, with `failure` or (null) successfully. Includes its output, as far as it was
// kept in memory.
[[nodiscard]] std::string task_event(const EachItem& item, int attempts, const Failure* failure);

}  // namespace tidemill::each
