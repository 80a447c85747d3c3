// Events: what --jsonl prints, an object a line, and nothing else on standard output.
//
// Every object has "v" (the version of the format, 1) and "event". Fields may be added within a
// version; docs/formats/output.md has the list. Bytes that are no UTF-8 come as base64 under
// another key ("name" or "nameBase64").
#pragma once

#include <string>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/each/command/performer.h"

namespace tidemill::each {

// The workers are about to begin.
[[nodiscard]] std::string start_event(const std::string& run, const Options& options);

// A task has ended, well or with this failure; its output is inside, at most what was kept in
// memory.
[[nodiscard]] std::string task_event(const Piece& piece, int attempts, const Failure* failure);

}  // namespace tidemill::each
