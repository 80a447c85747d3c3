// Parse: from what was typed to the Values of a verb, or to a text that answers the question.
//
// A value comes from the command line, else from the environment (TIDEMILL_WORKERS), else from a
// config file (config.h), else from the flag's default. All of them are checked against the
// description, so a verb only sees values that make sense. A mistake is a Failure with kind usage
// (exit status 2) whose hint names the nearest flag or verb and the help to read.
//
//   tidemill each -w4 ROOT --exclude=a --exclude=b -- wc -l
//
// Flags may stand before or after the arguments, those of the program also before the verb.
// Everything after "--" belongs to the argument that asks for it, untouched; when none does, it is
// arguments that may begin with a dash. A toggle that is on elsewhere is turned off by --no-NAME.
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

// What is around the program. The defaults are empty: no variables, no files.
struct Surroundings {
  Environment environment = [](const std::string&) { return std::nullopt; };
  std::vector<std::string> config_paths{};  // in order: a later one wins
  std::function<Result<std::optional<std::string>>(const std::string& path)> read =
      read_config_file;
  HelpStyle help{};
  // What --version says below its first line.
  std::string (*about)() = [] { return std::string(); };
};

// Text to print instead of running a verb. With a status other than 0 it belongs on standard error.
struct Printout {
  std::string text{};
  int status = 0;
};

using Parsed = std::variant<Values, Printout>;

// `words` is without the name of the program.
[[nodiscard]] Result<Parsed> parse(const Program& program, const std::vector<std::string>& words,
                                   const Surroundings& surroundings);

}  // namespace tidemill::command
