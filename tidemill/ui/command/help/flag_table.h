// Generates docs/flags.md. A flag that several verbs have is one row, so that a reader sees at a
// glance whether it means the same everywhere.
#pragma once

#include <string>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// Markdown, ends with a newline.
[[nodiscard]] std::string flag_table(const Program& program);

}  // namespace tidemill::command
