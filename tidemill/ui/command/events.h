// Events: what the jobs that print --jsonl have in common. Every object has "v" (the version of the
// format, 1) and "event"; docs/formats/output.md has the list.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/formats/text/json.h"

namespace tidemill::command {

// Begins the object; whoever calls it ends it.
text::JsonWriter& begin_event(text::JsonWriter& json, std::string_view event);

// cure, step, reason and, if there is one, hint: members of an object that was begun.
void put_failure(text::JsonWriter& json, const Failure& failure);

// An attempt failed and another will follow: a whole line.
[[nodiscard]] std::string retry_event(const engine::Retrial& retrial);

}  // namespace tidemill::command
