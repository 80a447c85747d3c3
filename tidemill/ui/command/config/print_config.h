// --print-config: each flag of a verb, its value, and where that came from, in columns.
#pragma once

#include <string>

#include "tidemill/ui/command/values.h"

namespace tidemill::command {

// The values must be described. A list has a line for each of its values.
[[nodiscard]] std::string print_config(const Values& values);

}  // namespace tidemill::command
