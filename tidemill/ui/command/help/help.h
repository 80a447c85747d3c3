// Help: the texts of --help and -h, generated from the description.
//
// --help contains everything: usage, examples, verbs, description, arguments, flags by group,
// environment and exit status. -h contains the usage, a few examples, the verbs and the basic
// flags.
#pragma once

#include <cstddef>
#include <string>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

struct HelpStyle {
  std::size_t width = 80;  // of the terminal; at least 40 is used
  bool is_bold = false;    // headings, with an escape sequence
};

// A null verb means the program, with a list of its verbs.
[[nodiscard]] std::string long_help(const Program& program, const Verb* verb, HelpStyle style);
[[nodiscard]] std::string short_help(const Program& program, const Verb* verb, HelpStyle style);

}  // namespace tidemill::command
