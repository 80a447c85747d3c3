// CommandLine: the words that were typed, sorted into a verb, flags and the rest, by a CLI11 tree
// that is built from the description. Nothing is checked here but that a flag has its value.
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
  const Verb* verb = nullptr;  // of the program that was passed in; null: none was typed
  // By Flag::name, in the order typed. A toggle is "true" or "false", or what stood after "=";
  // -h is help = "short".
  std::map<std::string, std::vector<std::string>, std::less<>> flags{};
  std::vector<std::string> loose{};  // before "--": arguments, and flags that nobody described
  std::size_t before_verb = 0;       // so many of them stood before the verb
  std::vector<std::string> after{};  // after the first "--", untouched
};

// `words` is without the name of the program. Every byte of a value comes through unchanged.
[[nodiscard]] Result<CommandLine> read_line(const Program& program,
                                            const std::vector<std::string>& words);

}  // namespace tidemill::command
