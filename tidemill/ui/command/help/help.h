// Help: what --help and -h say, from the description.
//
// --help has everything: usage, examples, the description, arguments, flags by group, the
// environment and the exit status. -h has the usage, the examples and one line a flag.
#pragma once

#include <cstddef>
#include <string>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

struct HelpStyle {
  std::size_t width = 80;  // of the terminal; less than 40 is taken as 40
  bool is_bold = false;    // headings, by an escape sequence
};

// A verb that is null: the program, with a list of its verbs.
[[nodiscard]] std::string long_help(const Program& program, const Verb* verb, HelpStyle style);
[[nodiscard]] std::string short_help(const Program& program, const Verb* verb, HelpStyle style);

}  // namespace tidemill::command
