// Parse: turns the words of the command line into the Values of a verb, or into a text to print.
//
// A value comes from the command line, else from the environment (TIDEMILL_JOBS), else from a
// config file (config.h), else from the flag's default. All of them are checked against the
// description, so a verb only sees valid values. A mistake is a Failure with kind usage (exit
// status 2) whose hint names the nearest flag or verb and the help to read.
//
//   tidemill each -j4 ROOT --exclude=a --exclude=b -- wc -l
//
// Flags may be before or after the arguments; those of the program also before the verb. Everything
// after "--" belongs, unchanged, to the argument that is declared for it; without one, it is
// ordinary arguments that may begin with a dash. --no-NAME turns off a toggle that is on elsewhere.
// The last value of a flag counts, except in a list.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/ui/command/config/config.h"
#include "tidemill/ui/command/help/help.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// The environment of the program. The defaults are empty: no variables, no files.
struct ParseContext {
  VariableLookup environment = [](const std::string&) { return std::nullopt; };
  std::vector<std::string> config_paths{};  // in order: a later one overrides
  std::function<Result<std::optional<std::string>>(const std::string& path)> read =
      read_config_file;
  HelpStyle help{};
  // The lines that --version --verbose prints below the first.
  std::string (*about)() = [] { return std::string(); };
};

// Text to print instead of running a verb: to standard error if the status is not 0.
struct Printout {
  std::string text{};
  int status = 0;
};

using Parsed = std::variant<Values, Printout>;

// `words` does not include the program name.
[[nodiscard]] Result<Parsed> parse(const Program& program, const std::vector<std::string>& words,
                                   const ParseContext& parse_context);

}  // namespace tidemill::command
