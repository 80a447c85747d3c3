// Events: what the --jsonl output of all jobs has in common. Every object has "v" (the version of
// the format, 1) and "event"; docs/formats/output.md lists them.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/formats/text/json.h"

namespace tidemill::command {

// Begins the object; the caller ends it.
text::JsonWriter& begin_event(text::JsonWriter& json, std::string_view event);

// Adds the members cure, step, reason and, if set, hint to the current object.
void put_failure(text::JsonWriter& json, const Failure& failure);

// An attempt failed and will be retried: a complete line.
[[nodiscard]] std::string retry_event(const engine::Retrial& retrial);

}  // namespace tidemill::command
