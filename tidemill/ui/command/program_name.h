// Inserts the name of the program into the texts of its verbs. A verb that several programs share
// writes %program for the name, and %PROGRAM for the prefix of environment variables:
// "%program resume last", "$%PROGRAM_STATE". The code that assembles a program fills them in.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

[[nodiscard]] std::string with_program_name(std::string text, std::string_view name);

// In every text of the verb and its subverbs.
[[nodiscard]] Verb with_program_name(Verb verb, std::string_view name);

// "TIDEMILL": the prefix of the program's environment variables.
[[nodiscard]] std::string variable_prefix(std::string_view name);

}  // namespace tidemill::command
