// Completion: scripts for bash, zsh and fish, from the description: verbs, the verbs below them,
// flags, the values of a choice, files for a path, and after "--" a command and its files. The
// scripts know everything themselves: pressing Tab does not start the program.
#pragma once

#include <string>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

[[nodiscard]] std::string bash_completion(const Program& program);
[[nodiscard]] std::string zsh_completion(const Program& program);
[[nodiscard]] std::string fish_completion(const Program& program);

}  // namespace tidemill::command
