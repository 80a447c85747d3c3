// Completion: generates scripts for bash, zsh and fish from the description. They complete verbs,
// subverbs, flags, the values of a choice, paths, and after "--" a command and its files. The
// scripts are self-contained; only to complete the name of a run do they start the program (`runs
// --names`).
#pragma once

#include <string>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

[[nodiscard]] std::string bash_completion(const Program& program);
[[nodiscard]] std::string zsh_completion(const Program& program);
[[nodiscard]] std::string fish_completion(const Program& program);

}  // namespace tidemill::command
