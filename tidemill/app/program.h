// The program as a whole: what its verbs are and which function each one is. The one explicit list.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

// Answers an exit code (exit_code.h). A Failure is said by the caller.
using VerbFunction = Result<int> (*)(cli::Desk& desk);

struct VerbEntry {
  command::Verb (*describe)();
  VerbFunction run;
};

[[nodiscard]] const std::vector<VerbEntry>& verbs();
[[nodiscard]] command::Program program();

// `words` is without the program's name. Answers the exit code.
[[nodiscard]] int run(const std::vector<std::string>& words);

}  // namespace tidemill::app
