// The name of the program in the texts of its verbs. A verb that several programs share says
// %program where its own name belongs, and %PROGRAM where a variable of the environment begins with
// it: "%program resume last", "$%PROGRAM_STATE". Whoever puts a program together fills it in.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

[[nodiscard]] std::string with_program_name(std::string text, std::string_view name);

// In every text of the verb and of those below it.
[[nodiscard]] Verb with_program_name(Verb verb, std::string_view name);

// "TIDEMILL": what the program's variables in the environment begin with.
[[nodiscard]] std::string variable_prefix(std::string_view name);

}  // namespace tidemill::command
