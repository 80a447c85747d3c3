// CommandLine: the words of the command line, split into a verb, flags and the rest by a CLI11 tree
// that is built from the description. The only check made here is that a flag has its value.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

struct CommandLine {
  const Verb* verb = nullptr;  // points into the Program; null: no verb was typed
  // By Flag::name, in the order typed. A toggle is "true" or "false", or the text after "="; -h is
  // help = "short".
  std::map<std::string, std::vector<std::string>, std::less<>> flags{};
  std::vector<std::string> loose{};  // before "--": arguments and unknown flags
  std::size_t before_verb = 0;       // how many of `loose` precede the verb
  std::vector<std::string> after{};  // after the first "--", unchanged
};

// `words` does not include the program name. Values are returned byte for byte.
[[nodiscard]] Result<CommandLine> read_line(const Program& program,
                                            const std::vector<std::string>& words);

}  // namespace tidemill::command
