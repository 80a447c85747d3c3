// The events that --jsonl prints, one object per line (docs/formats/output.md and
// docs/formats/docs.md describe the fields), and the item that a console shows for a task.
#pragma once

#include <string>

#include "tidemill/engine/task.h"
#include "tidemill/jobs/docs/command_executor.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::docs {

[[nodiscard]] std::string start_event(const std::string& run, const DocsOptions& options);
[[nodiscard]] std::string task_event(const DocsPipeline::Item& item);
[[nodiscard]] command::SettledItem settled_item(const DocsPipeline::Item& item);

}  // namespace tidemill::docs
