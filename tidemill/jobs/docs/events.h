// Events: what --jsonl prints, an object a line. docs/formats/output.md and docs/formats/docs.md
// have the fields. And the same of one task for a console that lists them.
#pragma once

#include <string>

#include "tidemill/engine/task.h"
#include "tidemill/jobs/docs/performer.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::docs {

[[nodiscard]] std::string start_event(const std::string& run, const Options& options);
[[nodiscard]] std::string task_event(const DocsPipeline::Item& item);
[[nodiscard]] command::SettledItem settled_item(const DocsPipeline::Item& item);

}  // namespace tidemill::docs
